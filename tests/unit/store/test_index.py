"""The index: the same whether it grew run by run or was made again; never in the way."""

from __future__ import annotations

import random
import resource
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.errors import MachineLacksError, MachmeterError
from machmeter.model.plan.launch import Record
from machmeter.model.results.run import RunResult, RunState
from machmeter.run.history.indexing import (
    add_to_index,
    index_of,
    list_runs,
    rebuild,
    result_of,
    take_in,
)
from machmeter.store.files import write_json
from machmeter.store.index import Index
from machmeter.store.remembered_runs import remember_folders, run_folders, runs_home
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import FakeLauncher, new_folder, run_to_end
from tests.support.made_up.ab_runs import ASKED, measured, two_sided


def a_run(data: Path, name: str, folder: Path | None = None) -> RunFolder:
    path = folder or runs_home(data) / name
    made = new_folder(path)
    header = made.header()
    renamed = type(header)(
        name, header.started, "1", header.command, header.request, header.machine, 7
    )
    write_json(path / "run.json", renamed)
    return run_to_end(made, FakeLauncher())


def indexed(data: Path, *folders: RunFolder) -> Index:
    index = index_of(data)
    for folder in folders:
        add_to_index(index, folder, result_of(folder, data))
    return index


def content(index: Index) -> list[list[tuple[object, ...]]]:
    with closing(sqlite3.connect(index.path)) as database:
        return [
            database.execute(query).fetchall()
            for query in (
                "SELECT * FROM run ORDER BY id",
                "SELECT * FROM estimate ORDER BY run, point, metric",
                "SELECT * FROM launch ORDER BY run, number",
            )
        ]


def new_result(data: Path) -> tuple[RunResult, Path, tuple[tuple[int, Record], ...]]:
    """What is put into an index of `run-a`, without its records."""
    path = runs_home(data) / "run-a"
    folder = RunFolder.open(path) if path.exists() else a_run(data, "run-a")
    return result_of(folder, data), folder.path, ()


def no_problem(error: MachmeterError) -> None:
    raise error


def test_a_rebuilt_index_equals_the_one_that_grew(tmp_path: Path) -> None:
    elsewhere = a_run(tmp_path, "run-b", tmp_path / "else where" / "ü")
    remember_folders(tmp_path, [elsewhere.path])
    first = a_run(tmp_path, "run-a")
    index = indexed(tmp_path, first, elsewhere, first)
    grown = content(index)
    index.path.write_bytes(b"rubbish" * 1000)
    assert rebuild(tmp_path, tmp_path, no_problem) == 2
    assert content(index) == grown
    assert all(len(table) > 1 for table in grown)
    assert [path.name for path in tmp_path.glob("index*")] != []
    assert not list(tmp_path.glob("*.partial"))


def test_summaries_say_what_the_run_says(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    result = result_of(folder, tmp_path)
    index = indexed(tmp_path, folder)
    (run,) = index.runs()
    assert (run.id, run.state, run.machine) == ("run-a", RunState.FINISHED, "made-up")
    assert (run.accepted, run.rejected) == (len(result.outcomes), 0)
    assert (run.estimates, run.reached) == (
        len(result.estimates),
        sum(e.reached for e in result.estimates),
    )
    by_key = {(e.point.key, e.metric): e for e in result.estimates}
    summaries = index.estimates("run-a")
    assert len(summaries) == len(by_key)
    for one in summaries:
        estimate = by_key[one.point, one.metric]
        assert (one.value, one.low, one.high) == (estimate.value, estimate.low, estimate.high)
        assert one.unit == estimate.unit.name


def test_raw_samples_come_back_as_recorded(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    index = indexed(tmp_path, folder)
    for number in folder.launch_numbers():
        assert index.points("run-a", number) == folder.record(number).points
    assert index.points("run-a", 10_000) == ()


def test_the_history_of_a_figure_goes_over_runs(tmp_path: Path) -> None:
    folders = [a_run(tmp_path, name) for name in ("run-a", "run-b")]
    index = indexed(tmp_path, *folders)
    estimate = result_of(folders[0], tmp_path).estimates[0]
    history = index.history(estimate.point.key, estimate.metric)
    assert [one.run for one in history] == ["run-a", "run-b"]


def test_an_index_that_is_not_there_is_empty(tmp_path: Path) -> None:
    index = index_of(tmp_path)
    assert index.runs() == ()
    assert not index.path.exists()
    assert list_runs(tmp_path, tmp_path, no_problem, print) == ()


@pytest.mark.parametrize(
    "rubbish", [b"", b"not a database" * 500, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_damaged_index_names_its_remedy_and_hides_no_run(tmp_path: Path, rubbish: bytes) -> None:
    folder = a_run(tmp_path, "run-a")
    index = indexed(tmp_path, folder)
    index.path.write_bytes(rubbish)
    with pytest.raises(MachmeterError) as caught:
        index.runs()
    assert "machmeter store rebuild" in caught.value.remedy
    told: list[MachmeterError] = []
    (run,) = list_runs(tmp_path, tmp_path, told.append, print)
    assert run.id == "run-a"
    assert run.accepted == len(folder.launch_numbers())
    assert len(told) == 1


def damaged(content: bytes, chance: random.Random) -> bytes:
    """`content` cut off, with bytes of its head or anywhere changed, or with a part zeroed."""
    changed = bytearray(content)
    match chance.randrange(4):
        case 0:
            del changed[chance.randrange(len(changed)) :]
        case 1:
            begin = chance.randrange(len(changed))
            end = min(begin + chance.randrange(1, 5000), len(changed))
            changed[begin:end] = bytes(end - begin)
        case kind:
            most = 8192 if kind == 2 else len(changed)
            for _ in range(chance.choice((1, 4, 32))):
                changed[chance.randrange(most)] = chance.randrange(256)
    return bytes(changed)


def test_whatever_damages_an_index_is_told_in_words(tmp_path: Path) -> None:
    good = indexed(tmp_path, a_run(tmp_path, "run-a"))
    whole, figure = good.path.read_bytes(), good.estimates("run-a")[0]
    index, chance, told = Index(tmp_path / "damaged.sqlite"), random.Random(13), 0
    for _ in range(500):
        index.path.write_bytes(damaged(whole, chance))
        for query in (
            index.runs,
            index.benchmarks,
            partial(index.estimates, "run-a"),
            partial(index.history, figure.point, figure.metric),
            partial(index.results, figure.point.partition(" ")[0]),
            partial(index.points, "run-a", 1),
        ):
            try:
                query()
            except MachmeterError as error:
                told += 1
                assert "store rebuild" in error.remedy
    assert told > 500


def test_a_point_that_is_no_text_does_not_keep_a_query_busy(tmp_path: Path) -> None:
    index = indexed(tmp_path, a_run(tmp_path, "run-a"))
    with closing(sqlite3.connect(index.path)) as database, database:
        database.execute("UPDATE estimate SET point = CAST(point AS BLOB)")
    with pytest.raises(MachmeterError, match="is no point"):
        index.benchmarks()


def test_an_index_is_made_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(tmp_path / "index.sqlite")
    monkeypatch.setattr("machmeter.store.index._SCHEMA", "CREATE TABLE run (id); rubbish;")
    with pytest.raises(MachmeterError):
        index.add(*new_result(tmp_path))
    monkeypatch.undo()
    index.add(*new_result(tmp_path))
    assert [run.id for run in index.runs()] == ["run-a"]


def test_an_index_of_another_version_is_not_touched(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    index = indexed(tmp_path, folder)
    with closing(sqlite3.connect(index.path)) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(MachmeterError, match="its format is 99"):
        add_to_index(index, folder, result_of(folder, tmp_path))


def test_a_run_of_two_sides_and_its_flags_are_in_its_line(tmp_path: Path) -> None:
    flagged = replace(ASKED, flags=("-O2", "-g"))
    folder = measured(two_sided(runs_home(tmp_path) / "two", flagged))
    (run,) = indexed(tmp_path, folder).runs()
    assert (run.flags, run.against) == ("-O2 -g", "an-old-run")


def test_the_index_uses_no_write_ahead_log(tmp_path: Path) -> None:
    index = indexed(tmp_path, a_run(tmp_path, "run-a"))
    with closing(sqlite3.connect(index.path)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_run_that_cannot_be_read_is_told_of_and_left_out(tmp_path: Path) -> None:
    a_run(tmp_path, "run-a")
    broken = a_run(tmp_path, "run-b")
    (broken.path / "plan.json").write_text("{")
    told: list[MachmeterError] = []
    assert rebuild(tmp_path, tmp_path, told.append) == 1
    assert "plan.json" in told[0].message


def test_a_run_that_is_gone_is_neither_listed_nor_rebuilt(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    index = indexed(tmp_path, folder)
    folder.path.rename(tmp_path / "moved away")
    assert list_runs(tmp_path, tmp_path, no_problem, print) == ()
    assert rebuild(tmp_path, tmp_path, no_problem) == 0
    assert index.runs() == ()


def test_folders_elsewhere_are_remembered_once_and_may_be_gone(tmp_path: Path) -> None:
    here = a_run(tmp_path, "run-a")
    there = a_run(tmp_path, "run-b", tmp_path / "else where")
    remember_folders(tmp_path, [there.path, here.path])
    remember_folders(tmp_path, [there.path, tmp_path / "gone"])
    assert (tmp_path / "folders.txt").read_text().splitlines() == [
        str(there.path),
        str(tmp_path / "gone"),
    ]
    assert {folder.path for folder in run_folders(tmp_path)} == {here.path, there.path}


def test_a_folder_name_with_a_line_break_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachmeterError, match="line break"):
        remember_folders(tmp_path, [tmp_path / "two\nlines"])


def test_a_run_whose_figures_contradict_each_other_does_not_stop_the_others(
    tmp_path: Path,
) -> None:
    a_run(tmp_path, "run-a")
    twice = a_run(tmp_path, "run-b")
    plan = twice.plan()
    assert plan is not None
    twice.write_plan(replace(plan, specs=(*plan.specs, *plan.specs)))
    a_run(tmp_path, "run-c")
    told: list[MachmeterError] = []
    assert rebuild(tmp_path, tmp_path, told.append) == 2
    assert [run.id for run in index_of(tmp_path).runs()] == ["run-a", "run-c"]
    assert "run-b" in told[0].message


def test_a_full_disk_is_what_the_machine_lacks(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as full:
            database.execute("CREATE TABLE big (x)")
    told = index_of(tmp_path)._unwritable(full.value)
    assert isinstance(told, MachineLacksError)
    assert "disk is full" in told.message


def test_an_index_that_may_not_grow_is_what_the_machine_lacks(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    result = result_of(folder, tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    try:
        with pytest.raises(MachineLacksError, match="cannot be opened or written"):
            add_to_index(index_of(tmp_path), folder, result)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_one_folder_that_cannot_be_looked_into_hides_no_other(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    (tmp_path / "folders.txt").write_text(f"/{'x' * 300}\n{folder.path}\n")
    assert [known.path for known in run_folders(tmp_path)] == [folder.path]


def test_runs_of_a_copied_data_folder_are_taken_in_where_they_are(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    indexed(old, *(a_run(old, name) for name in ("run-a", "run-b")))
    shutil.copytree(old, new)
    a_run(new, "run-c")
    said: list[str] = []
    assert take_in(new, tmp_path, no_problem, said.append) == 3
    assert said == ["taking 3 runs into the index that it lacks"]
    assert {Path(run.folder).parent for run in index_of(new).runs()} == {runs_home(new)}
    assert {Path(run.folder).parent for run in index_of(old).runs()} == {runs_home(old)}
    assert take_in(new, tmp_path, no_problem, said.append) == 0
    assert len(said) == 1


def test_a_run_that_lies_there_twice_is_taken_in_once(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    shutil.copytree(folder.path, folder.path.with_name("again"))
    assert take_in(tmp_path, tmp_path, no_problem, lambda _: None) == 1
    assert take_in(tmp_path, tmp_path, no_problem, lambda _: None) == 0
    assert len(index_of(tmp_path).runs()) == 1


def test_a_link_to_itself_among_the_runs_hides_no_run(tmp_path: Path) -> None:
    folder = a_run(tmp_path, "run-a")
    loop = runs_home(tmp_path) / "loop"
    loop.symlink_to(loop)
    remember_folders(tmp_path, [tmp_path / "elsewhere"])
    (tmp_path / "elsewhere").symlink_to(tmp_path / "elsewhere")
    assert [found.path for found in run_folders(tmp_path)] == [folder.path.resolve()]
