"""From which size on a result is flat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from machmeter.analysis.stats.student import bounded_exp, checked_logs, mean_and_half_width
from machmeter.model.interval import HasInterval

FLAT_WITHIN = 0.03


class Trend(StrEnum):
    """What a result does as the size doubles."""

    FLAT = "flat"
    RISING = "rising"
    FALLING = "falling"
    UNCLEAR = "unclear"


class Octave(Struct, HasInterval, frozen=True):
    """The change from one size to the next: ratio for each doubling, with its 95 % interval."""

    first: int
    """The smaller size."""
    second: int
    """The larger size."""
    ratio: float
    """Of the values, for each doubling."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    trend: Trend
    """What the interval shows."""


class Flatness(Struct, frozen=True):
    """From which size on a curve is flat; None where there is no such size."""

    end: Octave
    """Its trend from the last size but one to the last."""
    flat_from: int | None
    """The smallest size from which on every change is shown to be flat."""
    perhaps_from: int | None
    """The smallest from which on none is shown to be more (equal where nothing is unclear)."""


def flatness(
    sizes: Sequence[int], curves: Sequence[Sequence[float]], within: float = FLAT_WITHIN
) -> Flatness:
    """Where `curves[launch][size]` (positive, any unit) stop to change by more than `within`.

    A change from one size to the next is flat when its interval is within +-`within` for each
    doubling of the size, and rising or falling when it is outside: Student's t on the log ratios
    of each launch. From a size on the result is flat where every such change is, and where of all
    sizes from there on no two differ by more than `within`: many small changes add up to a large
    one. All of that must be shown, so the claim holds at 95 % (Berger, Technometrics 24, 1982).

    Raises ValueError when there are fewer than two sizes, no curve, a curve has not one value for
    each size, sizes do not rise from above 0, or a value is not positive.
    """
    if len(sizes) < 2 or not curves:
        raise ValueError("flatness needs at least two sizes and one curve")
    if sizes[0] <= 0 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError("sizes must be positive and rise")
    if any(len(curve) != len(sizes) for curve in curves):
        raise ValueError("each curve must have one value for each size")
    logs = [checked_logs(curve, "curve") for curve in curves]
    octaves = [
        _octave(sizes[i], sizes[i + 1], [row[i + 1] - row[i] for row in logs], within)
        for i in range(len(sizes) - 1)
    ]
    far = [_farthest(logs, i, math.log1p(within)) for i in range(len(octaves))]
    return Flatness(
        octaves[-1],
        _begins(octaves, far, (Trend.FLAT,)),
        _begins(octaves, far, (Trend.FLAT, Trend.UNCLEAR)),
    )


def _octave(first: int, second: int, changes: Sequence[float], within: float) -> Octave:
    doublings = math.log2(second / first)
    center, half = mean_and_half_width([change / doublings for change in changes])
    low, high = center - half, center + half
    return Octave(
        first,
        second,
        math.exp(center),
        bounded_exp(low),
        bounded_exp(high),
        _trend(low, high, math.log1p(within)),
    )


def _farthest(logs: Sequence[Sequence[float]], begin: int, margin: float) -> Trend:
    """Whether all later sizes are shown to be within the margin of that at `begin`, one is shown
    to be beyond it, or neither."""
    trends = []
    for later in range(begin + 1, len(logs[0])):
        center, half = mean_and_half_width([row[later] - row[begin] for row in logs])
        trends.append(_trend(center - half, center + half, margin))
    beyond = [trend for trend in trends if trend in (Trend.RISING, Trend.FALLING)]
    if beyond:
        return beyond[0]
    return Trend.UNCLEAR if Trend.UNCLEAR in trends else Trend.FLAT


def _trend(low: float, high: float, margin: float) -> Trend:
    if -margin <= low and high <= margin:
        return Trend.FLAT
    if low > margin:
        return Trend.RISING
    return Trend.FALLING if high < -margin else Trend.UNCLEAR


def _begins(
    octaves: Sequence[Octave], far: Sequence[Trend], allowed: Sequence[Trend]
) -> int | None:
    """The size that begins the unbroken row of such changes that ends at the last size."""
    begin = None
    for octave, farthest in zip(reversed(octaves), reversed(far), strict=True):
        if octave.trend not in allowed or farthest not in allowed:
            break
        begin = octave.first
    return begin
