"""Baseline and candidate of a run as machines that are compared. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.errors import UsageError
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.run import RunResult
from machmeter.model.variant import Role, Variant
from machmeter.run.compare.run_as_machine import run_as_machine

SIDES = (Role.BASELINE.value, Role.CANDIDATE.value)


def sides_of(result: RunResult) -> tuple[MachineResults, MachineResults]:
    """Baseline and candidate of a run, named by what differs between them.

    Raises UsageError where the run has no baseline.
    """
    run, old = result.header.id, result.baseline
    if old is None:
        raise UsageError(
            f"run {run} has no baseline",
            "`machmeter run --against RUN` measures a candidate against the baseline RUN",
        )
    there = run_as_machine(replace(result, estimates=old.estimates, toolchain=old.toolchain))
    baseline, candidate = SIDES
    return (
        replace(
            there,
            id=f"{run}@{baseline}",
            title=_title(baseline, old.name),
            estimates=tuple(_as_of_a_run(one, old.partners) for one in there.estimates),
        ),
        replace(
            run_as_machine(result), id=f"{run}@{candidate}", title=_title(candidate, old.new_name)
        ),
    )


def _as_of_a_run(one: Estimate, partners: Mapping[str, str]) -> Estimate:
    """A result of the baseline as one of a run of its own, with its partner where that is of
    another layout or MPI library."""
    point = replace(one.point, variant=Variant(one.point.variant.mpi))
    return replace(one, point=point, partner=partners.get(one.point.key, one.partner))


def side_of(result: RunResult, side: str) -> MachineResults:
    """Baseline or candidate. Raises UsageError where the run has no baseline."""
    return sides_of(result)[SIDES.index(side)]


def compared(result: RunResult) -> RunResult:
    """The result with candidate and baseline compared, where it has a baseline."""
    if result.baseline is None:
        return result
    comparison = compare_machines(*sides_of(result))
    return replace(result, baseline=replace(result.baseline, comparison=comparison))


def _title(side: str, name: str) -> str:
    return side if name == side else f"{side} ({name})"
