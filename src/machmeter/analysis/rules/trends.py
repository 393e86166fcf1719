"""Rules about how a curve rises: from where on it is flat, and what one more of its axis costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.analysis.curves.curves import LaunchCurves
from machmeter.analysis.curves.flatness import FLAT_WITHIN, Flatness, Octave, Trend, flatness
from machmeter.analysis.curves.growth import Growth, growth
from machmeter.analysis.rules.following import curves_of, followed_case, of_launches, tested
from machmeter.analysis.rules.outcome import CurveValue, Draft, FlatKind, FlatOutcome, GrowthOutcome
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.sensitivity import (
    Alternative,
    BeyondBound,
    JudgedQuantity,
    MoreLaunches,
    Purpose,
    Sensitivity,
)
from machmeter.analysis.rules.trial import band_of, bounds_around
from machmeter.analysis.stats.confidence import BoundMargin, launches_to_decide
from machmeter.model.plan.question import FlatRule, GrowthRule
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
        margin = _end_margin(found.end, curves)
        needed = launches_to_decide(margin)
        more = MoreLaunches(Purpose.FLATNESS, needed, margin.launches)
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
        margin=None if slowly or outcome.kind is FlatKind.FLAT else _end_margin(found.end, curves),
        sensitivity=() if slowly else _beyond_end(rule.axis, found.end),
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


def _end_margin(end: Octave, curves: LaunchCurves) -> BoundMargin:
    """How clear of what counts as flat the last change is, on logs for each doubling."""
    bound = math.copysign(math.log1p(FLAT_WITHIN), math.log(end.ratio))
    if end.low <= 0 or not end.is_bounded:
        ends = (math.log(end.ratio), -UNBOUNDED, UNBOUNDED, bound)
        return of_launches(ends, 1.0, curves)
    ends = (math.log(end.ratio), math.log(end.low), math.log(end.high), bound)
    return tested(of_launches(ends, 1.0, curves))


def _beyond_end(axis: str, end: Octave) -> tuple[Sensitivity, ...]:
    """The change for each doubling beyond which the end would not be what it is said to be."""
    if end.trend is Trend.UNCLEAR:
        return ()
    rises, is_flat = end.ratio >= 1, end.trend is Trend.FLAT
    # A flat end would leave its band outwards, one that rises or falls would become flat.
    edge = end.high if rises == is_flat else end.low
    beyond = Alternative.RISING if rises else Alternative.FALLING
    return (
        BeyondBound(
            JudgedQuantity.CHANGE,
            below=rises != is_flat,
            bound=FLAT_WITHIN if rises else -FLAT_WITHIN,
            end=None if is_unbounded(edge) else edge - 1,
            other=beyond if is_flat else Alternative.FLAT,
            axis=axis,
            at=(end.first, end.second),
        ),
    )


def grows(rule: GrowthRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """In which band is the cost of one more of the axis?"""
    curves, few = curves_of(rule, pool, facts)
    if curves is None or few is not None:
        return few
    if curves.axis[0] < 1:
        return None
    found = growth(curves.axis, curves.launches)
    lowest, highest = (band_of(rule.bands, bound) for bound in (found.low, found.high))
    first, last = (CurveValue(curves.axis[i], curves.estimates[i]) for i in (0, -1))
    outcome = GrowthOutcome(rule.axis, found, lowest, highest, first, last)
    margin, changes = _beyond_bound(rule, found, curves)
    if lowest == highest:
        return followed_case(outcome, advice=lowest.advice, margin=margin, sensitivity=changes)
    needed = launches_to_decide(margin)
    more = MoreLaunches(Purpose.DECIDE, needed, margin.launches)
    return followed_case(outcome, decided=False, sensitivity=(more,))


def _beyond_bound(
    rule: GrowthRule, found: Growth, curves: LaunchCurves
) -> tuple[BoundMargin, tuple[Sensitivity, ...]]:
    """How clear of the nearest bound of its band a slope is, and what is beyond.

    On the scale of that bound, which is 1.
    """
    bounds = bounds_around(rule.bands, found.slope)
    if not bounds:
        return of_launches((found.slope, found.low, found.high, 0.0), 0.0, curves), ()
    bound = min(bounds, key=lambda one: abs(found.slope - one))
    ends = (found.slope / bound, found.low / bound, found.high / bound, 1.0)
    margin = of_launches(ends, 1.0, curves)
    if found.is_bounded:
        margin = tested(margin)
    above = found.slope >= bound
    others = [band for band in rule.bands if (band.least < bound) == above]
    end = found.low if above else found.high
    change = BeyondBound(
        JudgedQuantity.SLOPE,
        below=above,
        bound=bound,
        end=None if is_unbounded(end) else end,
        other=others[-1] if above else others[0],
        axis=rule.axis,
        unit=curves.estimates[0].unit,
    )
    return margin, (change,)
