"""What the index holds of a run: its lines, and how they become rows of its tables."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from machmeter.model.interval import HasInterval
from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.request_words import option_words
from machmeter.model.results.run import RunHeader, RunState
from machmeter.model.units import SHARE
from machmeter.model.written.text import shell_text

RowType = TypeVar("RowType", bound=Struct)


class RunSummary(Struct, frozen=True):
    """One run in a line."""

    id: str
    """Of the run."""
    folder: str
    """Path of its files."""
    machine: str
    """Name of the machine."""
    host: str
    """Its host name."""
    cpu_model: str
    """Of the machine."""
    started: str
    """When it began, ISO 8601."""
    state: RunState
    """How far it came."""
    request: str
    """Studies, benchmarks and groups that were requested."""
    accepted: int
    """Launches that count."""
    rejected: int
    """Launches that were rejected."""
    estimates: int
    """Results."""
    reached: int
    """Results at target precision; shares, whose precision is in points, are not counted."""
    flags: str = ""
    """Compiler flags that were requested."""
    against: str = ""
    """The run that its baseline repeats; empty where it is no A/B run."""
    options: str = ""
    """Other options that were requested, for a shell."""


class EstimateSummary(Struct, HasInterval, frozen=True):
    """One result of one run, in the base unit that `unit` names; NaN where it has no number."""

    run: str
    """ID of the run."""
    benchmark: str
    """Name of the benchmark."""
    point: str
    """Key of the point."""
    metric: str
    """Name of the metric."""
    unit: str
    """Symbol of the unit."""
    value: float
    """Its value."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    launches: int
    """Launches behind it."""
    precision: float
    """Half width of the interval, relative."""
    reached: bool
    """Whether that is the target precision."""
    mpi_library: str = ""
    """Family and version of the MPI library that it is a result of."""


class IndexedResult(Struct, frozen=True, array_like=True):
    """One result of one run, for reading very many; None where it has no number."""

    run: str
    """ID of the run."""
    point: str
    """Key of the point."""
    metric: str
    """Name of the metric."""
    unit: str
    """Symbol of the unit."""
    value: float | None
    """Its value."""
    low: float | None
    """Lower end of its 95 % interval."""
    high: float | None
    """Upper end of its 95 % interval."""
    launches: int
    """Launches behind it."""
    mpi_library: str
    """Family and version of the MPI library that it is a result of; empty where it is of none."""


def path_text(folder: Path) -> str:
    """A resolved path as text; bytes of a name that are no UTF-8 are replaced."""
    return os.fsencode(folder).decode("utf-8", errors="replace")


def summarize(
    header: RunHeader,
    folder: Path,
    state: RunState,
    outcomes: Sequence[LaunchOutcome],
    estimates: Sequence[Estimate] = (),
) -> RunSummary:
    """The line of one run, from its parts."""
    accepted = sum(outcome.verdict is Verdict.ACCEPTED for outcome in outcomes)
    return RunSummary(
        id=header.id,
        folder=path_text(folder.resolve()),
        machine=header.machine.name,
        host=header.machine.host,
        cpu_model=header.machine.cpu_model,
        started=header.started,
        state=state,
        request=" ".join(header.request.names),
        accepted=accepted,
        rejected=len(outcomes) - accepted,
        estimates=len(estimates),
        reached=sum(estimate.reached for estimate in estimates if estimate.unit != SHARE),
        flags=" ".join(header.request.flags),
        against=header.baseline.run if header.baseline else "",
        options=shell_text(option_words(header.request)),
    )


def result_row(run: str, one: Estimate) -> EstimateSummary:
    """The line of one result of `run`."""
    return EstimateSummary(
        run=run,
        benchmark=one.point.benchmark,
        point=one.point.key,
        metric=one.metric,
        unit=one.unit.name,
        value=one.value,
        low=one.low,
        high=one.high,
        launches=one.launches,
        precision=one.precision,
        reached=one.reached,
        mpi_library=one.mpi_library,
    )


def packed(record: Record) -> bytes:
    """What a launch recorded, compressed."""
    # The fastest level: samples are near random, higher ones cost ten times the time for 5 %.
    return zlib.compress(msgspec.json.encode(record.points), 1)


def encoded(row: Struct) -> tuple[object, ...]:
    """A line as the values of its columns."""
    return tuple(
        value.value if isinstance(value, RunState) else value
        for value in msgspec.structs.astuple(row)
    )


def decoded(values: Sequence[object], of: type[RowType]) -> RowType:
    """The columns of a row as a line.

    Raises ValueError when they are not one.
    """
    # SQLite keeps NaN as NULL.
    return msgspec.convert(
        {
            name: float("nan") if value is None and is_number else value
            for (name, is_number), value in zip(_columns(of), values, strict=True)
        },
        of,
        strict=False,
    )


@cache
def _columns(of: type[Struct]) -> tuple[tuple[str, bool], ...]:
    """Names of the columns, and whether each holds a floating-point number."""
    return tuple((field.name, field.type is float) for field in msgspec.structs.fields(of))
