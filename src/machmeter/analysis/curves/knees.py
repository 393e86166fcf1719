"""The levels of the memory hierarchy, found in curves of latency over working set.

A level is a plateau of the curve. Between two levels the latency climbs a ramp, because a working
set somewhat larger than a cache is still partly held by it. The ramp belongs to no level: a cache
is as large as the largest working set that runs at its latency.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from machmeter.analysis.stats.student import bounded_exp, mean_and_half_width
from machmeter.model.results.curves import Knee

Floats = NDArray[np.float64]

LEAST_LEVEL_POINTS = 3
SMALLEST_STEP = 1.18
GENTLE_SLOPE = 0.2  # log latency over log size
LEAST_NOISE = 0.05
MOST_NOISE = 0.1
PLATEAU_PARAMETERS = 2
RAMP_PARAMETERS = 3
NORMAL_LOWER_QUARTILE = 0.3186  # quantile 1/4 of |z|, z standard normal
NORMAL_MEDIAN = 0.6745  # quantile 1/2 of |z|


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

    Method: the median over launches of log latency, freed of spikes by a running median of five
    (Tukey, Exploratory Data Analysis, 1977), is split into plateaus and straight ramps over log
    size by dynamic programming (Bellman, Roth, JASA 64, 1969) at the least squared error, in units
    of the noise, plus ln(n) for each parameter (BIC: Schwarz, Annals of Statistics 6, 1978). The
    noise is at least 5 %, because real levels are not quite flat.

    Raises ValueError when there is no curve, a curve has not one latency for each size, sizes do
    not rise, or a latency is not positive.
    """
    logs = _checked_logs(sizes_bytes, curves)
    x = np.log(np.asarray(sizes_bytes, dtype=float))
    smooth = _running_median(np.median(logs, axis=0))
    noise = _noise(logs)
    segments = _split(x, smooth / noise)
    levels = _merged([s for s in segments if _is_level(s, x, smooth)], smooth)
    nexts = [level.first for level in levels[1:]] + [len(smooth)]
    levels = [
        _with_true_end(level, end, smooth, noise) for level, end in zip(levels, nexts, strict=True)
    ]
    last = len(levels) - 1
    return tuple(
        _knee(0 if i == last else sizes_bytes[level.last], logs, level)
        for i, level in enumerate(levels)
    )


def _checked_logs(sizes: Sequence[int], curves: Sequence[Sequence[float]]) -> Floats:
    if not curves or not sizes:
        raise ValueError("knees need at least one curve and one size")
    if sizes[0] <= 0 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError("sizes must be positive and rise")
    for launch, curve in enumerate(curves):
        if len(curve) != len(sizes):
            raise ValueError(f"curve {launch} has {len(curve)} latencies for {len(sizes)} sizes")
        if not all(math.isfinite(seconds) and seconds > 0 for seconds in curve):
            raise ValueError(f"curve {launch} has a latency that is not a positive number")
    logs: Floats = np.log(np.asarray(curves, dtype=float))
    return logs


def _running_median(y: Floats) -> Floats:
    """Running median of five: keeps rising steps and ramps as they are, drops spikes.

    The window shrinks to three beside the ends; the ends follow Tukey's end-point rule.
    """
    if len(y) < 5:
        return y
    inner = np.median(sliding_window_view(y, 5), axis=1)
    second, before_last = np.median(y[:3]), np.median(y[-3:])
    first = np.median((y[0], second, 3 * second - 2 * inner[0]))
    last = np.median((y[-1], before_last, 3 * before_last - 2 * inner[-1]))
    return np.concatenate(([first, second], inner, [before_last, last]))


def _noise(logs: Floats) -> float:
    """Standard deviation of the median curve along a level, in log latency, within limits.

    The smaller of what second differences along the curve say (lower quartile, as ramps bend most
    of them) and what the launches say (which hold whole launches that were slow, too).
    """
    estimates = [MOST_NOISE]
    launches, sizes = logs.shape
    if sizes >= 5:
        bends = np.abs(np.diff(np.median(logs, axis=0), n=2))
        estimates.append(float(np.quantile(bends, 0.25)) / NORMAL_LOWER_QUARTILE / math.sqrt(6))
    if launches >= 3:
        apart = np.median(np.abs(logs - np.median(logs, axis=0)), axis=0)
        estimates.append(
            float(np.median(apart)) / NORMAL_MEDIAN * math.sqrt(math.pi / 2 / launches)
        )
    return max(min(estimates), LEAST_NOISE)


def _split(x: Floats, y: Floats) -> list[_Segment]:
    """Cheapest split of the curve `y` (in units of its noise) that begins and ends on a plateau."""
    count = len(y)
    penalty = math.log(max(count, 3))
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
    return start > 0 and end < count


def _cost(x: Floats, y: Floats, plateau: bool, penalty: float) -> float:
    centered = y - y.mean()
    error = float(centered @ centered)
    if plateau:
        return error + PLATEAU_PARAMETERS * penalty
    along = x - x.mean()
    if len(y) > 1:
        error -= float(along @ centered) ** 2 / float(along @ along)
    return error + RAMP_PARAMETERS * penalty


def _is_level(segment: _Segment, x: Floats, y: Floats) -> bool:
    """Plateaus, and ramps of three points that rise by less than 15 % as the size doubles."""
    if segment.plateau:
        return True
    if segment.last - segment.first + 1 < LEAST_LEVEL_POINTS:
        return False
    along, up = (v[segment.first : segment.last + 1] for v in (x, y))
    along = along - along.mean()
    slope = float(along @ up) / float(along @ along)
    return abs(slope) < GENTLE_SLOPE


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


def _with_true_end(level: _Segment, before: int, y: Floats, noise: float) -> _Segment:
    """The level without trailing points that already leave it, with those that do not yet.

    The corner between a plateau and a ramp fits either equally well. before: index that begins the
    next level, which stays that level's.
    """
    height = _height(level, y)
    last = level.last
    while last > level.first and y[last] > height + 3 * noise:
        last -= 1
    while last + 1 < before and y[last + 1] <= height + noise:
        last += 1
    return _Segment(level.first, last, True)


def _knee(size: int, logs: Floats, level: _Segment) -> Knee:
    heights = np.median(logs[:, level.first : level.last + 1], axis=1)
    center, half = mean_and_half_width([float(height) for height in heights])
    return Knee(size, math.exp(center), bounded_exp(center - half), bounded_exp(center + half))
