"""What one more of something costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from machmeter.analysis.stats.student import mean_and_half_width
from machmeter.model.interval import HasInterval
from machmeter.model.units import UNBOUNDED, is_unbounded

Floats = NDArray[np.float64]


class Growth(Struct, HasInterval, frozen=True):
    """The slope of a metric, in its unit, for one more of the axis."""

    slope: float
    """Mean over launches."""
    low: float
    """Lower end of its 95 % interval over launches."""
    high: float
    """Upper end of its 95 % interval over launches."""
    first: float
    """The slope between the first two values of the axis."""
    last: float
    """The slope between the last two values of the axis."""
    even: bool
    """False where these two are shown to differ."""


def growth(axis: Sequence[int], curves: Sequence[Sequence[float]]) -> Growth:
    """How `curves[launch][position]` grow along `axis` (rising, from 1 or more).

    Each launch (or round) gives one slope by least squares; Student's t over them.

    Raises ValueError when there are fewer than two values of the axis, no curve, a curve has not
    one value for each, a value is not finite, or the axis does not rise from 1 or more.
    """
    if len(axis) < 2 or not curves:
        raise ValueError("growth needs at least two values of the axis and one curve")
    if axis[0] < 1 or any(b <= a for a, b in pairwise(axis)):
        raise ValueError("the axis must rise, from 1 or more")
    for curve in curves:
        if len(curve) != len(axis) or not all(math.isfinite(value) for value in curve):
            raise ValueError("each curve must have one finite value for each of the axis")
    rows = np.asarray(curves, dtype=float)
    x = np.asarray(axis, dtype=float)
    slope, low, high = _interval(_slopes(x, rows))
    first = (rows[:, 1] - rows[:, 0]) / (x[1] - x[0])
    last = (rows[:, -1] - rows[:, -2]) / (x[-1] - x[-2])
    _, bend_low, bend_high = _interval(last - first)
    return Growth(
        slope, low, high, float(first.mean()), float(last.mean()), bend_low <= 0 <= bend_high
    )


def _slopes(x: Floats, rows: Floats) -> Floats:
    apart = x - x.mean()
    slopes: Floats = rows @ apart / float(apart @ apart)
    return slopes


def _interval(values: Floats) -> tuple[float, float, float]:
    center, half = mean_and_half_width([float(value) for value in values])
    if is_unbounded(half):
        return center, -UNBOUNDED, UNBOUNDED
    return center, center - half, center + half
