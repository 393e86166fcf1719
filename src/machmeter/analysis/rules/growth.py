"""Rule growth: what one more of an axis costs."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.curves.curves import LaunchCurves
from machmeter.analysis.curves.growth import Growth, growth
from machmeter.analysis.rules.following import curves_of, followed_case, of_launches, tested
from machmeter.analysis.rules.outcome import CurveValue, Draft, GrowthOutcome
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.sensitivity import (
    BeyondBound,
    MoreLaunches,
    Purpose,
    Quantity,
    Sensitivity,
)
from machmeter.analysis.rules.trial import band_of, bounds_around
from machmeter.analysis.stats.confidence import Clearance, launches_to_decide
from machmeter.model.plan.question import GrowthRule
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import is_unbounded


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
    clearance, changes = _beyond(rule, found, curves)
    if lowest == highest:
        return followed_case(
            outcome, advice=lowest.advice, clearance=clearance, sensitivity=changes
        )
    needed = launches_to_decide(clearance)
    more = MoreLaunches(Purpose.DECIDE, needed, clearance.launches)
    return followed_case(outcome, decided=False, sensitivity=(more,))


def _beyond(
    rule: GrowthRule, found: Growth, curves: LaunchCurves
) -> tuple[Clearance, tuple[Sensitivity, ...]]:
    """How clear of the nearest bound of its band a slope is, and what is beyond.

    On the scale of that bound, which is 1.
    """
    bounds = bounds_around(rule.bands, found.slope)
    if not bounds:
        return of_launches((found.slope, found.low, found.high, 0.0), 0.0, curves), ()
    bound = min(bounds, key=lambda one: abs(found.slope - one))
    ends = (found.slope / bound, found.low / bound, found.high / bound, 1.0)
    clearance = of_launches(ends, 1.0, curves)
    if not (is_unbounded(found.low) or is_unbounded(found.high)):
        clearance = tested(clearance)
    above = found.slope >= bound
    others = [band for band in rule.bands if (band.least < bound) == above]
    end = found.low if above else found.high
    change = BeyondBound(
        Quantity.SLOPE,
        below=above,
        bound=bound,
        end=None if is_unbounded(end) else end,
        other=others[-1] if above else others[0],
        axis=rule.axis,
        unit=curves.estimates[0].unit,
    )
    return clearance, (change,)
