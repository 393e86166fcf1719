"""JSON of a run's files: integers that nothing can hold are refused, texts of digits are not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from machmeter.model.errors import MachmeterError
from machmeter.store.files import read_json
from machmeter.store.json_text import decode_json
from machmeter.store.records import parse_record
from tests.support.paths import ROOT


class Counts(Struct, frozen=True):
    """A file."""

    ranks: int
    note: str = ""
    more: tuple[int, ...] = ()
    seconds: float = 0.0


DECODER = msgspec.json.Decoder(Counts)
RUN = ROOT / "tests/data/run_format_2"


@pytest.mark.parametrize(
    "text",
    [
        '{"ranks": 18446744073709551616}',
        '{"ranks":-9223372036854775809}',
        '{"ranks": 1, "more": [1, 2,\n100000000000000000000]}',
        '{"ranks": 1' + "0" * 400 + "}",
        '{"ranks": 1, "unknown": {"a": 99999999999999999999}}',
    ],
)
def test_an_integer_of_more_than_64_bits_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_json(text.encode(), DECODER)


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ('{"ranks": 18446744073709551615}', 2**64 - 1),
        ('{"ranks": -9223372036854775808}', -(2**63)),
        ('{"ranks": 3, "note": "id: 123456789012345678901234567890"}', 3),
        ('{"ranks": 4, "seconds": 1.00000000000000000000001e300}', 4),
        ('{"ranks": 5, "seconds": 12345678901234567890123.5}', 5),
    ],
)
def test_what_64_bits_hold_and_texts_of_digits_are_read(text: str, ranks: int) -> None:
    assert decode_json(text.encode(), DECODER).ranks == ranks


def test_a_file_and_a_line_of_a_record_with_one_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(f'{{"ranks": {2**64}}}')
    with pytest.raises(MachmeterError) as error:
        read_json(path, Counts)
    assert str(path) in error.value.message
    assert error.value.remedy
    record = (RUN / "launches/00001.jsonl").read_bytes()
    assert parse_record(record).problem == ""
    damaged = record.replace(b'"world_size":1,', b'"world_size":%d,' % 2**70)
    assert "64 bits" in parse_record(damaged).problem
