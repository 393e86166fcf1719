"""A kept result is the computed one, and counts only while its files are as they were."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.results.run import RunResult, RunState
from machmeter.run.results.result import collect
from machmeter.store import result_cache
from machmeter.store.result_cache import _code_stamp, known_result
from machmeter.store.run_folder import RunFolder

RUN_ID = b"a-run"
NO_TEXT = b"\xff\xfe\xff\xfe\xff"


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
    monkeypatch.setattr(result_cache, "_CODE", b"newer")
    known_result(one_run, tmp_path, computing)
    assert computing.times == 2


def test_any_change_of_a_file_is_another_code(tmp_path: Path) -> None:
    first, second = tmp_path / "one.py", tmp_path / "below" / "two.py"
    second.parent.mkdir()
    for file in (first, second):
        file.write_text("x = 1")
    stamps = [_code_stamp(tmp_path)]
    os.utime(first, (1, 1))
    stamps.append(_code_stamp(tmp_path))
    second.unlink()
    stamps.append(_code_stamp(tmp_path))
    assert len(set(stamps)) == 3


def test_the_code_that_is_running_is_known_before_a_run_begins() -> None:
    program = (
        "import sys, machmeter.api.measuring; print('machmeter.store.result_cache' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"True\n"


def test_a_run_whose_files_cannot_be_read_is_left_to_what_computes_it(
    one_run: RunFolder, tmp_path: Path, computing: Computing
) -> None:
    record = one_run.path / "launches" / "00001.jsonl"
    record.unlink()
    record.symlink_to("nowhere")
    assert known_result(one_run, tmp_path, computing) == collect(one_run)
    known_result(one_run, tmp_path, computing)
    assert computing.times == 2


def test_a_result_larger_than_what_is_read_is_not_kept(
    one_run: RunFolder, tmp_path: Path, computing: Computing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_cache, "LARGEST_JSON", 100)
    known_result(one_run, tmp_path, computing)
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("damage", [b"", b"not a result", None, NO_TEXT])
def test_a_damaged_kept_result_is_computed_again(
    one_run: RunFolder, tmp_path: Path, computing: Computing, damage: bytes | None
) -> None:
    whole = known_result(one_run, tmp_path, computing)
    (kept,) = (tmp_path / "results").iterdir()
    content = kept.read_bytes()
    if damage == NO_TEXT:
        damage = content.replace(RUN_ID, damage)
        assert damage != content
    kept.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert known_result(one_run, tmp_path, computing) == whole
    assert computing.times == 2


@pytest.mark.parametrize("state", RunState)
def test_what_a_run_came_to_is_kept_once_it_has_ended(
    one_run: RunFolder, tmp_path: Path, state: RunState
) -> None:
    known_result(one_run, tmp_path, lambda folder: replace(collect(folder), state=state))
    assert (tmp_path / "results").exists() == (state is not RunState.RUNNING)


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


def test_links_in_the_cache_are_not_followed(
    one_run: RunFolder, tmp_path: Path, computing: Computing
) -> None:
    known_result(one_run, tmp_path, computing)
    (kept,) = (tmp_path / "results").iterdir()
    moved = kept.replace(tmp_path / "moved")
    kept.symlink_to(moved)
    before = moved.read_bytes()
    assert known_result(one_run, tmp_path, computing) == collect(one_run)
    assert computing.times == 2
    assert moved.read_bytes() == before
    assert not kept.is_symlink()
