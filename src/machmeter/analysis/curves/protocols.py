"""Where the protocol of messages switches as they grow, and what each switch costs.

Libraries send small messages at once (eager) and ask first before large ones (rendezvous), and
copy by other means from some size on. Under one protocol the time of a message is a line over its
size, `startup + size * per_byte` (LogGP: Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995, with
the startup and per-byte cost of each protocol by itself, as in PLogP: Kielmann, Bal, Verstoep,
IPDPS workshops 2000). A switch is a change of line: a jump, or a bend only. Smooth curves are cut
into lines too, so a jump is what neither of the two lines explains between the sizes at the cut.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from machmeter.analysis.stats.student import (
    CONFIDENCE,
    mean_and_half_width,
    student_quantile,
    two_sided_p,
)
from machmeter.model.results.curves import ProtocolRegion
from machmeter.model.units import UNBOUNDED, is_unbounded

Floats = NDArray[np.float64]

LEAST_SIZES = 3
# Between 8189 and 8195 bytes any noise is a slope.
LEAST_SPAN = 1.5
# Two numbers of a line, where it begins, and one more because the noise is estimated too: without
# it one line of 5 % noise is cut in two three times as often.
PARAMETERS = 4
# Real protocols are not quite lines: copies depend on alignment and caches.
LEAST_NOISE = 0.015
# A smaller jump is reported as a change of slope.
LEAST_JUMP = 0.05
MOST_NOISE = 0.1
# A single size apart from its line costs less than a region of its own.
FAR = 3.0
_FITS = 5
_NORMAL_MEDIAN = 0.6745  # quantile 1/2 of |z|, z standard normal
_OUT_OF_PROPORTION = 3.0


class _Line(Struct, frozen=True):
    """Lines of several rows: `[row]`, seconds and seconds per byte."""

    startup: Floats
    per_byte: Floats


def find_protocols(
    sizes_bytes: Sequence[int], curves: Sequence[Sequence[float]]
) -> tuple[ProtocolRegion, ...]:
    """Regions of message sizes, each described by one line of time over size, smallest first.

    sizes_bytes: rising, 0 allowed; curves: `[launch][size]`, seconds one way. A region has three
    sizes at least, of which the largest is at least 1.5 times the smallest. Its line is that of the
    launches' mean, with Student's interval over launches, each fitted by itself with the same cuts
    (bounds are UNBOUNDED for one launch); the interval does not hold the uncertainty of the cuts. A
    region's startup is where its line would begin, and may be below zero where messages leave a
    cache. The step is the change of the measured time from the last size before the cut to the
    first after it, less what the steeper of the two lines takes of it (the flatter one, where time
    drops), 0 where a slope between theirs takes it all; its interval holds the jump wherever
    between the two sizes it lies.

    Method: lines are fitted to relative errors, so that 1 byte counts as much as 10^8, without
    sizes that lie far off. Cuts are those of the least squared log error of the launches' median,
    in units of the noise (hardly more than nine for any one size), plus 4 ln(n) for each region
    (after BIC: Schwarz, Annals of Statistics 6, 1978), by dynamic programming (Bellman, Roth, JASA
    64, 1969). The noise is how far a size lies from the line through its neighbors, at least 1.5 %.

    Raises ValueError when there is no curve, fewer than two sizes, a curve has not one time for
    each size, sizes do not rise, or a time is not positive.
    """
    x, times = _checked(sizes_bytes, curves)
    middle = np.exp(np.median(np.log(times), axis=0))
    noise = _noise(x, middle, times)
    cuts = _cuts(x, middle, noise)
    spans = list(pairwise((0, *cuts, len(x))))
    lines = [_fitted(x[b:e], times[:, b:e], noise[b:e]) for b, e in spans]
    return tuple(
        _region(
            (sizes_bytes[begin], sizes_bytes[end - 1]),
            line,
            _step(x, times, begin, (lines[i - 1], line)) if i else (0.0, 0.0, 0.0),
        )
        for i, ((begin, end), line) in enumerate(zip(spans, lines, strict=True))
    )


def step_ratio(region: ProtocolRegion, before: ProtocolRegion) -> float:
    """How many times as long a message takes where `region` begins as by the line before it."""
    old = before.startup_seconds + before.seconds_per_byte * region.first_bytes
    return (old + region.step_seconds) / old if old > 0 else math.inf


def jumps(region: ProtocolRegion, before: ProtocolRegion, p_value: float | None = None) -> bool:
    """Whether the time jumps where the region begins, by 5 % or more, up or down.

    p_value: of the step, where it was adjusted for the number of steps (None: its own).
    """
    ratio = step_ratio(region, before)
    large = ratio >= 1 + LEAST_JUMP or ratio <= 1 / (1 + LEAST_JUMP)
    known = not (is_unbounded(region.step_low) or is_unbounded(region.step_high))
    apart = region.step_low > 0 or region.step_high < 0
    return known and large and (apart if p_value is None else p_value <= 1 - CONFIDENCE)


def step_p_value(region: ProtocolRegion, launches: int) -> float:
    """Probability of a step this large where a slope between the two lines' explains it.

    launches: of the curves, 2 or more. The interval's end that is nearer to zero is half a Student
    interval away from the step.
    """
    step = region.step_seconds
    if step == 0:
        return 1.0
    half = step - region.step_low if step > 0 else region.step_high - step
    return two_sided_p(step, half / student_quantile(launches - 1), launches - 1)


def _checked(sizes: Sequence[int], curves: Sequence[Sequence[float]]) -> tuple[Floats, Floats]:
    if not curves or len(sizes) < 2:
        raise ValueError("protocols need at least one curve and two sizes")
    if sizes[0] < 0 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError("sizes must rise, from 0 or more")
    for launch, curve in enumerate(curves):
        if len(curve) != len(sizes):
            raise ValueError(f"curve {launch} has {len(curve)} times for {len(sizes)} sizes")
        if not all(math.isfinite(seconds) and seconds > 0 for seconds in curve):
            raise ValueError(f"curve {launch} has a time that is not a positive number")
    return np.asarray(sizes, dtype=float), np.asarray(curves, dtype=float)


def _noise(x: Floats, middle: Floats, times: Floats) -> Floats:
    """Standard deviation of the median curve, relative, for each size.

    What sizes say that lie off the line through their neighbors (their median, as few of them
    have a switch beside them), and at least what the launches say of this size.
    """
    along = np.full(len(x), LEAST_NOISE)
    if len(x) >= 2 * LEAST_SIZES:
        share = (x[2:] - x[1:-1]) / (x[2:] - x[:-2])
        low, high = share * middle[:-2], (1 - share) * middle[2:]
        off = np.abs(middle[1:-1] - low - high)
        spread = np.sqrt(middle[1:-1] ** 2 + low**2 + high**2)
        along[:] = float(np.median(off / spread)) / _NORMAL_MEDIAN
    launches = len(times)
    if launches >= LEAST_SIZES:
        logs = np.log(times / middle)
        # A launch that is slow as a whole says nothing of one size.
        logs -= np.median(logs, axis=1, keepdims=True)
        apart = np.median(np.abs(logs), axis=0) / _NORMAL_MEDIAN
        along = np.maximum(along, apart * math.sqrt(math.pi / 2 / launches))
    clipped: Floats = np.clip(along, LEAST_NOISE, MOST_NOISE)
    return clipped


def _cuts(x: Floats, middle: Floats, noise: Floats) -> list[int]:
    """Where regions begin, but for the first."""
    count = len(x)
    if count < 2 * LEAST_SIZES:
        return []
    penalty = PARAMETERS * math.log(count)
    best = [0.0] + [math.inf] * count
    begins = [0] * (count + 1)
    for begin in range(count - LEAST_SIZES + 1):
        if math.isinf(best[begin]):
            continue
        costs = best[begin] + penalty + _costs(x[begin:], middle[begin:], noise[begin:])
        wide = x[begin:] >= LEAST_SPAN * x[begin]
        for length in range(LEAST_SIZES, count - begin + 1):
            if wide[length - 1] and costs[length - 1] < best[begin + length]:
                best[begin + length] = costs[length - 1]
                begins[begin + length] = begin
    cuts: list[int] = []
    end = count
    while begins[end] > 0:
        end = begins[end]
        cuts.append(end)
    return cuts[::-1]


def _costs(x: Floats, times: Floats, noise: Floats) -> Floats:
    """The error of one line through the first 1, 2, ... sizes."""
    inside = np.tri(len(x))
    line = _fitted(x, times[np.newaxis], noise, inside)
    off = _off(line, x, times, noise)
    costs: Floats = (_cost(off) * inside).sum(axis=1)
    return costs


def _cost(off: Floats) -> Floats:
    """Squares up to FAR, and hardly more beyond: a size that is far from two lines is still given
    to the nearer one.
    """
    beyond = np.maximum(np.abs(off), FAR) / FAR
    cost: Floats = np.minimum(off**2, FAR**2) + 2 * np.log(beyond)
    return cost


def _off(line: _Line, x: Floats, times: Floats, noise: Floats) -> Floats:
    """Log error of each row's line at each size, in units of the noise."""
    off: Floats = np.log(times / _near(line, x, times)) / noise
    return off


def _near(line: _Line, x: Floats, times: Floats) -> Floats:
    """The times that lines give, within three times the measured ones, as logs need."""
    fitted = line.startup[:, np.newaxis] + line.per_byte[:, np.newaxis] * x
    near: Floats = np.clip(fitted, times / _OUT_OF_PROPORTION, times * _OUT_OF_PROPORTION)
    return near


def _fitted(x: Floats, times: Floats, noise: Floats, inside: Floats | None = None) -> _Line:
    """The line of each row of `times`, through the sizes that are inside.

    Least squares of relative errors, again and again: by what the last line gave, and less weight
    for what lies off it.
    """
    scale = float(x[-1]) or 1.0
    within = np.ones_like(times) if inside is None else inside
    expected = np.broadcast_to(times, within.shape)
    weights = within
    line = _least_squares(x / scale, times, weights / (expected * noise) ** 2)
    for _ in range(_FITS):
        real = _Line(line.startup, line.per_byte / scale)
        expected = _near(real, x, times)
        off = np.abs(_off(real, x, times, noise))
        weights = within / (1 + (off / FAR) ** 4)
        line = _least_squares(x / scale, times, weights / (expected * noise) ** 2)
    return _Line(line.startup, line.per_byte / scale)


def _least_squares(x: Floats, times: Floats, weights: Floats) -> _Line:
    """Weighted least squares of each row; a line that would fall is level."""
    total = weights.sum(axis=1)
    mean_x = (weights * x).sum(axis=1) / total
    mean_t = (weights * times).sum(axis=1) / total
    apart = x - mean_x[:, np.newaxis]
    spread = (weights * apart**2).sum(axis=1)
    together = (weights * apart * times).sum(axis=1)
    sound = spread > 1e-14 * total
    slope = np.where(sound, together / np.where(sound, spread, 1.0), 0.0)
    slope = np.maximum(slope, 0.0)
    return _Line(mean_t - slope * mean_x, slope)


def _step(
    x: Floats, times: Floats, begin: int, lines: tuple[_Line, _Line]
) -> tuple[float, float, float]:
    """The jump between two neighboring sizes with its interval, with either slope between them."""
    slopes = [line.per_byte for line in lines]
    change, apart = times[:, begin] - times[:, begin - 1], x[begin] - x[begin - 1]
    least, low, _ = _interval(change - np.maximum(*slopes) * apart)
    most, _, high = _interval(change - np.minimum(*slopes) * apart)
    return (least if least > 0 else min(most, 0.0)), low, high


def _region(
    sizes: tuple[int, int], line: _Line, step: tuple[float, float, float]
) -> ProtocolRegion:
    startup, startup_low, startup_high = _interval(line.startup)
    per_byte, per_byte_low, per_byte_high = _interval(line.per_byte)
    return ProtocolRegion(
        first_bytes=sizes[0],
        last_bytes=sizes[1],
        startup_seconds=startup,
        startup_low=startup_low,
        startup_high=startup_high,
        seconds_per_byte=per_byte,
        per_byte_low=per_byte_low,
        per_byte_high=per_byte_high,
        step_seconds=step[0],
        step_low=step[1],
        step_high=step[2],
    )


def _interval(values: Floats) -> tuple[float, float, float]:
    center, half = mean_and_half_width([float(value) for value in values])
    if is_unbounded(half):
        return center, -UNBOUNDED, UNBOUNDED
    return center, center - half, center + half
