"""Machines set beside one another for a page: a run beside the published ones, or those named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.cli.actions.comparing import SetBeside, scores_beside, set_beside, told_apart
from machmeter.cli.actions.named_machines import known_machine, published_by_name
from machmeter.cli.actions.scoring import NoScoreError, ScoreAsked
from machmeter.cli.context import find_run
from machmeter.cli.output import warn
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.plan.variant import Role
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.run import Request, RunHeader, RunResult
from machmeter.published.load import machine_names
from machmeter.report.records_links import records_place
from machmeter.run.compare.run_as_machine import known_run
from machmeter.store.run_folder import RunFolder, holds_run
from machmeter.text.comparison import Compared

if TYPE_CHECKING:
    from machmeter.report.drawing.chart import Chart
    from machmeter.report.pages.compare_page import ComparedMachine
    from machmeter.report.pages.scores_page import ScoreResult

MOST_MACHINES = 8


def published_beside(result: RunResult) -> tuple[Compared, ...]:
    """The run beside every published machine that has a figure in common with it, or one alike.

    A machine whose file cannot be read is told of and left out.
    """
    if not result.estimates:
        return ()
    mine = known_run(result)
    found = []
    for name in machine_names():
        try:
            there = published_by_name(name)
        except MachmeterError as error:
            warn(error)
            continue
        compared = Compared(there, mine, compare_machines(there, mine))
        if compared.comparison.figures or compared.comparison.refusals:
            found.append(compared)
    return tuple(found)


class ComparisonPage(Struct, frozen=True):
    """A page that was written: its charts, and whether a score that was asked for is missing."""

    charts: tuple[Chart, ...]
    lacks_score: bool


def write_comparison_page(
    names: Sequence[str],
    path: Path,
    benchmarks: Sequence[str] = (),
    score: ScoreAsked | None = None,
) -> ComparisonPage:
    """Write the page of the first machine with each of the others beside it.

    A score that cannot be made of their figures is told of, here and on the page, which says why.
    Raises UsageError for names and options without meaning as `set_beside` and `scores_of` do,
    MachineLacksError where the page cannot be written.
    """
    from machmeter.report.pages.compare_page import comparison_charts, write_comparison

    sides = [_side(name, path) for name in _checked(names)]
    found = set_beside(told_apart((side.machine for side in sides), names), benchmarks)
    sides = [replace(side, machine=one) for side, one in zip(sides, found.machines, strict=True)]
    result = _score_result(found, score) if score else None
    try:
        write_comparison(sides, found.comparisons, path, result, benchmarks)
    except OSError as error:
        raise storage_error(error, path) from error
    charts = comparison_charts(found.machines, found.comparisons, result)
    return ComparisonPage(charts, lacks_score=bool(result and not result.scores))


def _score_result(found: SetBeside, asked: ScoreAsked) -> ScoreResult:
    from machmeter.report.pages.scores_page import ScoreResult

    try:
        return ScoreResult(asked.kind, scores_beside(found, asked))
    except NoScoreError as error:
        warn(error)
        return ScoreResult(asked.kind, why=error.message, remedy=error.remedy)


def _checked(names: Sequence[str]) -> Sequence[str]:
    if len(names) > MOST_MACHINES:
        raise UsageError(
            f"{len(names)} machines are more than a page can set beside one another",
            f"name at most {MOST_MACHINES}",
        )
    return names


def _side(name: str, page: Path) -> ComparedMachine:
    from machmeter.report.pages.compare_page import ComparedMachine

    machine = known_machine(name)
    if len(machine.runs) != 1:
        return ComparedMachine(machine)
    folder = _folder_of(name)
    asked = _of_part(folder.header(), machine)
    return ComparedMachine(machine, asked, records_place(folder.path, page))


def _folder_of(name: str) -> RunFolder:
    """The folder of the one run that a machine was measured in; a name may end in `@LIBRARY`,
    `@baseline` or `@candidate`."""
    whole, at, _ = name.rpartition("@")
    return find_run(whole if at and not holds_run(Path(name)) else name)


def _of_part(header: RunHeader, machine: MachineResults) -> Request:
    """What was asked for: by the side that a machine stands for, with its one library of several"""
    _, at, library = machine.id.rpartition("@")
    asked = header.request
    if at and library == Role.BASELINE and header.baseline:
        return header.baseline.request
    return replace(asked, mpi=library) if at and library in asked.mpi.split(",") else asked
