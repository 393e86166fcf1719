"""The levels of the memory hierarchy, found in curves of latency over working set.

A level is a plateau of the curve. Between two levels the latency climbs a ramp, because a working
set somewhat larger than a cache is still partly held by it. A cache ends on its ramp, where half of
the accesses still hit it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from machmeter.analysis.curves.last_cache import CACHE_TO_MEMORY
from machmeter.analysis.stats.student import bounded_exp, mean_and_half_width
from machmeter.model.results.curves import Knee

Floats = NDArray[np.float64]

# A factor of 2; measured sizes are whole lines, so that their steps are not quite equal.
LEAST_LOG_SPAN = math.log(2 / 1.03)
# Log latency over log size: a plateau rises by less than 23 % as the working set doubles.
FLAT = 0.3
# Log latency of one launch, which nothing averages.
NEAR = 0.25


class _Level(Struct, frozen=True):
    """Sizes `first` to `last`, both included, and their log latency."""

    first: int
    last: int
    height: float


def find_knees(sizes_bytes: Sequence[int], curves: Sequence[Sequence[float]]) -> tuple[Knee, ...]:
    """Levels from the fastest to memory: where each ends, its latency and 95 % interval.

    sizes_bytes: rising; curves: `[launch][size]`, seconds. The last level is memory, size 0.

    A level is a plateau over a factor of 2 in size at least, of which more than half of the
    launches show one at its latency; levels less than 1.43x apart are one. Disturbances only slow
    loads down, and no working set is faster than a smaller one: each launch's curve is freed of
    spikes by taking at each size the least latency of that size and all larger ones. The plateaus
    are those of the median over launches. Where the curve climbs to its end, its last size stands
    for memory. A level whose latency is not below 0.7 of memory's is none.

    A level ends, in each launch, at the largest size whose latency is below the mean of its own
    and the next level's: where half of the accesses hit it. The end is the median over launches,
    its interval their range. The latency's interval is Student's t over launches on the logs of
    each launch's median on the level (unbounded for one launch).

    Raises ValueError when there is no curve, a curve has not one latency for each size, sizes do
    not rise, or a latency is not positive.
    """
    logs = _checked_logs(sizes_bytes, curves)
    x = np.log(np.asarray(sizes_bytes, dtype=float))
    free = np.minimum.accumulate(logs[:, ::-1], axis=1)[:, ::-1]
    middle = np.median(free, axis=0)
    levels = _apart_from_memory(_with_memory(_agreed(x, _levels(x, middle), free), middle), logs)
    below = (
        _knee([sizes_bytes[i] for i in _ends(level, above, free)], logs, level)
        for level, above in pairwise(levels)
    )
    memory = _knee([0], logs, levels[-1])
    return (*below, replace(memory, size_high_bytes=sizes_bytes[-1]))


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


def _levels(x: Floats, y: Floats) -> list[_Level]:
    """The plateaus of a curve that never falls, those too near to one another as one."""
    levels: list[_Level] = []
    for first, last in _plateaus(x, y):
        level = _level(first, last, y)
        while levels and level.height - levels[-1].height < -math.log(CACHE_TO_MEMORY):
            level = _level(levels.pop().first, last, y)
        levels.append(level)
    return levels


def _level(first: int, last: int, y: Floats) -> _Level:
    return _Level(first, last, float(np.median(y[first : last + 1])))


def _plateaus(x: Floats, y: Floats) -> list[tuple[int, int]]:
    """First and last index of each run of windows of a factor of 2 that rise by less than FLAT"""
    ends = np.searchsorted(x, x + LEAST_LOG_SPAN)
    found: list[tuple[int, int]] = []
    for start, end in enumerate(ends):
        if end == len(x) or y[end] - y[start] > FLAT * (x[end] - x[start]):
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], int(end))
        else:
            found.append((start, int(end)))
    return found


def _agreed(x: Floats, levels: Sequence[_Level], free: Floats) -> list[_Level]:
    """The levels that more than half of the launches show; all sizes as one where none is."""

    def shown(curve: Floats, level: _Level) -> bool:
        on_it = x[np.abs(curve - level.height) < NEAR]
        return len(on_it) > 0 and bool(on_it[-1] - on_it[0] >= LEAST_LOG_SPAN)

    agreed = [one for one in levels if 2 * sum(shown(curve, one) for curve in free) > len(free)]
    return agreed or [_level(0, len(x) - 1, np.median(free, axis=0))]


def _with_memory(levels: list[_Level], y: Floats) -> list[_Level]:
    """The levels; where the curve climbs to its end its last size is memory, as far as is known."""
    if y[-1] - levels[-1].height < -math.log(CACHE_TO_MEMORY):
        return levels
    return [*levels, _level(len(y) - 1, len(y) - 1, y)]


def _apart_from_memory(levels: list[_Level], logs: Floats) -> list[_Level]:
    """The levels without those that are as slow as memory before curves are freed of spikes."""
    heights = [float(np.mean(_heights(logs, level))) for level in levels]
    most = heights[-1] + math.log(CACHE_TO_MEMORY)
    kept = [one for one, height in zip(levels[:-1], heights, strict=False) if height < most]
    return [*kept, levels[-1]]


def _heights(logs: Floats, level: _Level) -> Floats:
    """The log latency of each launch on a level."""
    heights: Floats = np.median(logs[:, level.first : level.last + 1], axis=1)
    return heights


def _ends(level: _Level, above: _Level, free: Floats) -> list[int]:
    """Index of the level's last size in each launch that has sizes on it."""
    half = math.log((math.exp(level.height) + math.exp(above.height)) / 2)
    return [int(np.searchsorted(curve, half)) - 1 for curve in free if curve[0] < half] or [0]


def _knee(ends: Sequence[int], logs: Floats, level: _Level) -> Knee:
    center, half = mean_and_half_width([float(height) for height in _heights(logs, level)])
    return Knee(
        median_low(ends),
        math.exp(center),
        bounded_exp(center - half),
        bounded_exp(center + half),
        size_low_bytes=min(ends),
        size_high_bytes=max(ends),
    )
