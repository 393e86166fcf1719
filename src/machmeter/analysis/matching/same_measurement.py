"""Which compared results say the same of one measurement: a time and the rate that follows from it.

Both are the same samples times a constant, so that ratios and p values are equal, and to count both
would count every launch twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis, ComparedResult

# A constant costs the last digits of a double, and no more.
_ROUNDING = 1e-9


def first_of_each(results: Sequence[ComparedResult]) -> list[int]:
    """Of each result, the position of the first one that says the same of one measurement.

    That is its own position where there is none; as that of results as printed always is.
    """
    firsts: dict[tuple[str, str], list[int]] = {}
    found = []
    for number, result in enumerate(results):
        earlier = firsts.setdefault((result.a.point.key, result.b.point.key), [])
        same = next((one for one in earlier if _is_one(results[one], result)), number)
        if same == number:
            earlier.append(number)
        found.append(same)
    return found


def _is_one(one: ComparedResult, other: ComparedResult) -> bool:
    """Whether two results of one pair of points follow from each other.

    A ratio that nothing bounds, or that has no width, tells no two measurements apart.
    """
    if one.as_printed or other.as_printed:
        return False
    if one.points is not None or other.points is not None:
        return one.a.metric == other.a.metric
    first, second = one.by[Basis.AS_MEASURED], other.by[Basis.AS_MEASURED]
    if any(not ratio.is_bounded or ratio.low == ratio.high for ratio in (first, second)):
        return False
    return (
        math.isclose(first.ratio, second.ratio, rel_tol=_ROUNDING)
        and _follow(one.a, other.a)
        and _follow(one.b, other.b)
    )


def _follow(one: Estimate, other: Estimate) -> bool:
    """Whether the launches of one are those of the other times a constant, or that over them."""
    if one.launch_numbers != other.launch_numbers:
        return False
    pairs = list(zip(one.launch_values, other.launch_values, strict=True))
    (x, y), *others = pairs
    if one.direction is other.direction:
        return all(math.isclose(v * y, x * w, rel_tol=_ROUNDING) for v, w in others)
    return all(math.isclose(v * w, x * y, rel_tol=_ROUNDING) for v, w in others)
