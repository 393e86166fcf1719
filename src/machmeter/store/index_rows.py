"""What the index holds of a run: its lines, and how they become rows of its tables."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunHeader, RunState

RowType = TypeVar("RowType", bound=Struct)


class RunSummary(Struct, frozen=True):
    """One run in a line: launches that were accepted and refused, figures and how many of them
    reached the asked precision; flags: those of the compiler that a person named; against: the run
    that it repeats on its baseline."""

    id: str
    folder: str
    machine: str
    host: str
    cpu_model: str
    started: str
    state: RunState
    asked: str
    accepted: int
    refused: int
    estimates: int
    reached: int
    flags: str = ""
    against: str = ""


class EstimateSummary(Struct, frozen=True):
    """One figure of one run, in the base unit that `unit` names; NaN where it has no number."""

    run: str
    benchmark: str
    point: str
    metric: str
    unit: str
    value: float
    low: float
    high: float
    launches: int
    precision: float
    reached: bool


class IndexedResult(Struct, frozen=True, array_like=True):
    """One figure of one run, for reading very many; None where it has no number."""

    run: str
    point: str
    metric: str
    unit: str
    value: float | None
    low: float | None
    high: float | None
    launches: int


def path_text(folder: Path) -> str:
    """The whole path as text; bytes of a name that are no UTF-8 are replaced."""
    return os.fsencode(folder.resolve()).decode("utf-8", errors="replace")


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
        folder=path_text(folder),
        machine=header.machine.name,
        host=header.machine.host,
        cpu_model=header.machine.cpu_model,
        started=header.started,
        state=state,
        asked=" ".join(header.request.names),
        accepted=accepted,
        refused=len(outcomes) - accepted,
        estimates=len(estimates),
        reached=sum(estimate.reached for estimate in estimates),
        flags=" ".join(header.request.flags),
        against=header.baseline.run if header.baseline else "",
    )


def figure_row(run: str, one: Estimate) -> EstimateSummary:
    """The line of one figure of `run`."""
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
    """The columns of a row as a line; those that an older format lacks, or left NULL when it got
    them, are at their defaults.

    Raises msgspec.ValidationError when they are not one.
    """
    # SQLite keeps NaN as NULL.
    return msgspec.convert(
        {
            field.name: float("nan") if value is None and field.type is float else value
            for field, value in zip(msgspec.structs.fields(of), values, strict=False)
            if value is not None or field.required or field.type is float
        },
        of,
        strict=False,
    )
