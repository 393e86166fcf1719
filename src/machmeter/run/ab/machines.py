"""The two sides of a run as machines that are compared. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.errors import UsageError
from machmeter.model.plan.launch import BASELINE, CANDIDATE
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.run import RunResult
from machmeter.run.compare.run_as_machine import known_run

SIDES = (BASELINE, CANDIDATE)


def sides_of(result: RunResult) -> tuple[MachineResults, MachineResults]:
    """The old and the candidate of a run, called by what differs between them.

    Raises UsageError where the run has one side only.
    """
    run, old = result.header.id, result.baseline
    if old is None:
        raise UsageError(
            f"run {run} has no old and candidate",
            "`machmeter run --against RUN` measures two in turn",
        )
    there = known_run(replace(result, estimates=old.estimates, toolchain=old.toolchain))
    figures = (
        replace(one, partner=old.partners[one.point.key]) if one.point.key in old.partners else one
        for one in there.estimates
    )
    return (
        replace(
            there,
            id=f"{run}@{BASELINE}",
            title=_title(BASELINE, old.name),
            estimates=tuple(figures),
        ),
        replace(known_run(result), id=f"{run}@{CANDIDATE}", title=_title(CANDIDATE, old.new_name)),
    )


def side_of(result: RunResult, side: str) -> MachineResults:
    """One of the sides. Raises UsageError where the run has one side only."""
    return sides_of(result)[SIDES.index(side)]


def compared(result: RunResult) -> RunResult:
    """The result with its sides compared, where it has two."""
    if result.baseline is None:
        return result
    comparison = compare_machines(*sides_of(result))
    return replace(result, baseline=replace(result.baseline, comparison=comparison))


def _title(side: str, name: str) -> str:
    return side if name == side else f"{side} ({name})"
