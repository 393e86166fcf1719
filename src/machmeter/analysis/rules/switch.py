"""Rule switch: where a protocol switches as messages grow, and what the switch costs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from machmeter.analysis.curves.protocols import (
    LEAST_SIZES,
    find_protocols,
    jumps,
    step_p_value,
)
from machmeter.analysis.rules.following import curves_of, followed_case, of_launches
from machmeter.analysis.rules.outcome import Draft, Inconclusive, NoCurve, SwitchOutcome
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.sensitivity import Alternative, BeyondBound, JudgedQuantity
from machmeter.analysis.stats.comparison import holm
from machmeter.model.plan.question import SwitchRule
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import SECONDS


def switch(rule: SwitchRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """Where along the axis does a protocol switch, and what does the switch cost?"""
    curves, few = curves_of(rule, pool, facts)
    if curves is None or few is not None:
        return few
    if any(e.scale is not Scale.LOG for e in curves.estimates) or curves.axis[0] < 0:
        return None
    # One region of few sizes says nothing of a switch: there is no room for two.
    if len(curves.axis) < 2 * LEAST_SIZES:
        return followed_case(NoCurve(Inconclusive.TOO_FEW_SIZES), decided=False)
    regions = find_protocols(curves.axis, curves.launches)
    if len(regions) == 1:
        return followed_case(SwitchOutcome(rule.axis, regions, ()), advice=rule.none)
    pairs = list(pairwise(regions))
    p_values = holm([step_p_value(region, len(curves.launches)) for _, region in pairs])
    # Jumps, not bends, adjusted for their number.
    shown = tuple(
        jumps(region, before, p) for (before, region), p in zip(pairs, p_values, strict=True)
    )
    outcome = SwitchOutcome(rule.axis, regions, shown)
    jumped = [(region, p) for region, p, ok in zip(regions[1:], p_values, shown, strict=True) if ok]
    slower = any(region.step_seconds > 0 for region, _ in jumped)
    advice = rule.slower if slower else rule.faster
    if not jumped:
        return followed_case(outcome, advice=advice)
    # The jump that is least sure, on the scale of the jump itself: 0 is no jump.
    region, p_value = max(jumped, key=lambda one: one[1])
    size, up = abs(region.step_seconds), region.step_seconds > 0
    ends = (region.step_seconds / size, region.step_low / size, region.step_high / size, 0.0)
    change = BeyondBound(
        JudgedQuantity.JUMP,
        below=up,
        bound=0.0,
        end=region.step_low if up else region.step_high,
        other=Alternative.NO_JUMP,
        axis=rule.axis,
        at=(region.first_bytes,),
        unit=SECONDS,
    )
    margin = of_launches(ends, p_value, curves)
    return followed_case(outcome, advice=advice, margin=margin, sensitivity=(change,))
