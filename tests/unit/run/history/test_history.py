"""Results over all runs, from the index and the runs' files."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.errors import UsageError
from machmeter.model.results.history import (
    ChangeKind,
    EnvironmentDifference,
    History,
    ResultHistory,
)
from machmeter.run.history.environments import environment_facts, with_differences
from machmeter.run.history.history import HistoryOptions, read_history, since_text, with_changes
from machmeter.run.history.indexing import index_of
from machmeter.text.history import names_of
from tests.support.made_up.ab_runs import measured, two_sided
from tests.support.made_up.nightly_runs import (
    TOOLCHAIN,
    a_figure,
    add_night,
    latency_point,
    night_id,
    nightly,
    stream_point,
)
from tests.support.synthetic.machine import make_machine
from tests.support.synthetic.run import make_run

EVERYTHING = HistoryOptions()
Starts = Callable[[Sequence[Sequence[float]], int, float], Sequence[Sequence[int]]]


def read(data: Path, wanted: HistoryOptions = EVERYTHING) -> History:
    return read_history(index_of(data), wanted, data)


def sizes(history: History) -> list[str]:
    return [result.point.partition("size=")[2].partition(",")[0] for result in history.results]


def at(*positions: int) -> Starts:
    def find(
        series: Sequence[Sequence[float]], window: int, p_value: float
    ) -> Sequence[Sequence[int]]:
        return [positions] * len(series)

    return find


def test_a_figure_has_its_values_in_the_order_of_the_runs(tmp_path: Path) -> None:
    nightly(tmp_path, 3, {8: lambda night: 1e-6 * (1 + night)}, spread=0.0)
    (result,) = read(tmp_path).results
    assert [one.run for one in result.values] == [night_id(night) for night in range(3)]
    assert [round(1e6 * one.value) for one in result.values] == [1, 2, 3]
    assert all(one.low < one.value < one.high for one in result.values)
    assert (result.benchmark, result.metric, result.title) == (
        "network.latency",
        "latency",
        "Latency, one way",
    )


def test_results_of_two_mpi_libraries_are_two_histories(tmp_path: Path) -> None:
    """What Open MPI measures is no change of what MPICH does."""
    draw = random.Random(2)
    for night in range(14):
        library, seconds = ("MPICH 5.0.2", 1e-6) if night < 7 else ("Open MPI v4.1.4", 2e-6)
        latency = a_figure(latency_point(8), "latency", seconds * draw.gauss(1, 0.01), draw)
        stream = a_figure(stream_point(), "stream_bandwidth", 1e10 * draw.gauss(1, 0.01), draw)
        add_night(tmp_path, night, [replace(latency, mpi_library=library), stream])
    found = read(tmp_path).results
    assert [(one.mpi_library, len(one.values)) for one in found] == [
        ("", 14),
        ("MPICH 5.0.2", 7),
        ("Open MPI v4.1.4", 7),
    ]
    assert len(set(names_of(found))) == 3


def test_numbers_in_points_are_ordered_as_numbers(tmp_path: Path) -> None:
    nightly(tmp_path, 1, dict.fromkeys((1024, 8, 128), lambda _: 1e-6))
    assert sizes(read(tmp_path)) == ["8", "128", "1024"]


def test_machines_are_told_apart_by_name_and_processor(tmp_path: Path) -> None:
    draw = random.Random(1)
    result = a_figure(latency_point(8), "latency", 1e-6, draw)
    add_night(tmp_path, 0, [result], make_machine("a"))
    add_night(tmp_path, 1, [result], make_machine("a", model="Xeon 2"))
    add_night(tmp_path, 2, [result], replace(make_machine("b"), name="a"))
    add_night(tmp_path, 3, [result], make_machine("c"))
    history = read(tmp_path)
    told = [(machine.name, machine.hosts, machine.runs) for machine in history.machines]
    assert told == [("a", ("a", "b"), 2), ("a", ("a",), 1), ("c", ("c",), 1)]
    assert [len(result.values) for result in history.results] == [2, 1, 1]
    only = read(tmp_path, HistoryOptions(machine="b"))
    assert [len(result.values) for result in only.results] == [1]


def test_what_is_wanted_is_all_that_is_read(tmp_path: Path) -> None:
    draw = random.Random(1)
    for night in range(3):
        latencies = [a_figure(latency_point(s), "latency", 1e-6, draw) for s in (8, 16)]
        stream = a_figure(stream_point(), "stream_bandwidth", 1e10, draw)
        add_night(tmp_path, night, [*latencies, stream])
    assert len(read(tmp_path).results) == 3
    assert len(read(tmp_path, HistoryOptions(benchmark="memory.stream")).results) == 1
    assert sizes(read(tmp_path, HistoryOptions(benchmark="network"))) == ["8", "16"]
    assert sizes(read(tmp_path, HistoryOptions(point="size=16"))) == ["16"]
    assert len(read(tmp_path, HistoryOptions(metric="stream_bandwidth")).results) == 1
    late = read(tmp_path, HistoryOptions(since=since_text("2026-09-02")))
    assert [len(result.values) for result in late.results] == [2, 2, 2]


@pytest.mark.parametrize(
    "wanted", [HistoryOptions(benchmark="network.late"), HistoryOptions(machine="elsewhere")]
)
def test_what_nobody_measured_is_wrong_usage(tmp_path: Path, wanted: HistoryOptions) -> None:
    nightly(tmp_path, 1, {8: lambda _: 1e-6})
    with pytest.raises(UsageError):
        read(tmp_path, wanted)


def test_an_empty_store_has_no_history(tmp_path: Path) -> None:
    history = with_changes(read(tmp_path), 0.03, 2, at())
    assert (history.machines, history.results, history.regressions) == ((), (), 0)


def test_overheads_too_small_to_tell_are_counted_and_left_out(tmp_path: Path) -> None:
    draw = random.Random(1)
    good = a_figure(latency_point(8), "latency", 1e-6, draw)
    for night, result in enumerate([good, replace(good, value=0.0, low=0.0), replace(good, low=0)]):
        add_night(tmp_path, night, [result])
    (result_history,) = read(tmp_path).results
    assert len(result_history.values) == 1
    assert result_history.without_value == 2


def test_figures_of_another_version_are_counted_and_left_out(tmp_path: Path) -> None:
    good = a_figure(latency_point(8), "latency", 1e-6, random.Random(1))
    other = replace(good, metric="jitter")
    in_bytes = replace(good, unit=replace(good.unit, name="bytes"))
    add_night(tmp_path, 0, [good, other])
    add_night(tmp_path, 1, [in_bytes])
    history = read(tmp_path)
    assert [result.metric for result in history.results] == ["latency"]
    assert history.unknown == 2


def test_runs_that_the_index_lacks_are_counted(tmp_path: Path) -> None:
    nightly(tmp_path, 2, {8: lambda _: 1e-6})
    (tmp_path / "index.sqlite").unlink()
    assert read(tmp_path).unindexed == 2


def test_too_few_runs_are_not_looked_at_and_say_how_many_they_need(tmp_path: Path) -> None:
    def never(
        series: Sequence[Sequence[float]], window: int, p_value: float
    ) -> Sequence[Sequence[int]]:
        raise AssertionError("there is nothing to look at")

    nightly(tmp_path, 7, {8: lambda _: 1e-6})
    (result,) = with_changes(read(tmp_path), 0.03, 2, never).results
    assert result.runs_needed == 1
    assert result.changes == ()


def test_all_figures_are_looked_at_together(tmp_path: Path) -> None:
    asked: list[tuple[int, float]] = []

    def note(
        series: Sequence[Sequence[float]], window: int, p_value: float
    ) -> Sequence[Sequence[int]]:
        asked.append((len(series), p_value))
        return [()] * len(series)

    nightly(tmp_path, 8, dict.fromkeys((8, 16, 32, 64), lambda _: 1e-6))
    history = with_changes(read(tmp_path), 0.03, 2, note)
    assert asked == [(4, pytest.approx(1e-4 / 4))]
    assert all(result.finds >= 0.03 for result in history.results)


def stepped(data: Path, nights: int = 14) -> ResultHistory:
    old = make_machine("node17")
    new = replace(old, software=replace(old.software, kernel="6.2.0"))
    nightly(
        data,
        nights,
        {8: lambda night: 1e-6 if night < 10 else 1.1e-6},
        machine=lambda night: old if night < 10 else new,
        toolchain=lambda night: replace(TOOLCHAIN, mpi_library=f"MPICH 5.0.{1 + (night >= 10)}"),
    )
    changed = with_changes(read(data), 0.03, 2, at(10))
    assert changed.regressions == 1
    folders = {run.id: Path(run.folder) for run in index_of(data).runs()}
    (result,) = with_differences(changed, folders).results
    return result


def test_a_change_says_what_else_changed(tmp_path: Path) -> None:
    (change,) = stepped(tmp_path).changes
    assert change.kind is ChangeKind.WORSE
    assert (change.last_run, change.first_run) == (night_id(9), night_id(10))
    assert change.differences == (
        EnvironmentDifference("kernel", "6.1.0-28-amd64", "6.2.0"),
        EnvironmentDifference("MPI library", "MPICH 5.0.1", "MPICH 5.0.2"),
    )


def test_what_the_old_side_of_a_run_was_built_with_is_no_fact_of_it(tmp_path: Path) -> None:
    folder = measured(two_sided(tmp_path / "two"))
    header = folder.record(next(iter(folder.launch_numbers()))).header
    assert header is not None
    facts = environment_facts(folder)
    assert facts["compiler flags"] != "-O1"
    assert "-O1" not in facts["compiler flags"].split()


def test_runs_with_flags_of_their_own_are_a_history_of_their_own(tmp_path: Path) -> None:
    nightly(tmp_path, 3, {8: lambda _: 1e-6})
    run = make_run()
    header = replace(
        run.header,
        id="trial",
        request=replace(run.header.request, flags=("-O0",)),
        machine=make_machine("node17", 2),
    )
    result = a_figure(latency_point(8), "latency", 9e-6, random.Random(1))
    trial = replace(run, header=header, estimates=(result,), outcomes=())
    index_of(tmp_path).add(trial, tmp_path / "trial", ())
    history = read(tmp_path)
    assert {machine.name for machine in history.machines} == {"node17", "node17 --flags=-O0"}
    by_machine = {history.machines[f.machine].name: len(f.values) for f in history.results}
    assert by_machine == {"node17": 3, "node17 --flags=-O0": 1}
    assert len(read(tmp_path, HistoryOptions(machine="node17")).results) == 2
    assert len(read(tmp_path, HistoryOptions(machine="node17 --flags=-O0")).results) == 1


def test_files_that_are_gone_are_told_of(tmp_path: Path) -> None:
    stepped(tmp_path)
    folders = {run.id: Path(run.folder) for run in index_of(tmp_path).runs()}
    (folders[night_id(9)] / "run.json").unlink()
    changed = with_changes(read(tmp_path), 0.03, 2, at(10))
    (result,) = with_differences(changed, folders).results
    assert result.changes[0].differences == ()
    assert night_id(9) in result.changes[0].unreadable
    (unknown,) = with_differences(changed, {}).results
    assert night_id(9) in unknown.changes[0].unreadable


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", ""),
        ("2026-11-20", "2026-11-20T00:00:00+00:00"),
        ("2026-11-20T03:00+02:00", "2026-11-20T01:00:00+00:00"),
    ],
)
def test_since_is_a_time_in_utc(text: str, meant: str) -> None:
    assert since_text(text) == meant


def test_what_is_no_date_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no date"):
        since_text("yesterday")
    with pytest.raises(UsageError, match="no date"):
        since_text("0001-01-01T00:00+14:00")
