"""Some of the damaged files of `make test-full`, and what a reader's failure becomes there."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.model.errors import MachmeterError
from tests.support.fuzzing import worker
from tests.support.fuzzing.children import Tally
from tests.support.fuzzing.readers import READERS, FileReader, Input

EACH = 20
FAST = [one for one in READERS if one.name not in ("run", "launch")]


@pytest.mark.parametrize("reader", FAST, ids=lambda one: one.name)
def test_damaged_files_are_read_or_refused_in_words(reader: FileReader, tmp_path: Path) -> None:
    sound = tuple(reader.inputs())
    tally = Tally(reader.name)
    tally.add([worker.report(reader, tmp_path, sound, number) for number in range(EACH)])
    assert not tally.failures, tally.told
    assert tally.inputs == EACH


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
def test_what_is_damaged_is_sound(reader: FileReader, tmp_path: Path) -> None:
    # A whole run is read for each of its launches.
    for one in list(reader.inputs())[:: 12 if reader.name == "launch" else 1]:
        reader.read(tmp_path, one)


def test_damage_is_the_same_each_time() -> None:
    reader = READERS[0]
    sound = tuple(reader.inputs())
    first, again, other = (worker.damaged_input(sound, reader, number) for number in (7, 7, 8))
    assert first == again
    assert first.content != other.content
    assert first.content != sound[7 % len(sound)].content


def _raises(folder: Path, one: Input) -> None:
    raise ValueError(f"of {one.name}")


def _refuses(folder: Path, one: Input) -> None:
    raise MachmeterError("no")


@pytest.mark.parametrize(("read", "failed"), [(_raises, True), (_refuses, False)])
def test_only_errors_in_words_are_no_failure(read: object, failed: bool, tmp_path: Path) -> None:
    reader = FileReader("broken", tuple, read)  # type: ignore[arg-type]
    tally = Tally("broken")
    tally.add([worker.report(reader, tmp_path, (Input("a file", b"1\n2\n"),), 3)])
    assert bool(tally.failures) is failed
    if failed:
        assert "broken 3, a file" in tally.told
        assert "ValueError: of a file" in tally.told
        assert "tests.support.fuzzing.worker broken 3" in tally.told
