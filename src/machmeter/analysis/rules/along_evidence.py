"""How sure the rules that follow an axis are: jumps, changes for each doubling, slopes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.curves.curves import Curves
from machmeter.analysis.curves.flatness import FLAT_WITHIN, Octave, Trend
from machmeter.analysis.curves.growth import Growth
from machmeter.analysis.rules.case_result import Told
from machmeter.analysis.rules.labels import label_of
from machmeter.analysis.rules.ratios import band_of
from machmeter.analysis.stats.confidence import (
    Clearance,
    launches_to_decide,
    more_launches_text,
    unless_text,
)
from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.plan.study import Question
from machmeter.model.results.curves import ProtocolRegion
from machmeter.model.units import SECONDS, UNBOUNDED, format_value, is_unbounded


def grounded_by_steps(
    told: Told, jumped: Sequence[tuple[ProtocolRegion, float]], curves: Curves
) -> Told:
    """With the jump that is least sure, of those that were shown, each with its p value.

    On the scale of the jump itself: 0 is no jump.
    """
    region, p_value = max(jumped, key=lambda one: one[1])
    size, up = abs(region.step_seconds), region.step_seconds > 0
    ends = (region.step_seconds / size, region.step_low / size, region.step_high / size, 0.0)
    end = region.step_low if up else region.step_high
    change = unless_text(
        f"jump at {label_of('size', region.first_bytes)}",
        "below" if up else "above",
        "zero",
        "no jump",
        f"{'-' * (end < 0)}{format_value(abs(end), SECONDS)}",
    )
    return replace(told, clearance=_of_launches(ends, p_value, curves), would_change=(change,))


def octave_clearance(end: Octave, curves: Curves) -> Clearance:
    """How clear of what counts as flat the last change lies, on logs for each doubling."""
    bound = math.copysign(math.log1p(FLAT_WITHIN), math.log(end.ratio))
    if end.low <= 0 or is_unbounded(end.high):
        ends = (math.log(end.ratio), -UNBOUNDED, UNBOUNDED, bound)
        return _of_launches(ends, 1.0, curves)
    ends = (math.log(end.ratio), math.log(end.low), math.log(end.high), bound)
    return _tested(_of_launches(ends, 1.0, curves))


def octave_unless(axis: str, end: Octave) -> tuple[str, ...]:
    """The change for each doubling beyond which the end would not be what it is said to be."""
    if end.trend is Trend.UNCLEAR:
        return ()
    rises, flat = end.ratio >= 1, end.trend is Trend.FLAT
    bound = f"{'+' if rises else '-'}{100 * FLAT_WITHIN:g} % a doubling"
    what = f"change from {label_of(axis, end.first)} to {label_of(axis, end.second)}"
    # A flat end would leave its band outwards, one that rises or falls would become flat.
    edge = end.high if rises == flat else end.low
    side = "above" if rises == flat else "below"
    beyond = "still rising" if rises else "falling"
    return (unless_text(what, side, bound, beyond if flat else "flat", _change(edge)),)


def octave_to_decide(end: Octave, curves: Curves) -> tuple[str, ...]:
    """How many launches would show whether the end is flat."""
    clearance = octave_clearance(end, curves)
    needed = launches_to_decide(clearance)
    return (more_launches_text(needed, clearance.launches, "to tell whether it is flat"),)


def growth_ground(
    question: Question, found: Growth, curves: Curves, noun: str
) -> tuple[Clearance, tuple[str, ...]]:
    """How clear of the nearest bound of its band a slope lies, and what lies beyond.

    On the scale of that bound, which is 1.
    """
    band = band_of(question.bands, found.slope)
    above = [other for other in question.bands if other.least > band.least]
    bounds = [one.least for one in (band, *above[:1]) if one.least > 0]
    if not bounds:
        return _of_launches((found.slope, found.low, found.high, 0.0), 0.0, curves), ()
    bound = min(bounds, key=lambda one: abs(found.slope - one))
    ends = (found.slope / bound, found.low / bound, found.high / bound, 1.0)
    unbounded = is_unbounded(found.low) or is_unbounded(found.high)
    clearance = (
        _of_launches(ends, 1.0, curves) if unbounded else _tested(_of_launches(ends, 1.0, curves))
    )
    is_above = found.slope >= bound
    names = [one.name for one in question.bands if (one.least < bound) == is_above]
    unit = curves.estimates[0].unit
    end = found.low if is_above else found.high
    change = unless_text(
        f"cost of a further {noun}",
        "below" if is_above else "above",
        format_value(bound, unit),
        names[-1] if is_above else names[0],
        "" if is_unbounded(end) else f"{'-' * (end < 0)}{format_value(abs(end), unit)}",
    )
    return clearance, (change,)


def growth_to_decide(clearance: Clearance) -> tuple[str, ...]:
    """How many launches would show in which band a slope lies."""
    needed = launches_to_decide(clearance)
    return (more_launches_text(needed, clearance.launches),)


def _tested(clearance: Clearance) -> Clearance:
    """With the p value of lying on that side of the bound, from the interval."""
    if clearance.degrees <= 0:
        return clearance
    error = (clearance.high - clearance.low) / 2 / student_quantile(clearance.degrees)
    distance = clearance.value - clearance.bound
    return clearance._replace(p_value=two_sided_p(distance, error, clearance.degrees))


def _of_launches(
    ends: tuple[float, float, float, float], p_value: float, curves: Curves
) -> Clearance:
    launches = len(curves.launches)
    reached = all(estimate.reached for estimate in curves.estimates)
    return Clearance(*ends, float(launches - 1), p_value, launches, reached)


def _change(ratio: float) -> str:
    return "" if is_unbounded(ratio) else f"{100 * (ratio - 1):+.1f} %"
