"""How much better several codes do one way than another, in one figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from machmeter.analysis.scores.rounds import (
    MeanError,
    Side,
    error_of_mean,
    log_variance_of,
    logs_by_round,
    ratios_by_round,
)
from machmeter.analysis.stats.comparison import MARGIN, verdict_of
from machmeter.analysis.stats.student import bounded_exp, student_quantile, two_sided_p
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED, is_unbounded


class CodeRatio(Struct, frozen=True):
    """How one result of a code compares with another one of the same machine."""

    a: Estimate
    """The one."""
    b: Estimate
    """The other, measured in turn with it."""
    comparison: Comparison
    """a over b, above 1 is better."""

    @property
    def sides(self) -> tuple[Side, ...]:
        """The log of the ratio in each round."""
        by_round = ratios_by_round(logs_by_round(self.a), logs_by_round(self.b))
        return ((by_round if self.comparison.paired else {},),)


def mean_ratio(codes: Sequence[CodeRatio]) -> Comparison:
    """The geometric mean of the ratios of several codes.

    Its interval allows for launches of one round that become slower together (`error_of_mean`);
    without the interval of a code it has none. Raises ValueError without codes.
    """
    ratios = [one.comparison for one in codes]
    center = fmean(math.log(one.ratio) for one in ratios)
    if any(is_unbounded(one.high) for one in ratios):
        nothing = ComparisonVerdict.INCONCLUSIVE
        return Comparison(bounded_exp(center), 0.0, UNBOUNDED, False, 0.0, 1.0, nothing)
    error = error_of_mean(
        [one.sides for one in codes],
        [1 / len(codes)] * len(codes),
        [MeanError(log_variance_of(one), one.degrees) for one in ratios],
    )
    deviation = math.sqrt(error.variance)
    half = student_quantile(error.degrees) * deviation
    low, high = center - half, center + half
    return Comparison(
        bounded_exp(center),
        bounded_exp(low),
        bounded_exp(high),
        all(one.paired for one in ratios),
        error.degrees,
        two_sided_p(center, deviation, error.degrees),
        verdict_of(low, high, math.log1p(MARGIN)),
    )
