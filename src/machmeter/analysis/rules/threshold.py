"""Rule threshold: from which value of an axis on a metric reaches a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.analysis.curves.curves import ordered_along
from machmeter.analysis.rules.following import followed, followed_case
from machmeter.analysis.rules.outcome import CurveValue, Draft, ThresholdKind, ThresholdOutcome
from machmeter.analysis.rules.pairs import SIGNIFICANCE
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.sensitivity import (
    Alternative,
    BeyondBound,
    JudgedQuantity,
    MoreLaunches,
    Purpose,
    Sensitivity,
)
from machmeter.analysis.stats.comparison import holm
from machmeter.analysis.stats.confidence import BoundMargin, launches_to_decide
from machmeter.analysis.stats.student import two_sided_p, variance_of_mean
from machmeter.model.plan.question import ThresholdRule
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import is_unbounded


def threshold(rule: ThresholdRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """From which value of the axis on is the metric at least the bound?"""
    along = ordered_along(rule.axis, followed(rule, pool, facts))
    if along is None:
        return None
    found = _sides(along, rule.bound)
    values = tuple(CurveValue(value, estimate) for value, estimate in along.items())
    reached = _unbroken(found, (1,))
    if reached is not None:
        perhaps = _unbroken(found, (1, 0))
        outcome = ThresholdOutcome(
            rule.axis,
            ThresholdKind.FROM,
            values,
            (reached,),
            perhaps if perhaps != reached else None,
        )
        return _decided(rule, outcome, rule.reached, [s for s in found if s.value >= reached])
    if all(one.side < 0 for one in found):
        outcome = ThresholdOutcome(rule.axis, ThresholdKind.NEVER, values)
        return _decided(rule, outcome, rule.never, found)
    above = [one for one in found if one.side > 0]
    if found[-1].side < 0 and above:
        at = tuple(one.value for one in above)
        outcome = ThresholdOutcome(rule.axis, ThresholdKind.PARTLY, values, at)
        return _decided(rule, outcome, rule.partly, above + found[-1:])
    unclear = [one for one in found if one.side == 0]
    at = tuple(one.value for one in unclear)
    outcome = ThresholdOutcome(rule.axis, ThresholdKind.UNCLEAR, values, at)
    return followed_case(outcome, decided=False, sensitivity=_to_decide(rule.axis, unclear))


class _Side(NamedTuple):
    """On which side of the bound the result at one value of the axis is shown to be."""

    value: int
    side: int
    """1 at the bound or above, -1 below, 0 where that is open."""
    estimate: Estimate
    margin: BoundMargin


def _sides(along: Mapping[int, Estimate], bound: float) -> list[_Side]:
    """The sides on which results are shown to be, along the axis.

    Student's t on launch values, on their scale; p values adjusted for their number (Holm).
    """
    distances = [_distance(estimate, bound) for estimate in along.values()]
    adjusted = holm([p for _, p in distances])
    return [
        _Side(
            value,
            (1 if above >= 0 else -1) if p <= SIGNIFICANCE else 0,
            estimate,
            _margin(estimate, bound, p),
        )
        for (value, estimate), (above, _), p in zip(along.items(), distances, adjusted, strict=True)
    ]


def _margin(estimate: Estimate, bound: float, p_value: float) -> BoundMargin:
    """How clear of the bound a result is, on its scale."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.scale is Scale.LOG and min(low, bound) > 0 and not is_unbounded(high):
        value, low, high, bound = (math.log(end) for end in (value, low, high, bound))
    launches = len(estimate.launch_values)
    degrees = float(launches - 1)
    return BoundMargin(value, low, high, bound, degrees, p_value, launches, estimate.reached)


def _decided(
    rule: ThresholdRule, outcome: ThresholdOutcome, advice: str, rests_on: Sequence[_Side]
) -> Draft:
    """With the result that is nearest to the bound, of those that the answer rests on."""
    hinge = min(rests_on, key=lambda one: one.margin.to_bound)
    above = hinge.side > 0
    end = hinge.estimate.low if above else hinge.estimate.high
    change = BeyondBound(
        JudgedQuantity.VALUE,
        below=above,
        bound=rule.bound,
        end=None if is_unbounded(end) else end,
        other=Alternative.NOT_REACHED if above else Alternative.REACHED,
        axis=rule.axis,
        at=(hinge.value,),
        unit=hinge.estimate.unit,
    )
    margin = replace(hinge.margin, p_value=max(one.margin.p_value for one in rests_on))
    return followed_case(outcome, advice=advice, margin=margin, sensitivity=(change,))


def _to_decide(axis: str, unclear: Sequence[_Side]) -> tuple[Sensitivity, ...]:
    """How many launches it takes at those that are open, by the one that takes most."""
    if not unclear:
        return ()
    counts = {one.value: launches_to_decide(one.margin) for one in unclear}
    hardest = max(unclear, key=lambda one: counts[one.value])
    needed, made = counts[hardest.value], hardest.margin.launches
    return (MoreLaunches(Purpose.AT_VALUE, needed, made, (((axis, hardest.value),),)),)


def _distance(estimate: Estimate, bound: float) -> tuple[float, float]:
    """How far above the bound the value is, and the p value of its being on that side."""
    values = list(estimate.launch_values)
    if len(values) < 2:
        return 0.0, 1.0
    if estimate.scale is Scale.LOG:
        if bound <= 0:
            return 1.0, 0.0
        values, bound = [math.log(value) for value in values], math.log(bound)
    above = math.fsum(values) / len(values) - bound
    error = math.sqrt(variance_of_mean(values))
    if above == 0 and error == 0:
        return 0.0, 0.0
    return above, two_sided_p(above, error, len(values) - 1)


def _unbroken(found: Sequence[_Side], allowed: Sequence[int]) -> int | None:
    """The value that begins the unbroken row of such sides that ends at the last value."""
    begin = None
    for one in reversed(found):
        if one.side not in allowed:
            break
        begin = one.value
    return begin
