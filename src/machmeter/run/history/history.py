"""Results over all runs of a machine, from the index, and where they changed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.history.levels import (
    WINDOW,
    find_changes,
    on_scale,
    rules_for,
    smallest_found,
)
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.explore import EXPLORED
from machmeter.model.benchmark import Metric
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.results.history import (
    History,
    HistoryMachine,
    HistoryRules,
    HistoryValue,
    ResultHistory,
)
from machmeter.model.results.run import RunState
from machmeter.model.units import SHARE
from machmeter.store.index import Index
from machmeter.store.index_rows import IndexedResult, RunSummary, path_text
from machmeter.store.remembered_runs import run_folders
from machmeter.store.run_folder import RunFolder

Find = Callable[[Sequence[Sequence[float]], int, float], Sequence[Sequence[int]]]
"""Series, window and p value to the positions at which new levels begin, of each series."""

# Python converts no more than some thousand digits.
_NUMBERS = re.compile(r"(\d{1,18})")
_METRICS = {(b.name, m.name): m for b in (*BENCHMARKS, *EXPLORED) for m in b.metrics}


class HistoryOptions(Struct, frozen=True):
    """Which results; what is empty takes all."""

    benchmark: str = ""
    """A name or a group."""
    machine: str = ""
    """A name or a host."""
    metric: str = ""
    """Name of the metric."""
    point: str = ""
    """Text that a point's key contains."""
    since: str = ""
    """Runs from then on, ISO 8601, UTC."""


def read_history(index: Index, wanted: HistoryOptions, data: Path) -> History:
    """The wanted results of every machine, run by run, before changes are looked for.

    Raises UsageError where nothing is known of what is wanted, MachmeterError for a damaged index.
    """
    finished = [run for run in index.runs() if run.state is RunState.FINISHED]
    runs = [run for run in finished if _is_wanted(run, wanted)]
    if wanted.machine and not runs:
        raise UsageError(
            f"no finished run of a machine {wanted.machine!r}"
            + f" since {wanted.since}" * bool(wanted.since),
            "`machmeter list machines` names those that were measured",
        )
    machines = _machines(runs)
    belongs = {run.id: (_identity(run), run) for run in runs}
    positions = {identity: position for position, identity in enumerate(machines)}
    results: list[ResultHistory] = []
    unknown = 0
    for name in _benchmarks(index, wanted):
        rows = [
            row
            for row in index.results(name)
            if row.run in belongs
            and wanted.point in row.point
            and wanted.metric in ("", row.metric)
        ]
        for key, of_one in _by_result(rows, belongs, positions):
            position, point, metric_name, unit, library = key
            metric = _METRICS.get((name, metric_name)) or _own_metric(
                name, metric_name, [belongs[row.run][1] for row in of_one]
            )
            if metric is None or metric.unit.name != unit:
                unknown += 1
                continue
            found = _result((position, name, point), metric, of_one, belongs)
            results.append(replace(found, mpi_library=library))
    return History(
        machines=tuple(machines.values()),
        results=tuple(sorted(results, key=_in_order)),
        rules=rules_for(1),
        regressions=0,
        suspicions=0,
        unknown=unknown,
        unindexed=_unindexed(data, finished),
    )


def with_changes(history: History, threshold: float, confirm: int, find: Find) -> History:
    """The same with its changes; `find` is called only where runs are enough, and once.

    threshold: smallest change that matters, as a share; confirm: runs that a new level needs.
    """
    least = rules_for(1, threshold, confirm).least_runs
    ready = [result for result in history.results if len(result.values) >= least]
    rules = rules_for(len(ready), threshold, confirm)
    series = [on_scale([v.value for v in one.values], one.unit) for one in ready]
    starts = find(series, WINDOW, rules.p_value) if ready else ()
    judged = {
        _name(result): _judged(result, begins, rules)
        for result, begins in zip(ready, starts, strict=True)
    }
    results = tuple(
        judged.get(_name(result)) or replace(result, runs_needed=least - len(result.values))
        for result in history.results
    )
    return replace(
        history,
        results=results,
        rules=rules,
        regressions=sum(result.regressed for result in results),
        suspicions=sum(result.suspected for result in results),
    )


def since_text(text: str) -> str:
    """A date or time as a person writes it, as ISO 8601 in UTC (empty stays so).

    Raises UsageError for what is neither.
    """
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"--since {text!r} is no date", "write 2026-11-20 or 2026-11-20T03:00"
        ) from error


def _is_wanted(run: RunSummary, wanted: HistoryOptions) -> bool:
    named = not wanted.machine or wanted.machine in (run.machine, run.host, _identity(run)[0])
    return named and run.started >= wanted.since


def _identity(run: RunSummary) -> tuple[str, str]:
    """One machine: its name (its host name unless it was given one) on one CPU model.

    With flags of the compiler it is another one: a trial of -O0 is no regression of the machine.
    """
    flags = f" --flags={shlex.quote(run.flags)}" if run.flags else ""
    return f"{run.machine}{flags}", run.cpu_model


def _machines(runs: Iterable[RunSummary]) -> dict[tuple[str, str], HistoryMachine]:
    by_identity: dict[tuple[str, str], list[RunSummary]] = {}
    for run in runs:
        by_identity.setdefault(_identity(run), []).append(run)
    return {
        identity: HistoryMachine(
            *identity,
            hosts=tuple(dict.fromkeys(run.host for run in theirs)),
            runs=len(theirs),
            first=theirs[0].started,
            last=theirs[-1].started,
        )
        for identity, theirs in by_identity.items()
    }


def _benchmarks(index: Index, wanted: HistoryOptions) -> tuple[str, ...]:
    known = index.benchmarks()
    if not wanted.benchmark:
        return known
    found = tuple(name for name in known if wanted.benchmark in (name, name.partition(".")[0]))
    if not found:
        raise UsageError(
            f"no run has a result of {wanted.benchmark!r}",
            f"there are results of {', '.join(known)}" if known else "`machmeter run` makes some",
        )
    return found


_Belongs = Mapping[str, tuple[tuple[str, str], RunSummary]]
_ResultKey = tuple[int, str, str, str, str]


def _by_result(
    rows: Iterable[IndexedResult], belongs: _Belongs, positions: Mapping[tuple[str, str], int]
) -> Iterator[tuple[_ResultKey, list[IndexedResult]]]:
    def key(row: IndexedResult) -> _ResultKey:
        machine = positions[belongs[row.run][0]]
        return machine, row.point, row.metric, row.unit, row.mpi_library

    for found, of_one in groupby(sorted(rows, key=key), key=key):
        yield found, list(of_one)


def _own_metric(name: str, metric: str, runs: Sequence[RunSummary]) -> Metric | None:
    """A metric that no catalogue has, as the newest run declared it in whose study it is; None
    where no file of a run says so any more."""
    for run in sorted(runs, key=lambda one: one.started, reverse=True):
        try:
            own = RunFolder(Path(run.folder)).header().request.study.benchmarks
        except MachmeterError:
            continue
        return next((m for b in own if b.name == name for m in b.metrics if m.name == metric), None)
    return None


def _result(
    place: tuple[int, str, str], metric: Metric, rows: Sequence[IndexedResult], belongs: _Belongs
) -> ResultHistory:
    machine, benchmark, point = place
    values = [
        HistoryValue(
            row.run, belongs[row.run][1].started, row.value, row.low, row.high, row.launches
        )
        for row in rows
        if row.value is not None and row.low is not None and row.high is not None
        if metric.unit == SHARE or _comparable(row.value, row.low, row.launches)
    ]
    values.sort(key=lambda one: (one.started, one.run))
    return ResultHistory(
        machine=machine,
        benchmark=benchmark,
        point=point,
        metric=metric.name,
        title=metric.title,
        unit=metric.unit,
        direction=metric.direction,
        values=tuple(values),
        without_value=len(rows) - len(values),
    )


def _comparable(value: float, low: float, launches: int) -> bool:
    """Not an overhead below resolution: its value is noise, and has no log."""
    return value > 0 and (low > 0 or launches == 1)


def _judged(result: ResultHistory, starts: Sequence[int], rules: HistoryRules) -> ResultHistory:
    changes = find_changes(result.values, starts, rules, result.unit, result.direction)
    finds = smallest_found(result.values, changes, rules, result.unit)
    return replace(result, changes=changes, finds=finds)


def _in_order(result: ResultHistory) -> tuple[int, tuple[tuple[int, str], ...], str, str]:
    """By machine, then by point with its numbers as numbers: size 8 before size 128."""
    words = _NUMBERS.split(result.point)
    natural = tuple((int(word), "") if word.isdecimal() else (-1, word) for word in words)
    return result.machine, natural, result.metric, result.mpi_library


def _name(result: ResultHistory) -> tuple[int, str, str, str]:
    return result.machine, result.point, result.metric, result.mpi_library


def _unindexed(data: Path, finished: Iterable[RunSummary]) -> int:
    """Finished runs that the index lacks."""
    indexed = {run.folder: run.id for run in finished}
    names = set(indexed.values())
    count = 0
    for folder in run_folders(data):
        if path_text(folder.path) not in indexed:
            try:
                is_finished = folder.state().state is RunState.FINISHED
                count += is_finished and folder.header().id not in names
            except MachmeterError:
                continue
    return count
