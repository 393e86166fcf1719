"""Comparisons of two results: ratios, also where one has only an upper bound, differences of
shares, and bands of ratios.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.stats.comparison import (
    MARGIN,
    MARGIN_OF_SHARES,
    Difference,
    compare_estimates,
    compare_shares,
    verdict_of,
)
from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.benchmark import Direction, Value
from machmeter.model.origin import Origin
from machmeter.model.plan.question import Band
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SHARE, UNBOUNDED

Label = tuple[tuple[str, Value], ...]
"""Values of parameters or layout fields, by name: of a case, or of what competes in one."""
_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)


class Trial(Struct, frozen=True):
    """One comparison, and the two results it compares."""

    candidate: Estimate
    """Its result."""
    baseline: Estimate
    """Its result."""
    comparison: Comparison
    """Candidate over baseline."""
    against: Label = ()
    """Which the baseline is, of several."""

    @property
    def quoted(self) -> bool:
        """Whether a source states one of the values, without an interval."""
        return self.candidate.origin.is_quoted or self.baseline.origin.is_quoted

    @property
    def tested(self) -> bool:
        """Whether there is a p value that means something."""
        if self.of_shares:
            return self.comparison.degrees > 0
        return self.comparison.is_bounded or is_one_sided(self.comparison)

    @property
    def has_ratio(self) -> bool:
        """Whether its ratio, or its difference of shares, means something."""
        if self.of_shares:
            return self.tested
        comparison = self.comparison
        bounded = comparison.is_bounded and comparison.low > 0
        return bounded or is_one_sided(comparison)

    @property
    def of_shares(self) -> bool:
        """Whether two shares were compared, by their difference."""
        unbounded = not self.comparison.is_bounded and not is_one_sided(self.comparison)
        return unbounded and is_share(self.candidate)

    @property
    def launches(self) -> int:
        """Launches of the side that has fewer."""
        return min(self.candidate.launches, self.baseline.launches)

    @property
    def reached(self) -> bool:
        """Whether candidate and baseline met the target precision."""
        return self.candidate.reached and self.baseline.reached

    @property
    def resolved(self) -> bool:
        """Whether candidate and baseline are distinguishable from zero."""
        return self.candidate.resolved and self.baseline.resolved


def is_one_sided(comparison: Comparison) -> bool:
    """Whether only one end of the interval is known, and decides."""
    different = comparison.verdict in _DIFFERENT
    return different and comparison.is_bounded != (comparison.low > 0)


def ratio_of(a: Estimate, b: Estimate) -> Comparison:
    """How a compares with b, paired; published values without an interval.

    Where one of them is not distinguishable from zero its upper bound may still decide: then the
    interval has one end only (`is_one_sided`).
    """
    if not (a.origin.is_quoted or b.origin.is_quoted):
        ratio = compare_estimates(a, b, paired=True)
        return (_by_bound(a, b) or ratio) if not ratio.is_bounded else ratio
    if a.value <= 0 or b.value <= 0:
        return _quoted(1.0, ComparisonVerdict.INCONCLUSIVE)
    if Origin.SIMULATED in {a.origin, b.origin} and _has_band(a) and _has_band(b):
        return _by_bands(a, b)
    ratio_quoted = a.value / b.value if a.direction is Direction.HIGHER else b.value / a.value
    if abs(math.log(ratio_quoted)) <= math.log1p(MARGIN):
        return _quoted(ratio_quoted, ComparisonVerdict.SAME)
    better = ratio_quoted > 1
    return _quoted(ratio_quoted, ComparisonVerdict.FASTER if better else ComparisonVerdict.SLOWER)


def _has_band(estimate: Estimate) -> bool:
    """Whether it has an interval, of launches or of a model."""
    return estimate.low > 0 and estimate.is_bounded


def _by_bands(a: Estimate, b: Estimate) -> Comparison:
    """The ratio of two results of which a model states one: their intervals add up, for nothing is
    known of how the errors of a model depend on each other."""
    top, bottom = (a, b) if a.direction is Direction.HIGHER else (b, a)
    ratio, low, high = (
        top.value / bottom.value,
        top.low / bottom.high,
        top.high / bottom.low,
    )
    verdict = verdict_of(math.log(low), math.log(high), math.log1p(MARGIN))
    return Comparison(ratio, low, high, False, 0.0, 1.0, verdict)


def compared(a: Estimate, b: Estimate) -> Comparison:
    """`ratio_of`, but of shares the verdict and p value of their difference, without a ratio: that
    is 1 and has no bounds (`points_between` has the points).
    """
    if not is_share(a):
        return ratio_of(a, b)
    found = points_between(a, b)
    return Comparison(
        1.0, 0.0, UNBOUNDED, found.paired, found.degrees, found.p_value, found.verdict
    )


def lead(a: Estimate, b: Estimate) -> float:
    """How much better a is than b: log of their ratio, or difference of shares; 0 where unknown."""
    return points_between(a, b).value if is_share(a) else math.log(ratio_of(a, b).ratio)


def points_between(a: Estimate, b: Estimate) -> Difference:
    """How much better share `a` is than share `b`, paired; published ones without an interval."""
    if not (a.origin.is_quoted or b.origin.is_quoted):
        return compare_shares(a, b, paired=True)
    value = a.value - b.value if a.direction is Direction.HIGHER else b.value - a.value
    half = sum((one.high - one.low) / 2 for one in (a, b) if one.origin is Origin.SIMULATED)
    if half and all(one.is_bounded for one in (a, b)):
        low, high = value - half, value + half
        verdict = verdict_of(low, high, MARGIN_OF_SHARES)
        return Difference(value, low, high, False, 0.0, 1.0, verdict)
    better = ComparisonVerdict.FASTER if value > 0 else ComparisonVerdict.SLOWER
    verdict = ComparisonVerdict.SAME if abs(value) <= MARGIN_OF_SHARES else better
    return Difference(value, -UNBOUNDED, UNBOUNDED, False, 0.0, 1.0, verdict)


def difference_of(trial: Trial) -> Difference:
    """How much better the share of the candidate is, of a trial of shares."""
    return points_between(trial.candidate, trial.baseline)


def is_share(estimate: Estimate) -> bool:
    """Whether it is a share, in points: no ratio of two of them means much."""
    return estimate.unit == SHARE


def band_of(bands: Sequence[Band], ratio: float) -> Band:
    """The band that holds `ratio`: the last one that begins at it or below, or the first."""
    held = [band for band in bands if band.least <= ratio]
    return held[-1] if held else bands[0]


def bounds_around(bands: Sequence[Band], value: float) -> list[float]:
    """The bounds above zero of the band that holds `value`."""
    band = band_of(bands, value)
    above = [other.least for other in bands if other.least > band.least]
    return [bound for bound in (band.least, *above[:1]) if bound > 0]


def scaled(comparison: Comparison, factor: float) -> Comparison:
    """The ratio and its interval, times `factor`."""
    bounded = comparison.is_bounded
    return replace(
        comparison,
        ratio=comparison.ratio * factor,
        low=comparison.low * factor,
        high=comparison.high * factor if bounded else comparison.high,
    )


def banded(bands: Sequence[Band], a: Estimate, b: Estimate, ratio: Comparison) -> Trial:
    """A comparison of a over b whose p value is that of being beyond the nearest bound of its band.

    ratio: of a speedup that of a over b, of a cost that of b over a.
    """
    bounds = bounds_around(bands, ratio.ratio)
    if is_one_sided(ratio):
        above = ratio.low > 0
        p_values = [_p_beyond(a, b, bound) for bound in bounds if (bound <= ratio.ratio) == above]
    elif not ratio.is_bounded or ratio.low <= 0 or ratio.degrees == 0:
        return Trial(a, b, ratio)
    else:
        half = (math.log(ratio.high) - math.log(ratio.low)) / 2
        error = half / student_quantile(ratio.degrees)
        p_values = [
            two_sided_p(math.log(ratio.ratio) - math.log(bound), error, ratio.degrees)
            for bound in bounds
        ]
    return Trial(a, b, replace(ratio, p_value=max(p_values, default=0.0)))


def _quoted(ratio: float, verdict: ComparisonVerdict) -> Comparison:
    return Comparison(ratio, 0.0, UNBOUNDED, False, 0.0, 1.0, verdict)


def _by_bound(a: Estimate, b: Estimate) -> Comparison | None:
    """How many times better one is at least, by the upper bound of one not distinguishable from 0.

    None where that decides nothing: the bound is at most 1.
    """
    higher = a.direction is Direction.HIGHER
    if (gain := _least_quotient(a, b) if higher else _least_quotient(b, a)) > 1:
        ends, verdict = (gain, gain, UNBOUNDED), ComparisonVerdict.FASTER
    elif (loss := _least_quotient(b, a) if higher else _least_quotient(a, b)) > 1:
        ends, verdict = (1 / loss, 0.0, 1 / loss), ComparisonVerdict.SLOWER
    else:
        return None
    degrees = float(min(a.launches, b.launches) - 1)
    return Comparison(*ends, False, degrees, _p_beyond(a, b, 1.0), verdict)


def _least_quotient(large: Estimate, small: Estimate) -> float:
    """What `large` over `small` is at least, where `small` reaches zero; 0 where nobody knows."""
    known = min(large.launches, small.launches) > 1 and large.low > 0 and small.low <= 0
    return large.low / small.high if known and 0 < small.high < UNBOUNDED else 0.0


def _p_beyond(a: Estimate, b: Estimate, times: float) -> float:
    """Probability of `a - times x b` this far from 0 where it is 0: errors of both add in squares.

    Linear, as what is not distinguishable from zero has no log (Fieller, Journal of the Royal
    Statistical Society B 16, 1954); with the fewer degrees of freedom of the two.
    """
    error = math.hypot(_standard_error(a), times * _standard_error(b))
    return two_sided_p(a.value - times * b.value, error, min(a.launches, b.launches) - 1)


def _standard_error(estimate: Estimate) -> float:
    return (estimate.high - estimate.low) / 2 / student_quantile(estimate.launches - 1)
