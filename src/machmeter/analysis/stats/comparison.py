"""Is a better than b? Of times and rates everything is a sum of logs, so one formula carries the
uncertainty; shares may be zero or negative, and are set apart by their difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from machmeter.analysis.stats.student import (
    bounded_exp,
    checked_logs,
    student_quantile,
    two_sided_p,
    variance_of_mean,
)
from machmeter.model.benchmark import Direction
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import UNBOUNDED

MARGIN = 0.02
MARGIN_OF_SHARES = 0.02


class CombinedRatio(NamedTuple):
    """A product of powers of ratios with its 95 % interval and degrees of freedom."""

    value: float
    """The product."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    degrees: float
    """Degrees of freedom."""


class Difference(NamedTuple):
    """By how much a share is better than another (1 = 100 points), with its 95 % interval."""

    value: float
    """1 = 100 points."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    paired: bool
    """Whether values of the same launch or round were paired."""
    degrees: float
    """Degrees of freedom."""
    p_value: float
    """Of such a difference where there is none."""
    verdict: ComparisonVerdict
    """What the interval shows."""


class _LogRatio(NamedTuple):
    """Log of a over b, or a share less another, with its squared standard error."""

    center: float
    variance: float
    degrees: float


def compare_paired(
    a: Sequence[float], b: Sequence[float], higher_is_better: bool, margin: float = MARGIN
) -> Comparison:
    """Compare launch values that were taken side by side: `a[i]` beside `b[i]`.

    Student's t on the log ratios of the pairs, which drift common to both leaves alone. margin:
    how far from 1 a ratio may be and still count as the same. Raises ValueError when the lengths
    differ or are below 2, or a value is not positive.
    """
    logs_a, logs_b = checked_logs(a, "a"), checked_logs(b, "b")
    return _turned(_paired(logs_a, logs_b), higher_is_better, True, margin)


def compare_welch(
    a: Sequence[float], b: Sequence[float], higher_is_better: bool, margin: float = MARGIN
) -> Comparison:
    """Compare launch values that were not taken side by side, with spreads of their own.

    Welch's t on logs (Welch, Biometrika 34, 1947). Raises ValueError when either has fewer than
    2 values, or a value is not positive.
    """
    logs_a, logs_b = checked_logs(a, "a"), checked_logs(b, "b")
    return _turned(_independent(logs_a, logs_b), higher_is_better, False, margin)


def compare_estimates(a: Estimate, b: Estimate, paired: bool, margin: float = MARGIN) -> Comparison:
    """Compare two estimates of the same unit and direction.

    paired: values of the same launch are paired where both were measured in the same launches,
    otherwise those of the same round, or of the same position where rounds are not known; all
    values by Welch's test where fewer than half of them have a partner, as after many rejected
    launches. For overheads and shares the log of the mean is taken and its spread carried over to
    first order (delta method). Where an interval reaches zero or below, or there are fewer than two
    values, a ratio means nothing: the verdict is INCONCLUSIVE, the interval unbounded, the ratio 1.
    Raises ValueError when unit or direction differ.
    """
    _refuse_others(a, b)
    pairs = _pairs_enough(a, b) if paired else []
    paired = bool(pairs)
    if min(a.launches, b.launches) < 2 or a.low <= 0 or b.low <= 0:
        return Comparison(1.0, 0.0, UNBOUNDED, paired, 0.0, 1.0, ComparisonVerdict.INCONCLUSIVE)
    logs_a, logs_b = linearized_logs(a), linearized_logs(b)
    if pairs:
        ratio = _paired([logs_a[i] for i, _ in pairs], [logs_b[j] for _, j in pairs])
    else:
        ratio = _independent(logs_a, logs_b)
    return _turned(ratio, a.direction is Direction.HIGHER, paired, margin)


def compare_shares(a: Estimate, b: Estimate, paired: bool) -> Difference:
    """How much better share `a` is than share `b`, by Student's t on their difference.

    Pairs as in `compare_estimates`, Welch's t where there are none or too few; the same within 2
    points either way.
    A share may be negative, and 3 % is no better than 2 % for being half as much again, so no ratio
    is taken. With fewer than two values the verdict is INCONCLUSIVE and the interval unbounded.
    Raises ValueError when unit or direction differ.
    """
    _refuse_others(a, b)
    pairs = _pairs_enough(a, b) if paired else []
    paired = bool(pairs)
    if min(a.launches, b.launches) < 2:
        value = a.value - b.value if a.direction is Direction.HIGHER else b.value - a.value
        verdict = ComparisonVerdict.INCONCLUSIVE
        return Difference(value, -UNBOUNDED, UNBOUNDED, paired, 0.0, 1.0, verdict)
    if pairs:
        found = _paired(
            [a.launch_values[i] for i, _ in pairs], [b.launch_values[j] for _, j in pairs]
        )
    else:
        found = _independent(a.launch_values, b.launch_values)
    center = found.center if a.direction is Direction.HIGHER else -found.center
    error = math.sqrt(found.variance)
    half = student_quantile(found.degrees) * error
    low, high = center - half, center + half
    return Difference(
        center,
        low,
        high,
        paired,
        found.degrees,
        two_sided_p(center, error, found.degrees),
        verdict_of(low, high, MARGIN_OF_SHARES),
    )


def combine_log_ratios(
    logs: Sequence[float],
    variances: Sequence[float],
    degrees: Sequence[float],
    weights: Sequence[float],
) -> CombinedRatio:
    """`exp(sum of weight x log)` of independent logs, with its 95 % interval.

    variances: squared standard errors of the logs; degrees: theirs. Weights 1/m give a geometric
    mean of m ratios, 1 and -1 the ratio of two; an exact number has variance 0.
    Degrees of freedom by Satterthwaite, Biometrics Bulletin 2 (1946); their sum where every
    variance is 0. Raises ValueError when the lengths differ or are 0, or a variance or a number of
    degrees makes no sense.
    """
    center, variance, freedom = _combined(logs, variances, degrees, weights)
    half = student_quantile(freedom) * math.sqrt(variance)
    return CombinedRatio(
        bounded_exp(center), bounded_exp(center - half), bounded_exp(center + half), freedom
    )


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """P values adjusted for having looked so often, in the order given.

    Holm, Scandinavian Journal of Statistics 6 (1979). Raises ValueError for a value outside 0..1.
    """
    for p in p_values:
        if not 0 <= p <= 1:
            raise ValueError(f"a p value is between 0 and 1, got {p}")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return tuple(adjusted)


def _refuse_others(a: Estimate, b: Estimate) -> None:
    if a.unit != b.unit or a.direction is not b.direction:
        raise ValueError(
            f"cannot compare {a.metric} ({a.unit.name}, {a.direction.value}) "
            f"with {b.metric} ({b.unit.name}, {b.direction.value})"
        )


def _combined(
    logs: Sequence[float],
    variances: Sequence[float],
    degrees: Sequence[float],
    weights: Sequence[float],
) -> _LogRatio:
    if not logs or not len(logs) == len(variances) == len(degrees) == len(weights):
        raise ValueError("logs, variances, degrees and weights must be as many, at least one each")
    if any(not v >= 0 for v in variances) or any(not d > 0 for d in degrees):
        raise ValueError("variances must not be negative and degrees must be above 0")
    center = math.fsum(w * x for w, x in zip(weights, logs, strict=True))
    parts = [w * w * v for w, v in zip(weights, variances, strict=True)]
    variance = math.fsum(parts)
    if variance == 0:
        return _LogRatio(center, 0.0, math.fsum(degrees))
    shares = [part / variance for part in parts]
    freedom = 1 / math.fsum(s * s / d for s, d in zip(shares, degrees, strict=True))
    return _LogRatio(center, variance, freedom)


def _paired(logs_a: Sequence[float], logs_b: Sequence[float]) -> _LogRatio:
    if len(logs_a) != len(logs_b):
        raise ValueError(f"pairs need as many of both, got {len(logs_a)} and {len(logs_b)}")
    if len(logs_a) < 2:
        raise ValueError(f"a paired comparison needs two pairs, got {len(logs_a)}")
    differences = [x - y for x, y in zip(logs_a, logs_b, strict=True)]
    center = math.fsum(differences) / len(differences)
    return _LogRatio(center, variance_of_mean(differences), len(differences) - 1)


def _independent(logs_a: Sequence[float], logs_b: Sequence[float]) -> _LogRatio:
    if min(len(logs_a), len(logs_b)) < 2:
        raise ValueError(
            f"a comparison needs two values of each, got {len(logs_a)} and {len(logs_b)}"
        )
    both = (logs_a, logs_b)
    return _combined(
        [math.fsum(logs) / len(logs) for logs in both],
        [variance_of_mean(logs) for logs in both],
        [len(logs) - 1 for logs in both],
        (1.0, -1.0),
    )


def _turned(ratio: _LogRatio, higher_is_better: bool, paired: bool, margin: float) -> Comparison:
    center = ratio.center if higher_is_better else -ratio.center
    error = math.sqrt(ratio.variance)
    half = student_quantile(ratio.degrees) * error
    return Comparison(
        ratio=bounded_exp(center),
        low=bounded_exp(center - half),
        high=bounded_exp(center + half),
        paired=paired,
        degrees=ratio.degrees,
        p_value=two_sided_p(center, error, ratio.degrees),
        verdict=verdict_of(center - half, center + half, math.log1p(margin)),
    )


def verdict_of(low: float, high: float, margin: float) -> ComparisonVerdict:
    """From the bounds of a log ratio or difference, and how far from 0 is still the same."""
    if max(abs(low), abs(high)) <= margin:
        return ComparisonVerdict.SAME
    if low > 0:
        return ComparisonVerdict.FASTER
    if high < 0:
        return ComparisonVerdict.SLOWER
    return ComparisonVerdict.INCONCLUSIVE


def linearized_logs(estimate: Estimate) -> tuple[float, ...]:
    """The logs of launch values; on the linear scale to first order around the log of their mean.

    Raises ValueError where a value (on the linear scale their mean) is not positive.
    """
    if estimate.scale is Scale.LOG:
        return checked_logs(estimate.launch_values, estimate.metric)
    mean = math.fsum(estimate.launch_values) / estimate.launches
    return tuple(math.log(mean) + value / mean - 1 for value in estimate.launch_values)


def paired_positions(a: Estimate, b: Estimate) -> list[tuple[int, int]]:
    """Positions of the launch values of both that belong together: of one launch, else of one
    round, else the same position where rounds are not known.
    """
    same_launches = _matches(a.launch_numbers, b.launch_numbers)
    if same_launches:
        return same_launches
    if a.rounds and b.rounds:
        return _matches(a.rounds, b.rounds)
    return [(i, i) for i in range(min(a.launches, b.launches))]


def _pairs_enough(a: Estimate, b: Estimate) -> list[tuple[int, int]]:
    """The pairs; none where fewer than half of the values have one, of the shorter side."""
    pairs = paired_positions(a, b)
    return pairs if len(pairs) >= max(2, min(a.launches, b.launches) / 2) else []


def _matches(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Positions in `a` and `b` that hold the same number."""
    of_b = {number: position for position, number in enumerate(b)}
    return [(i, of_b[number]) for i, number in enumerate(a) if number in of_b]
