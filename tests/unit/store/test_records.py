"""Records are read without trust: whatever the file holds, the answer is a record."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.layout.assign import assign
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import Begun, Launch, PointRecord
from machmeter.model.plan.observed_host import NetworkDevice, ObservedHost
from machmeter.store import records
from machmeter.store.records import parse_record, read_record
from tests.support.fake_launcher import record_lines, small_spec, synthetic_machine


def whole_lines(points: int = 2) -> list[bytes]:
    spec = small_spec("small", *(8192 * 2**power for power in range(points)))
    topology = synthetic_machine().topology
    return record_lines(Launch(1, spec, 42, assign(spec.layout, topology)))


def test_a_whole_record_is_complete_with_every_sample() -> None:
    record = parse_record(b"".join(whole_lines()))
    assert record.complete
    assert record.problem == ""
    assert [point.parameters["size"] for point in record.points] == [8192, 16384]
    assert all(len(point.series["seconds"]) == 20 for point in record.points)


@pytest.mark.parametrize("kept", range(4))
def test_without_its_closing_line_a_record_keeps_the_lines_before(kept: int) -> None:
    record = parse_record(b"".join(whole_lines()[:kept]))
    assert not record.complete
    assert len(record.points) == max(kept - 1, 0)
    assert "no closing line" in record.problem


def test_a_cut_line_is_named_and_the_lines_before_it_are_kept() -> None:
    lines = whole_lines()
    record = parse_record(b"".join(lines[:2]) + lines[2][:-30])
    assert len(record.points) == 1
    assert not record.complete
    assert record.problem.startswith("line 3 is cut off or damaged")


@pytest.mark.parametrize(
    ("order", "line"),
    [((1, 0, 2, 3), 1), ((3,), 1), ((0, 0, 1, 2, 3), 2)],
    ids=["point first", "closing first", "two headers"],
)
def test_lines_out_of_place_are_refused(order: tuple[int, ...], line: int) -> None:
    lines = whole_lines()
    record = parse_record(b"".join(lines[position] for position in order))
    assert not record.complete
    assert record.problem == f"line {line} is out of place"


def test_a_closing_line_that_counts_other_points_is_not_believed() -> None:
    lines = whole_lines()
    record = parse_record(lines[0] + lines[1] + lines[3])
    assert not record.complete
    assert record.problem == "the closing line counts 2 points, 1 are there"


def test_hosts_are_read_and_earlier_records_have_none() -> None:
    header, *rest = whole_lines()
    hosts = (
        ObservedHost("n1", "4ae1", 1795000001.0, memory_bytes=2**40),
        ObservedHost("n2", network=(NetworkDevice("ib0:1", 2e11), NetworkDevice("eth0"))),
    )
    fields = msgspec.json.decode(header)
    described = msgspec.json.encode({**fields, "hosts": msgspec.to_builtins(hosts)}) + b"\n"
    del fields["hosts"]
    for line, expected in ((described, hosts), (msgspec.json.encode(fields) + b"\n", ())):
        record = parse_record(b"".join((line, *rest)))
        assert record.complete
        assert record.header is not None
        assert record.header.hosts == expected


def begun_line(**parameters: int | str) -> bytes:
    return msgspec.json.encode({"kind": "begun", "parameters": parameters}) + b"\n"


def test_the_point_that_a_record_ends_in_is_known() -> None:
    header, first, *_ = whole_lines()
    record = parse_record(header + begun_line(size=8192) + first + begun_line(size=16384))
    assert record.begun == Begun({"size": 16384})
    cut = parse_record(header + begun_line(size=8192) + first[:-30])
    assert cut.begun == Begun({"size": 8192})


def test_of_points_measured_at_once_one_without_a_line_is_the_one_begun() -> None:
    header, first, second, _ = whole_lines()
    both = begun_line(size=8192) + begun_line(size=16384)
    assert parse_record(header + both + second).begun == Begun({"size": 8192})
    assert parse_record(header + both + first + second).begun is None


def test_between_points_nothing_is_begun() -> None:
    header, first, second, closing = whole_lines()
    lines = header, begun_line(size=8192), first, begun_line(size=16384), second
    assert parse_record(b"".join(lines)).begun is None
    whole = parse_record(b"".join(lines) + closing)
    assert whole.complete
    assert len(whole.points) == 2
    assert whole.begun is None


def test_points_begun_together_end_with_the_one_that_was_named() -> None:
    header, first, second, _ = whole_lines()
    record = parse_record(header + begun_line(size=8192) + second + first)
    assert record.begun is None
    assert parse_record(header + begun_line(size=8192) + second).begun == Begun({"size": 8192})


def test_nothing_begins_before_the_header() -> None:
    record = parse_record(begun_line(size=8192) + b"".join(whole_lines()))
    assert record.problem == "line 1 is out of place"


def test_another_format_is_refused_by_its_number() -> None:
    lines = whole_lines()
    header = msgspec.json.decode(lines[0]) | {"format": 99}
    record = parse_record(msgspec.json.encode(header) + b"\n" + b"".join(lines[1:]))
    assert record.header is None
    assert not record.complete
    assert record.problem == "record format 99 is none of (2, 3, 4), known here"


def test_format_2_said_of_a_program_that_is_not_ours_what_nobody_had_observed() -> None:
    lines = whole_lines()
    kept = msgspec.json.decode(lines[0]) | {"format": 2}
    del kept["origin"]
    made_up = kept | {"toolchain": {"compiler": "", "flags": "", "source_hash": ""}}
    for header, known in ((kept, True), (made_up, False)):
        record = parse_record(msgspec.json.encode(header) + b"\n" + b"".join(lines[1:]))
        assert record.complete
        assert record.header is not None
        assert record.header.origin is Origin.MEASURED
        assert (record.header.toolchain is not None, record.header.clock is not None) == (
            known,
            known,
        )


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"kind":"header"}',
        b'{"kind":"other"}',
        b"null\n" * 10,
        b'{"kind":"header","format":1e999}',
        b"Segmentation fault\n",
        b"",
    ],
)
def test_rubbish_is_no_record(content: bytes) -> None:
    record = parse_record(content)
    assert not record.complete
    assert record.problem


@given(st.binary(max_size=400))
def test_no_bytes_make_the_parser_fail(content: bytes) -> None:
    assert not parse_record(content).complete


@given(st.integers(0, 2**32), st.integers(1, 4), st.binary(min_size=1, max_size=8))
def test_a_damaged_record_never_makes_the_parser_fail(
    seed: int, damages: int, rubbish: bytes
) -> None:
    rng = random.Random(seed)
    content = bytearray(b"".join(whole_lines()))
    for _ in range(damages):
        position = rng.randrange(len(content))
        content[position : position + rng.randrange(4)] = rubbish
    record = parse_record(bytes(content))
    assert record.complete == (record.problem == "")
    assert all(isinstance(point, PointRecord) for point in record.points)


@given(st.integers(0, 10_000))
def test_wherever_a_record_is_cut_it_is_incomplete(position: int) -> None:
    content = b"".join(whole_lines())
    # Without its last byte, the end of line, the closing line is still whole.
    assert not parse_record(content[: position % (len(content) - 1)]).complete


def test_a_missing_record_is_incomplete(tmp_path: Path) -> None:
    record = read_record(tmp_path / "00001.jsonl")
    assert not record.complete
    assert record.problem == "the program wrote no record"


def test_what_is_left_under_the_temporary_name_is_read(tmp_path: Path) -> None:
    (tmp_path / "00001.jsonl.partial").write_bytes(b"".join(whole_lines()[:3]))
    record = read_record(tmp_path / "00001.jsonl")
    assert len(record.points) == 2
    assert not record.complete


def test_an_oversize_record_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LARGEST_RECORD", 1000)
    path = tmp_path / "00001.jsonl"
    path.write_bytes(b"".join(whole_lines()))
    record = read_record(path)
    assert not record.complete
    assert "larger than 1000 bytes" in record.problem


def test_a_folder_in_place_of_a_record_is_incomplete(tmp_path: Path) -> None:
    (tmp_path / "00001.jsonl").mkdir()
    assert "cannot read" in read_record(tmp_path / "00001.jsonl").problem
