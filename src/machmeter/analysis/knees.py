"""The levels of the memory hierarchy, found in curves of latency over working set.

A level is a plateau of the curve. Between two levels the latency climbs a ramp, because a working
set somewhat larger than a cache is still partly held by it. The ramp belongs to no level: a cache
is as large as the largest working set that runs at its latency.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from machmeter.analysis.student import bounded_exp, mean_and_half_width
from machmeter.model.estimate import Knee

Floats = NDArray[np.float64]

LEAST_LEVEL_POINTS = 3
SMALLEST_STEP = 1.18
LEAST_NOISE = 0.02
MOST_NOISE = 0.1
PLATEAU_PARAMETERS = 2
RAMP_PARAMETERS = 3
PENALTY_FACTOR = 1.5


class _Segment(Struct, frozen=True):
    """Sizes `first` to `last`, both included; a plateau or a ramp."""

    first: int
    last: int
    plateau: bool


def find_knees(sizes_bytes: Sequence[int], curves: Sequence[Sequence[float]]) -> tuple[Knee, ...]:
    """Levels from the fastest to memory: where each ends, its latency and 95 % interval.

    sizes_bytes: rising; curves: `[launch][size]`, seconds. The last level is memory, size 0. Levels
    less than 1.18x apart count as one. The interval is Student's t over launches on the logs of
    each launch's median on the level (unbounded for one launch).

    Method: the median over launches of log latency, freed of single spikes by a running median of
    three (Tukey, Exploratory Data Analysis, 1977), is split into plateaus and straight ramps over
    log size by dynamic programming (Bellman, Roth, JASA 64, 1969) at the least squared error plus
    1.5 ln(n) for each parameter (BIC: Schwarz, Annals of Statistics 6, 1978; half as much again
    because real levels are not quite flat).

    Raises ValueError when there is no curve, a curve has not one latency for each size, sizes do
    not rise, or a latency is not positive.
    """
    logs = _checked_logs(sizes_bytes, curves)
    x = np.log(np.asarray(sizes_bytes, dtype=float))
    raw = np.median(logs, axis=0)
    smooth = _running_median(raw)
    noise = _noise(raw)
    segments = _split(x, smooth / noise)
    levels = _merged([s for s in segments if s.plateau], smooth)
    levels = [_trimmed(level, smooth, noise) for level in levels]
    last = len(levels) - 1
    return tuple(
        _knee(0 if i == last else sizes_bytes[level.last], logs, level)
        for i, level in enumerate(levels)
    )


def _checked_logs(sizes: Sequence[int], curves: Sequence[Sequence[float]]) -> Floats:
    if not curves or not sizes:
        raise ValueError("knees need at least one curve and one size")
    if sizes[0] <= 0 or any(b <= a for a, b in zip(sizes, sizes[1:], strict=False)):
        raise ValueError("sizes must be positive and rise")
    for launch, curve in enumerate(curves):
        if len(curve) != len(sizes):
            raise ValueError(f"curve {launch} has {len(curve)} latencies for {len(sizes)} sizes")
        if not all(math.isfinite(seconds) and seconds > 0 for seconds in curve):
            raise ValueError(f"curve {launch} has a latency that is not a positive number")
    return np.log(np.asarray(curves, dtype=float))


def _running_median(y: Floats) -> Floats:
    """Running median of three: keeps rising steps and ramps as they are, drops single spikes."""
    if len(y) < 3:
        return y
    inner = np.median(np.stack((y[:-2], y[1:-1], y[2:])), axis=0)
    return np.concatenate(([min(y[0], inner[0])], inner, [max(y[-1], inner[-1])]))


def _noise(y: Floats) -> float:
    """Standard deviation of log latency along a level, from second differences, within limits."""
    if len(y) < 5:
        return LEAST_NOISE
    second = y[:-2] - 2 * y[1:-1] + y[2:]
    spread = float(np.median(np.abs(second))) / 0.6745 / math.sqrt(6)
    return min(max(spread, LEAST_NOISE), MOST_NOISE)


def _split(x: Floats, y: Floats) -> list[_Segment]:
    """Cheapest split of the curve `y` (in units of its noise) that begins and ends on a plateau."""
    count = len(y)
    penalty = PENALTY_FACTOR * math.log(max(count, 3))
    best = [(0.0, -1, True)] + [(math.inf, -1, True)] * count
    for end in range(1, count + 1):
        for start in range(end):
            for plateau in (True, False):
                if not _allowed(start, end, count, plateau):
                    continue
                cost = best[start][0] + _cost(x[start:end], y[start:end], plateau, penalty)
                if cost < best[end][0]:
                    best[end] = (cost, start, plateau)
    segments: list[_Segment] = []
    end = count
    while end > 0:
        _, start, plateau = best[end]
        segments.append(_Segment(start, end - 1, plateau))
        end = start
    return segments[::-1]


def _allowed(start: int, end: int, count: int, plateau: bool) -> bool:
    """Plateaus have three points, fewer at either end of the curve; ramps never begin or end it."""
    if plateau:
        at_an_end = start == 0 or end == count
        return end - start >= LEAST_LEVEL_POINTS - at_an_end or count < LEAST_LEVEL_POINTS
    return 0 < start and end < count


def _cost(x: Floats, y: Floats, plateau: bool, penalty: float) -> float:
    centered = y - y.mean()
    error = float(centered @ centered)
    if plateau:
        return error + PLATEAU_PARAMETERS * penalty
    along = x - x.mean()
    if len(y) > 1:
        error -= float(along @ centered) ** 2 / float(along @ along)
    return error + RAMP_PARAMETERS * penalty


def _height(level: _Segment, y: Floats) -> float:
    return float(np.median(y[level.first : level.last + 1]))


def _merged(levels: list[_Segment], y: Floats) -> list[_Segment]:
    """Levels that rise by the smallest step at least; what lies closer, or falls, is one level."""
    result: list[_Segment] = []
    for level in levels:
        current = level
        while result and _height(current, y) - _height(result[-1], y) < math.log(SMALLEST_STEP):
            current = _Segment(result.pop().first, current.last, True)
        result.append(current)
    return result


def _trimmed(level: _Segment, y: Floats, noise: float) -> _Segment:
    """The level without trailing points that already leave it."""
    limit = _height(level, y) + max(math.log(SMALLEST_STEP) / 2, 3 * noise)
    last = level.last
    while last > level.first and y[last] > limit:
        last -= 1
    return _Segment(level.first, last, True)


def _knee(size: int, logs: Floats, level: _Segment) -> Knee:
    heights = np.median(logs[:, level.first : level.last + 1], axis=1)
    center, half = mean_and_half_width([float(height) for height in heights])
    return Knee(size, math.exp(center), bounded_exp(center - half), bounded_exp(center + half))
