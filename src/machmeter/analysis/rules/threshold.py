"""Rule THRESHOLD: from which value of an axis on a figure reaches a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.analysis.curves.curves import ordered_along
from machmeter.analysis.rules.case_result import SIGNIFICANCE, Told
from machmeter.analysis.rules.labels import figure_with_interval, label_of, listed
from machmeter.analysis.stats.comparison import holm
from machmeter.analysis.stats.confidence import (
    Clearance,
    launches_to_decide,
    more_launches_text,
    unless_text,
)
from machmeter.analysis.stats.student import two_sided_p, variance_of_mean
from machmeter.model.plan.study import Question
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import format_value, is_unbounded


def told_threshold(question: Question, followed: Sequence[Estimate]) -> Told | None:
    """From which value of the axis on the figure is at least the question's bound.

    None where a value of the axis is no number, or occurs twice.
    """
    axis = question.axes[0]
    along = ordered_along(axis, followed)
    if along is None:
        return None
    found = _found_sides(along, question.bound)
    sides = [one.side for one in found]
    values = list(along)
    reached = _unbroken(values, sides, (1,))
    highest = max(values, key=lambda value: along[value].value)
    at_most = f"at most {figure_with_interval(along[highest])}, at {label_of(axis, highest)}"
    parts = tuple(
        f"{label_of(axis, value)}: {figure_with_interval(along[value])}" for value in values
    )
    if reached is not None:
        perhaps = _unbroken(values, sides, (1, 0)) or reached
        maybe = f", perhaps from {label_of(axis, perhaps)}" * (perhaps != reached)
        all_of_it = reached == values[0] and len(values) > 1
        name = f"{'everywhere, ' * all_of_it}from {label_of(axis, reached)} on"
        told = Told(
            name, f"{figure_with_interval(along[reached])} there{maybe}", question.yes, parts=parts
        )
        return _grounded(question, told, [one for one in found if one.value >= reached])
    last = label_of(axis, values[-1])
    if all(side < 0 for side in sides):
        never = Told(f"never up to {last}", at_most, question.no, parts=parts)
        return _grounded(question, never, found)
    above = [label_of(axis, value) for value, side in zip(values, sides, strict=True) if side > 0]
    if sides[-1] < 0 and above:
        figure = f"{figure_with_interval(along[values[-1]])} at {last}"
        only = Told(f"at {listed(above)} only", figure, question.same, parts=parts)
        return _grounded(question, only, [one for one in found if one.side > 0] + found[-1:])
    open_at = [label_of(axis, v) for v, side in zip(values, sides, strict=True) if side == 0]
    undecided = Told("not resolved", f"open at {listed(open_at)}", decided=False, parts=parts)
    return replace(
        undecided, would_change=_to_decide(axis, [one for one in found if one.side == 0])
    )


class _Side(NamedTuple):
    """On which side of the bound the figure at one value of the axis is shown to lie.

    side: 1 at the bound or above, -1 below, 0 where that is open.
    """

    value: int
    side: int
    estimate: Estimate
    clearance: Clearance


def _found_sides(along: Mapping[int, Estimate], bound: float) -> list[_Side]:
    """The sides on which figures are shown to lie, along the axis.

    Student's t on launch values, on their scale; p values adjusted for their number (Holm).
    """
    distances = [_distance(estimate, bound) for estimate in along.values()]
    adjusted = holm([p for _, p in distances])
    return [
        _Side(
            value,
            (1 if above >= 0 else -1) if p <= SIGNIFICANCE else 0,
            estimate,
            _clearance(estimate, bound, p),
        )
        for (value, estimate), (above, _), p in zip(along.items(), distances, adjusted, strict=True)
    ]


def _clearance(estimate: Estimate, bound: float, p_value: float) -> Clearance:
    """How clear of the bound a figure lies, on its scale."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.scale is Scale.LOG and min(low, bound) > 0 and not is_unbounded(high):
        value, low, high, bound = (math.log(end) for end in (value, low, high, bound))
    launches = len(estimate.launch_values)
    degrees = float(launches - 1)
    return Clearance(value, low, high, bound, degrees, p_value, launches, estimate.reached)


def _grounded(question: Question, told: Told, rests_on: Sequence[_Side]) -> Told:
    """With the figure that is nearest to the bound, of those that the answer rests on."""
    hinge = min(rests_on, key=lambda one: one.clearance.room)
    worst = max(one.clearance.p_value for one in rests_on)
    above = hinge.side > 0
    end = hinge.estimate.low if above else hinge.estimate.high
    unit = hinge.estimate.unit
    change = unless_text(
        f"value at {label_of(question.axes[0], hinge.value)}",
        "below" if above else "above",
        format_value(question.bound, unit),
        "not reached there" if above else "reached there",
        "" if is_unbounded(end) else format_value(end, unit),
    )
    clearance = hinge.clearance._replace(p_value=worst)
    return replace(told, clearance=clearance, would_change=(change,))


def _to_decide(axis: str, open_sides: Sequence[_Side]) -> tuple[str, ...]:
    """How many launches it takes at those that are open, by the one that takes most."""
    if not open_sides:
        return ()
    counts = {one.value: launches_to_decide(one.clearance) for one in open_sides}
    hardest = max(open_sides, key=lambda one: counts[one.value])
    why = f"at {label_of(axis, hardest.value)}"
    made = hardest.clearance.launches
    return (more_launches_text(counts[hardest.value], made, why),)


def _distance(estimate: Estimate, bound: float) -> tuple[float, float]:
    """How far above the bound the value lies, and the p value of its being on that side."""
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


def _unbroken(values: Sequence[int], sides: Sequence[int], allowed: Sequence[int]) -> int | None:
    """The value that begins the unbroken row of such sides that ends at the last value."""
    begin = None
    for value, side in zip(reversed(values), reversed(sides), strict=True):
        if side not in allowed:
            break
        begin = value
    return begin
