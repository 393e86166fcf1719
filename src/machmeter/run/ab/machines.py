"""The two sides of a run as machines that are compared. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.matching.comparability import PARTNER
from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.errors import UsageError
from machmeter.model.plan.launch import NEW, OLD
from machmeter.model.results.machine import KnownMachine
from machmeter.model.results.run import RunResult
from machmeter.run.compare.run_as_machine import known_run

SIDES = (OLD, NEW)


def sides_of(result: RunResult) -> tuple[KnownMachine, KnownMachine]:
    """The old and the new side of a run, called by what differs between them.

    Raises UsageError where the run has one side only.
    """
    run, old = result.header.id, result.old
    if old is None:
        raise UsageError(
            f"run {run} has no old and new side",
            "`machmeter run --against RUN` measures two in turn",
        )
    there = known_run(replace(result, estimates=old.estimates, toolchain=old.toolchain))
    figures = (
        replace(one, words={**one.words, PARTNER: old.partners[one.point.key]})
        if one.point.key in old.partners
        else one
        for one in there.estimates
    )
    return (
        replace(there, id=f"{run}@{OLD}", title=_title(OLD, old.name), estimates=tuple(figures)),
        replace(known_run(result), id=f"{run}@{NEW}", title=_title(NEW, old.new_name)),
    )


def side_of(result: RunResult, side: str) -> KnownMachine:
    """One of the sides. Raises UsageError where the run has one side only."""
    return sides_of(result)[SIDES.index(side)]


def compared(result: RunResult) -> RunResult:
    """The result with its sides compared, where it has two."""
    if result.old is None:
        return result
    comparison = compare_machines(*sides_of(result))
    return replace(result, old=replace(result.old, comparison=comparison))


def _title(side: str, name: str) -> str:
    return side if name == side else f"{side} ({name})"
