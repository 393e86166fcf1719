"""Rule THRESHOLD: from which value of an axis on a figure reaches a bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.analysis.comparison import holm
from machmeter.analysis.curves import ordered_along
from machmeter.analysis.rules_labels import figure_with_interval, label_of, listed
from machmeter.analysis.rules_told import SIGNIFICANCE, Told
from machmeter.analysis.student import two_sided_p, variance_of_mean
from machmeter.model.estimate import Estimate, Scale
from machmeter.model.study import Question


def told_threshold(question: Question, followed: Sequence[Estimate]) -> Told | None:
    """From which value of the axis on the figure is at least the question's bound.

    None where a value of the axis is no number, or occurs twice.
    """
    axis = question.axes[0]
    along = ordered_along(axis, followed)
    if along is None:
        return None
    sides = _sides(list(along.values()), question.bound)
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
        return Told(
            name, f"{figure_with_interval(along[reached])} there{maybe}", question.yes, parts=parts
        )
    last = label_of(axis, values[-1])
    if all(side < 0 for side in sides):
        return Told(f"never up to {last}", at_most, question.no, parts=parts)
    above = [label_of(axis, value) for value, side in zip(values, sides, strict=True) if side > 0]
    if sides[-1] < 0 and above:
        figure = f"{figure_with_interval(along[values[-1]])} at {last}"
        return Told(f"at {listed(above)} only", figure, question.same, parts=parts)
    open_at = [label_of(axis, v) for v, side in zip(values, sides, strict=True) if side == 0]
    return Told("not resolved", f"open at {listed(open_at)}", decided=False, parts=parts)


def _sides(estimates: Sequence[Estimate], bound: float) -> list[int]:
    """1 where a value is shown to be at the bound or above, -1 below, 0 where that is open.

    Student's t on launch values, on their scale; p values adjusted for their number (Holm).
    """
    distances = [_distance(estimate, bound) for estimate in estimates]
    adjusted = holm([p for _, p in distances])
    return [
        (1 if above >= 0 else -1) if p <= SIGNIFICANCE else 0
        for (above, _), p in zip(distances, adjusted, strict=True)
    ]


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
