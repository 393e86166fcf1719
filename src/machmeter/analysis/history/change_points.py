"""Where a series in time changes its level, what went with it, and how steady it is.

Method: circular binary segmentation (Olshen, Venkatraman, Lucito, Wigler, Biostatistics 5, 2004),
which finds both a change and a passing dip, on the means of ranks in blocks, so that heavy tails
count no more than their order. Whether a split is real is tested by permuting whole blocks, longer
than the noise remembers (Kirch, PhD thesis, Kassel 2006): that memory is taken first from
differences one and two steps apart, which changes of level hardly touch (Chakar, Lebarbier,
Levy-Leduc, Robin, Bernoulli 23, 2017), then from what is left when the levels found are taken out,
summed up as by Sokal (in: Functional Integration, Plenum 1997).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from machmeter.analysis.stats.comparison import MARGIN, compare_welch
from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.analysis.stats.student import checked_logs

SIGNIFICANCE = 0.01
PERMUTATIONS = 499
LEAST_BLOCKS = 12
MOST_BLOCKS = 100
LEAST_BLOCK_LENGTH = 5
LEAST_ARC = 2
# Blocks are this many times longer than the noise remembers.
MEMORIES_OF_BLOCK = 3
MOST_CORRELATION = 0.98
ROUNDS = 4

_Floats = NDArray[np.float64]


class ChangePoint(Struct, frozen=True):
    """A change of level at `index`, the first value after it."""

    index: int
    """Of the first value after the change."""
    before: float
    """The level of the stretch before it, from the previous change on, in the unit of the series:
    the geometric mean over blocks of their interquartile means.
    """
    after: float
    """The level of the stretch after it, up to the next change."""
    change: float
    """`after / before - 1`; its 95 % interval is Welch's t on the logs of blocks."""
    low: float
    """Lower end of the interval of `change`."""
    high: float
    """Upper end of the interval of `change`."""
    p_value: float
    """Of the split that the change belongs to."""


class Stability(Struct, frozen=True):
    """How steady a series is: quantiles in its unit, standard deviation over mean as a ratio."""

    values: int
    """How many there are."""
    p5: float
    """5 % quantile."""
    median: float
    """50 % quantile."""
    p95: float
    """95 % quantile."""
    coefficient_of_variation: float
    """Standard deviation over mean."""


class _Split(NamedTuple):
    """Boundaries (as indices of the series) that one test found, with its p value."""

    boundaries: tuple[int, ...]
    p_value: float


def change_points(
    values: Sequence[float], least_change: float = MARGIN, seed: int = 0
) -> tuple[ChangePoint, ...]:
    """Changes of level in a series, in order; none where the noise can explain them.

    values: positive numbers in equal steps of time. Changes smaller than the ratio `least_change`,
    or whose 95 % interval holds no change, are left out. A stretch shorter than about a fiftieth
    of the series or than six times the memory of its noise is not found; a series shorter than 12
    such blocks has none. seed: of the permutations; the same gives the same. Raises ValueError for
    a value that is not positive or not finite, or a negative `least_change`.
    """
    if least_change < 0:
        raise ValueError(f"the least change to report is a ratio of 0 or more, got {least_change}")
    checked_logs(values, "series")
    if len(values) < LEAST_BLOCKS * LEAST_BLOCK_LENGTH:
        return ()
    series = np.asarray(values, dtype=float)
    length = _block_length(_first_memory(series), len(series))
    found: tuple[ChangePoint, ...] = ()
    for _ in range(ROUNDS):
        found = _with_block_length(series, length, least_change, seed)
        longer = _block_length(_memory_left(series, found), len(series))
        if longer <= length:
            break
        length = longer
    return found


def stability(values: Sequence[float]) -> Stability:
    """Quantiles and relative spread of a series, in its unit. Raises ValueError when it is empty.

    Quantiles between two values are interpolated; the standard deviation has n - 1 in it, and is 0
    for one value. A series whose mean is 0 has an infinite coefficient of variation unless it is
    constant.
    """
    if not values:
        raise ValueError("stability needs at least one value, got none")
    series = np.asarray(values, dtype=float)
    low, median, high = (float(value) for value in np.quantile(series, (0.05, 0.5, 0.95)))
    spread = float(series.std(ddof=1)) if len(series) > 1 else 0.0
    mean = abs(float(series.mean()))
    variation = 0.0 if spread == 0 else math.inf if mean == 0 else spread / mean
    return Stability(len(series), low, median, high, variation)


def _with_block_length(
    series: _Floats, length: int, least_change: float, seed: int
) -> tuple[ChangePoint, ...]:
    random = np.random.default_rng(seed)
    boundaries: dict[int, float] = {}
    open_stretches = [(0, len(series))]
    while open_stretches:
        begin, end = open_stretches.pop()
        split = _split(series, begin, end, length, random)
        boundaries.update(dict.fromkeys(split.boundaries, split.p_value))
        if split.boundaries:
            edges = (begin, *split.boundaries, end)
            open_stretches.extend(pairwise(edges))
    return _those_that_matter(series, boundaries, length, least_change)


def _split(
    series: _Floats, begin: int, end: int, length: int, random: np.random.Generator
) -> _Split:
    """The most striking stretch inside begin..end, where permuted blocks rarely have its like."""
    stretch = max(length, -(-(end - begin) // MOST_BLOCKS))
    blocks = (end - begin) // stretch
    if blocks < LEAST_BLOCKS:
        return _Split((), 1.0)
    ranks: _Floats = _ranks(series[begin:end])
    means = ranks[: blocks * stretch].reshape(blocks, stretch).mean(axis=1)
    means -= means.mean()
    seen, (left, right) = _most_striking(means[np.newaxis])
    permuted = random.permuted(np.tile(means, (PERMUTATIONS, 1)), axis=1)
    others, _ = _most_striking(permuted)
    as_striking = int(np.count_nonzero(others >= seen[0] * (1 - 1e-12)))
    p_value = (1 + as_striking) / (1 + PERMUTATIONS)
    if p_value > SIGNIFICANCE or seen[0] == 0:
        return _Split((), p_value)
    coarse = [begin + edge * stretch for edge in (left, right) if 0 < edge < blocks]
    return _Split(_refined(series, begin, end, coarse, stretch), p_value)


def _most_striking(rows: _Floats) -> tuple[_Floats, tuple[int, int]]:
    """Of every row of zero mean its largest statistic; the arc (begin, end) of the first row's.

    The statistic of an arc is its sum over the standard deviation, but for a factor, that this sum
    has in a row in random order. An arc is the complement of another: those that begin or end the
    row stand for single changes.
    """
    count, blocks = rows.shape
    sums = np.concatenate([np.zeros((count, 1)), np.cumsum(rows, axis=1)], axis=1)
    best = np.zeros(count)
    arc = (0, blocks)
    for size in range(LEAST_ARC, blocks - LEAST_ARC + 1):
        spread = math.sqrt(size * (blocks - size) / blocks)
        statistics = np.abs(sums[:, size:] - sums[:, :-size]) / spread
        largest = statistics.max(axis=1)
        if largest[0] > best[0]:
            begin = int(statistics[0].argmax())
            arc = (begin, begin + size)
        best = np.maximum(best, largest)
    return best, arc


def _refined(
    series: _Floats, begin: int, end: int, coarse: Sequence[int], reach: int
) -> tuple[int, ...]:
    """Boundaries moved, by up to `reach`, to where the ranks on either side differ most."""
    fine: list[int] = []
    for number, boundary in enumerate(coarse):
        left = fine[-1] if fine else begin
        right = coarse[number + 1] if number + 1 < len(coarse) else end
        ranks: _Floats = _ranks(series[left:right])
        sums = np.cumsum(ranks - ranks.mean())
        first = max(boundary - reach - left, 1)
        places = np.arange(first, min(boundary + reach - left, right - left - 1) + 1)
        spread = np.sqrt(places * (right - left - places))
        fine.append(left + int(places[np.argmax(np.abs(sums[places - 1]) / spread)]))
    return tuple(dict.fromkeys(fine))


def _those_that_matter(
    series: _Floats, boundaries: dict[int, float], length: int, least_change: float
) -> tuple[ChangePoint, ...]:
    """The changes left when the one that shows least is dropped, again and again."""
    kept = sorted(boundaries)
    while kept:
        edges = (0, *kept, len(series))
        levels = [_levels_of_blocks(series[begin:end], length) for begin, end in pairwise(edges)]
        changes = [
            _change(index, before, after, boundaries[index])
            for index, before, after in zip(kept, levels[:-1], levels[1:], strict=True)
        ]
        weak = [change for change in changes if not _matters(change, least_change)]
        if not weak:
            return tuple(changes)
        kept.remove(min(weak, key=lambda change: abs(math.log1p(change.change))).index)
    return ()


def _matters(change: ChangePoint, least_change: float) -> bool:
    real = change.low > 0 or change.high < 0
    return real and abs(math.log1p(change.change)) >= math.log1p(least_change)


def _levels_of_blocks(stretch: _Floats, length: int) -> list[float]:
    """Interquartile means of blocks of about that length: two at least, if there are two values."""
    blocks = min(max(len(stretch) // length, 2), len(stretch))
    return [interquartile_mean(block.tolist()) for block in np.array_split(stretch, blocks)]


def _change(
    index: int, before: Sequence[float], after: Sequence[float], p_value: float
) -> ChangePoint:
    levels = [
        math.exp(math.fsum(map(math.log, blocks)) / len(blocks)) for blocks in (before, after)
    ]
    change = levels[1] / levels[0] - 1
    if min(len(before), len(after)) < 2:
        return ChangePoint(index, levels[0], levels[1], change, -1.0, math.inf, p_value)
    compared = compare_welch(after, before, higher_is_better=True)
    return ChangePoint(
        index, levels[0], levels[1], change, compared.low - 1, compared.high - 1, p_value
    )


def _block_length(memory: float, values: int) -> int:
    """Values of a block: some memories long, and so many that the blocks are not too many."""
    return max(LEAST_BLOCK_LENGTH, math.ceil(MEMORIES_OF_BLOCK * memory), -(-values // MOST_BLOCKS))


def _first_memory(series: _Floats) -> float:
    """Integrated autocorrelation time of first-order noise, in steps, by medians of differences."""
    one_apart = float(np.median(np.abs(series[1:] - series[:-1])))
    two_apart = float(np.median(np.abs(series[2:] - series[:-2])))
    if one_apart == 0:
        return 1.0
    correlation = min(max((two_apart / one_apart) ** 2 - 1, 0.0), MOST_CORRELATION)
    return (1 + correlation) / (1 - correlation)


def _memory_left(series: _Floats, changes: Sequence[ChangePoint]) -> float:
    """Integrated autocorrelation time, in steps, of the ranks with the levels found taken out."""
    edges = (0, *(change.index for change in changes), len(series))
    stretches = [
        series[begin:end] / float(np.median(series[begin:end])) for begin, end in pairwise(edges)
    ]
    ranks: _Floats = _ranks(np.concatenate(stretches))
    ranks -= ranks.mean()
    power = float(ranks @ ranks)
    if power == 0:
        return 1.0
    memory = 1.0
    for lag in range(1, len(ranks) // 2):
        memory += 2 * float(ranks[lag:] @ ranks[:-lag]) / power
        # Beyond five times the memory there is but noise to add up.
        if lag >= 5 * memory:
            break
    return max(memory, 1.0)


def _ranks(values: _Floats) -> _Floats:
    """Ranks from 1 on, ties at the mean of theirs."""
    from scipy.stats import rankdata

    ranks: _Floats = rankdata(values)
    return ranks
