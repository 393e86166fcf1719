"""A kept result is the computed one, and counts only while its files are as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.results.run import RunResult, RunState
from machmeter.run.results.result import collect
from machmeter.store import result_cache
from machmeter.store.result_cache import known_result
from machmeter.store.run_folder import RunFolder


class Computing:
    """Counts how often a result is computed."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, folder: RunFolder) -> RunResult:
        self.times += 1
        return collect(folder)


@pytest.fixture
def computing() -> Computing:
    return Computing()


def test_a_result_is_computed_once_and_read_as_it_was(
    one_run: RunFolder, tmp_path: Path, computing: Computing
) -> None:
    first = known_result(one_run, tmp_path, computing)
    again = known_result(one_run, tmp_path, computing)
    assert computing.times == 1
    assert first == again == collect(one_run)


@pytest.mark.parametrize("name", ["run.json", "plan.json", "state.json", "launches/00001.jsonl"])
def test_a_changed_file_of_the_run_makes_it_computed_again(
    one_run: RunFolder, tmp_path: Path, computing: Computing, name: str
) -> None:
    known_result(one_run, tmp_path, computing)
    file = one_run.path / name
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    known_result(one_run, tmp_path, computing)
    assert computing.times == 2


def test_a_page_beside_the_records_changes_nothing(
    one_run: RunFolder, tmp_path: Path, computing: Computing
) -> None:
    known_result(one_run, tmp_path, computing)
    (one_run.path / "report.html").write_text("page")
    known_result(one_run, tmp_path, computing)
    assert computing.times == 1


def test_changed_code_makes_it_computed_again(
    one_run: RunFolder, tmp_path: Path, computing: Computing, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_result(one_run, tmp_path, computing)
    monkeypatch.setattr(result_cache, "_code_stamp", lambda: "newer")
    known_result(one_run, tmp_path, computing)
    assert computing.times == 2


@pytest.mark.parametrize("damage", [b"", b"not a result", None])
def test_a_damaged_kept_result_is_computed_again(
    one_run: RunFolder, tmp_path: Path, computing: Computing, damage: bytes | None
) -> None:
    whole = known_result(one_run, tmp_path, computing)
    (kept,) = (tmp_path / "results").iterdir()
    content = kept.read_bytes()
    kept.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert known_result(one_run, tmp_path, computing) == whole
    assert computing.times == 2


def test_a_run_that_goes_on_is_never_kept(one_run: RunFolder, tmp_path: Path) -> None:
    def unfinished(folder: RunFolder) -> RunResult:
        return replace(collect(folder), state=RunState.RUNNING)

    known_result(one_run, tmp_path, unfinished)
    assert not (tmp_path / "results").exists()


def test_a_cache_that_cannot_be_written_is_no_error(
    one_run: RunFolder, tmp_path: Path, computing: Computing
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert known_result(one_run, blocked, computing) == collect(one_run)


def test_only_so_many_are_kept(
    one_run: RunFolder, tmp_path: Path, computing: Computing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_cache, "_MOST_KEPT", 2)
    (tmp_path / "results").mkdir()
    for number in range(3):
        old = tmp_path / "results" / f"old{number}.msgpack"
        old.write_bytes(b"")
        os.utime(old, (number, number))
    known_result(one_run, tmp_path, computing)
    assert len(list((tmp_path / "results").iterdir())) == 2
