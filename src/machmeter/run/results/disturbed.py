"""What launches show that others disturbed, where hardly any other launch was made. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.model.benchmark import Benchmark
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, Record, Verdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import Plan, RunResult
from machmeter.run.measuring.tally import Tally


class LaunchAsSeen(NamedTuple):
    """A launch, and what came of it."""

    spec: LaunchSpec
    outcome: LaunchOutcome
    record: Record


def disturbed_estimates(
    plan: Plan, tally: Tally, contended: Sequence[LaunchAsSeen], own: Sequence[Benchmark]
) -> tuple[Estimate, ...]:
    """Estimates of specs that have fewer than two accepted launches in `tally`, from the contended
    ones from which others took the least time, at most as many as a result needs.

    own: benchmarks that the study has of its own.
    """
    found: list[Estimate] = []
    for spec in plan.own_specs:
        of_spec = [one for one in contended if one.spec.name == spec.name and one.record.complete]
        if not spec.of_points or tally.accepted(spec) >= spec.fewest_launches or not of_spec:
            continue
        of_spec.sort(key=lambda one: _share(one.outcome))
        of_these = Tally(plan.precision, own)
        for one in sorted(of_spec[: plan.precision.least_launches], key=_number):
            of_these.add(spec, replace(one.outcome, verdict=Verdict.ACCEPTED), one.record)
        found += of_these.estimates(spec)
    return tuple(found)


def with_disturbed(result: RunResult, disturbed: tuple[Estimate, ...]) -> RunResult:
    """The result with these shown apart; what one launch says of the same points is no result."""
    apart = {one.point for one in disturbed}
    kept = tuple(one for one in result.estimates if one.point not in apart)
    return replace(result, estimates=kept, disturbed=disturbed)


def _share(outcome: LaunchOutcome) -> float:
    return math.inf if outcome.share_of_others is None else outcome.share_of_others


def _number(one: LaunchAsSeen) -> int:
    return one.outcome.launch
