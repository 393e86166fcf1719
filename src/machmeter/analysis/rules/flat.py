"""Rule flat: from which value of an axis on a metric is flat."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.analysis.curves.curves import LaunchCurves
from machmeter.analysis.curves.flatness import FLAT_WITHIN, Flatness, Octave, Trend, flatness
from machmeter.analysis.rules.following import curves_of, followed_case, of_launches, tested
from machmeter.analysis.rules.outcome import CurveValue, Draft, FlatKind, FlatOutcome
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.sensitivity import (
    Alternative,
    BeyondBound,
    MoreLaunches,
    Purpose,
    Quantity,
    Sensitivity,
)
from machmeter.analysis.stats.confidence import Clearance, launches_to_decide
from machmeter.model.plan.question import FlatRule
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED, is_unbounded


def flat(rule: FlatRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """From which value of the axis on is the metric flat?"""
    curves, few = curves_of(rule, pool, facts)
    if curves is None or few is not None:
        return few
    positive = [i for i, size in enumerate(curves.axis) if size > 0]
    if len(positive) < 2 or any(min(launch) <= 0 for launch in curves.launches):
        return None
    sizes = [curves.axis[i] for i in positive]
    found = flatness(sizes, [[launch[i] for i in positive] for launch in curves.launches])
    outcome = _outcome(rule.axis, sizes, curves, found)
    if outcome.kind is FlatKind.UNCLEAR:
        clearance = _clearance(found.end, curves)
        needed = launches_to_decide(clearance)
        more = MoreLaunches(Purpose.FLATNESS, needed, clearance.launches)
        return followed_case(outcome, decided=False, sensitivity=(more,))
    advice = {
        FlatKind.FLAT: rule.flat,
        FlatKind.RISING: rule.rising,
        FlatKind.RISING_SLOWLY: rule.rising,
        FlatKind.FALLING: rule.falling,
        FlatKind.FALLING_SLOWLY: rule.falling,
    }[outcome.kind]
    slowly = outcome.kind in (FlatKind.RISING_SLOWLY, FlatKind.FALLING_SLOWLY)
    return followed_case(
        outcome,
        advice=advice,
        clearance=None
        if slowly or outcome.kind is FlatKind.FLAT
        else _clearance(found.end, curves),
        sensitivity=() if slowly else _beyond(rule.axis, found.end),
    )


def _outcome(axis: str, sizes: Sequence[int], curves: LaunchCurves, found: Flatness) -> FlatOutcome:
    by_size = dict(zip(curves.axis, curves.estimates, strict=True))
    highest = max(sizes, key=lambda size: by_size[size].value)
    best, last = CurveValue(highest, by_size[highest]), sizes[-1]
    if found.end.trend is Trend.RISING:
        return FlatOutcome(axis, FlatKind.RISING, found.end, last, best)
    if found.end.trend is Trend.FALLING:
        return FlatOutcome(axis, FlatKind.FALLING, found.end, last, best)
    if found.end.trend is Trend.FLAT and found.perhaps_from is None:
        # Flat for each doubling, but the last change spans several of them.
        slowly = FlatKind.RISING_SLOWLY if found.end.ratio > 1 else FlatKind.FALLING_SLOWLY
        return FlatOutcome(axis, slowly, found.end, last, best)
    if found.flat_from is None:
        return FlatOutcome(axis, FlatKind.UNCLEAR, found.end, last, best)
    begin = CurveValue(found.flat_from, by_size[found.flat_from])
    earlier = found.perhaps_from if (found.perhaps_from or begin.value) < begin.value else None
    return FlatOutcome(axis, FlatKind.FLAT, found.end, last, best, begin, earlier)


def _clearance(end: Octave, curves: LaunchCurves) -> Clearance:
    """How clear of what counts as flat the last change is, on logs for each doubling."""
    bound = math.copysign(math.log1p(FLAT_WITHIN), math.log(end.ratio))
    if end.low <= 0 or is_unbounded(end.high):
        ends = (math.log(end.ratio), -UNBOUNDED, UNBOUNDED, bound)
        return of_launches(ends, 1.0, curves)
    ends = (math.log(end.ratio), math.log(end.low), math.log(end.high), bound)
    return tested(of_launches(ends, 1.0, curves))


def _beyond(axis: str, end: Octave) -> tuple[Sensitivity, ...]:
    """The change for each doubling beyond which the end would not be what it is said to be."""
    if end.trend is Trend.UNCLEAR:
        return ()
    rises, is_flat = end.ratio >= 1, end.trend is Trend.FLAT
    # A flat end would leave its band outwards, one that rises or falls would become flat.
    edge = end.high if rises == is_flat else end.low
    beyond = Alternative.RISING if rises else Alternative.FALLING
    return (
        BeyondBound(
            Quantity.CHANGE,
            below=rises != is_flat,
            bound=FLAT_WITHIN if rises else -FLAT_WITHIN,
            end=None if is_unbounded(edge) else edge - 1,
            other=beyond if is_flat else Alternative.FLAT,
            axis=axis,
            at=(end.first, end.second),
        ),
    )
