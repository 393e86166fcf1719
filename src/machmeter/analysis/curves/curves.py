"""Estimates along one axis as curves, one for each launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.rules.select import value_of
from machmeter.model.results.estimate import Estimate


class Curves(Struct, frozen=True):
    """Values along an axis: `launches[launch][position]`, in the estimates' unit.

    estimates: those of each position; launches: those that have every position, or the rounds that
    have, where no launch does.
    """

    axis: tuple[int, ...]
    launches: tuple[tuple[float, ...], ...]
    estimates: tuple[Estimate, ...]


def curves_along(axis: str, estimates: Sequence[Estimate]) -> Curves | None:
    """The curves that the estimates are along a parameter or layout field of numbers.

    None where a value of the axis is no number or occurs twice, or no launch or round has all.
    """
    ordered = ordered_along(axis, estimates)
    if ordered is None:
        return None
    kept = tuple(ordered.values())
    for keyed in ([_by_launch(e) for e in kept], [_by_round(e) for e in kept]):
        common = sorted(set(keyed[0]).intersection(*keyed[1:]))
        if common:
            launches = tuple(tuple(one[number] for one in keyed) for number in common)
            return Curves(tuple(ordered), launches, kept)
    return None


def ordered_along(axis: str, estimates: Sequence[Estimate]) -> dict[int, Estimate] | None:
    """The estimates by their number on the axis, rising; None where one is no number, or twice."""
    numbers = [(value_of(estimate, axis), estimate) for estimate in estimates]
    found = {value: estimate for value, estimate in numbers if isinstance(value, int)}
    return dict(sorted(found.items())) if found and len(found) == len(estimates) else None


def _by_launch(estimate: Estimate) -> Mapping[int, float]:
    return dict(zip(estimate.launch_numbers, estimate.launch_values, strict=False))


def _by_round(estimate: Estimate) -> Mapping[int, float]:
    return dict(zip(estimate.rounds, estimate.launch_values, strict=False))
