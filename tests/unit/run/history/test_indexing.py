"""Runs that are taken into the index: which, when, and what is told of those that are not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.errors import MachmeterError
from machmeter.model.results.run import RunState
from machmeter.run.history.indexing import add_to_index, index_of, list_runs, result_of, take_in
from machmeter.run.measuring.lock import lock_path, machine_to_ourselves
from machmeter.store.index import INDEX_FORMAT, UnfitRunError
from machmeter.store.left_out import leave_out, not_left_out
from tests.unit.store.test_index import a_run, indexed, no_problem


def nothing(_: str) -> None:
    """What is said is of no interest."""


def taken_in(data: Path) -> tuple[int, list[str], list[str]]:
    """How many runs were taken in, the problems that were told of, and what was said."""
    told: list[MachmeterError] = []
    said: list[str] = []
    count = take_in(data, data, told.append, said.append)
    return count, [error.message for error in told], said


def broken(data: Path, name: str) -> Path:
    """A finished run with a launch that cannot be read; the file that is broken."""
    file = a_run(data, name).path / "launches" / "00001.launch.json"
    file.write_text("{")
    return file


def test_a_run_whose_line_is_older_than_its_end_is_taken_in(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    state = folder.state()
    folder.write_state(replace(state, state=RunState.INTERRUPTED))
    assert [run.state for run in indexed(tmp_path, folder).runs()] == [RunState.INTERRUPTED]
    folder.write_state(state)
    assert take_in(tmp_path, tmp_path, no_problem, nothing) == 1
    assert [run.state for run in index_of(tmp_path).runs()] == [RunState.FINISHED]
    assert take_in(tmp_path, tmp_path, no_problem, nothing) == 0


def test_an_index_of_an_older_machmeter_is_made_again(tmp_path: Path) -> None:
    index = indexed(tmp_path, a_run(tmp_path, "run-a"))
    with closing(sqlite3.connect(index.path)) as database, database:
        database.execute("DROP TABLE estimate")
        database.execute(f"PRAGMA user_version = {INDEX_FORMAT - 1}")
    taken_in(tmp_path)
    (run,) = index.runs()
    assert len(index.estimates(run.id)) == run.estimates > 0


def test_a_damaged_index_is_told_of_once(tmp_path: Path) -> None:
    index = indexed(tmp_path, a_run(tmp_path, "run-a"))
    index.path.write_bytes(b"not a database" * 500)
    assert taken_in(tmp_path) == (0, [], [])
    told: list[MachmeterError] = []
    assert len(list_runs(tmp_path, tmp_path, told.append, print)) == 1
    assert ["store rebuild" in error.remedy for error in told] == [True]


def test_a_run_that_cannot_be_read_is_tried_again_when_it_changed(tmp_path: Path) -> None:
    a_run(tmp_path, "run-a")
    file = broken(tmp_path, "run-b")
    count, told, said = taken_in(tmp_path)
    assert (count, len(told), len(said)) == (1, 1, 1)
    assert str(file) in told[0]
    assert taken_in(tmp_path) == (0, [], [])
    os.utime(file)
    count, told, said = taken_in(tmp_path)
    assert (count, len(told), len(said)) == (0, 1, 1)


@pytest.mark.parametrize("spoil", [Path.unlink, lambda file: file.write_text("[1")])
def test_what_was_left_out_may_be_forgotten(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    folder = a_run(tmp_path, "run-a")
    leave_out(tmp_path, folder)
    assert not_left_out(tmp_path, [folder]) == []
    spoil(tmp_path / "left-out.json")
    assert not_left_out(tmp_path, [folder]) == [folder]


def test_an_index_that_cannot_be_written_is_told_of_before_runs_are_read(tmp_path: Path) -> None:
    for name in ("run-a", "run-b"):
        broken(tmp_path, name)
    (tmp_path / "index.lock").mkdir()
    count, told, said = taken_in(tmp_path)
    assert (count, said) == (0, [])
    assert len(told) == 1
    assert "index.lock" in told[0]


def test_runs_wait_while_this_machine_measures(tmp_path: Path) -> None:
    a_run(tmp_path, "run-a")
    with machine_to_ourselves(tmp_path, "run-b"):
        assert taken_in(tmp_path) == (
            0,
            [],
            ["a run waits to be taken into the index until run run-b has ended"],
        )
    lock_path(tmp_path).unlink()
    assert taken_in(tmp_path)[0] == 1


def test_a_run_that_does_not_go_in_says_that_its_files_are_why(tmp_path: Path) -> None:
    good = a_run(tmp_path, "run-a")
    twice = a_run(tmp_path, "run-b")
    plan = twice.plan()
    assert plan is not None
    twice.write_plan(replace(plan, specs=(*plan.specs, *plan.specs)))
    index = indexed(tmp_path, good)
    with pytest.raises(UnfitRunError, match="run-b"):
        add_to_index(index, twice, result_of(twice, tmp_path))
    assert [run.id for run in index.runs()] == ["run-a"]
    large = result_of(good, tmp_path)
    spec = replace(large.estimates[0], launches=2**70)
    with pytest.raises(UnfitRunError, match="run-a"):
        add_to_index(index, good, replace(large, estimates=(spec,)))
    assert len(index.estimates("run-a")) == len(large.estimates)
