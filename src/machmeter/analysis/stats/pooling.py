"""Several runs of one machine as one: their launches together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from machmeter.analysis.stats.estimates import interval_of
from machmeter.analysis.stats.student import variance_of_mean
from machmeter.model.benchmark import Formula
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate, RunSpread, Scale
from machmeter.model.units import SHARE

# Means this many standard errors apart are of different moments, not of different launches.
_APART = 4.0
_MOST_LAUNCHES = 10**9


def pooled(runs: Sequence[Sequence[Estimate]]) -> tuple[Estimate, ...]:
    """The results of several runs, each with the launches of all runs that have it.

    The interval is Student's t over all launches, as within one run; where the runs differ
    by more than their launches explain, `runs` gives the range. Results come in the order in which
    runs have them. Launches and rounds are numbered over all runs: those of different runs are no
    pairs, those of one run stay what results have in common.
    """
    found: dict[tuple[Point, str], list[Estimate]] = {}
    for number, run in enumerate(runs):
        for one in run:
            found.setdefault((one.point, one.metric), []).append(_numbered(one, number))
    return tuple(_joined(parts) for parts in found.values())


def _joined(parts: Sequence[Estimate]) -> Estimate:
    first = parts[0]
    if len(parts) == 1:
        return first
    values = [value for part in parts for value in part.launch_values]
    interval = interval_of(values, _formula(first))
    return replace(
        first,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        launches=len(values),
        samples=sum(part.samples for part in parts),
        precision=interval.precision,
        reached=interval.precision <= first.target_precision and interval.resolved,
        resolved=interval.resolved,
        launch_values=tuple(values),
        launch_numbers=tuple(number for part in parts for number in part.launch_numbers),
        rounds=tuple(number for part in parts for number in part.rounds)
        if all(part.rounds for part in parts)
        else (),
        warmup_cut=sum(part.warmup_cut for part in parts),
        outliers=sum(part.outliers for part in parts),
        batch=max(part.batch for part in parts),
        below_zero=interval.below_zero,
        run_spread=_spread(parts),
    )


def _numbered(one: Estimate, run: int) -> Estimate:
    launches, rounds = (
        tuple(run * _MOST_LAUNCHES + number for number in numbers)
        for numbers in (one.launch_numbers, one.rounds)
    )
    return replace(one, launch_numbers=launches, rounds=rounds)


def _formula(estimate: Estimate) -> Formula:
    """A formula whose launch values vary as these do: by factors, as shares, as differences."""
    if estimate.scale is Scale.LOG:
        return Formula.TIME
    return Formula.WORK_HIDDEN if estimate.unit == SHARE else Formula.OVERHEAD


def _spread(parts: Iterable[Estimate]) -> RunSpread | None:
    """From where to where the runs' values go, where launches do not explain it; else None."""
    known = [part for part in parts if part.launches > 1 and part.is_bounded]
    if len(known) < 2:
        return None
    low, high = (pick(known, key=lambda part: part.value) for pick in (min, max))
    error = math.sqrt(_variance(low) + _variance(high))
    if _scaled(high) - _scaled(low) <= _APART * error:
        return None
    return RunSpread(low.value, high.value)


def _scaled(estimate: Estimate) -> float:
    log = estimate.scale is Scale.LOG
    return math.log(estimate.value) if log else estimate.value


def _variance(estimate: Estimate) -> float:
    values = estimate.launch_values
    log = estimate.scale is Scale.LOG
    return variance_of_mean([math.log(value) for value in values] if log else values)
