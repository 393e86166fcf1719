"""How much better several codes do one way than another, in one figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.scores.rounds import (
    MeanError,
    Side,
    error_of_mean,
    log_variance_of,
    logs_by_round,
    ratios_by_round,
)
from machmeter.analysis.stats.comparison import (
    MARGIN,
    compare_estimates,
    verdict_of,
)
from machmeter.analysis.stats.student import bounded_exp, student_quantile, two_sided_p
from machmeter.model.benchmark import Direction
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import UNBOUNDED


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
    if not all(one.is_bounded for one in ratios):
        nothing = ComparisonVerdict.INCONCLUSIVE
        return Comparison(bounded_exp(center), 0.0, UNBOUNDED, False, 0.0, 1.0, nothing)
    error = error_of_mean(
        [one.sides for one in codes],
        [1 / len(codes)] * len(codes),
        [MeanError(log_variance_of(one), one.degrees) for one in ratios],
    )
    paired = all(one.paired for one in ratios)
    return _with_error(center, math.sqrt(error.variance), error.degrees, paired=paired)


def mean_ratio_of_best(codes: Sequence[Sequence[Estimate]]) -> Comparison | None:
    """The geometric mean over codes of the best result of each over its first one.

    The best of several is best by chance too, where the same launches choose it and give its value.
    So it is chosen by the rounds with even numbers and compared by the others, and the other way
    round. Each mean holds what the other half chose, so the two are not independent: the error of
    their average is the mean of their errors, its upper limit. None with fewer than two rounds of
    either kind, without codes, and where no half chooses another one than the first.
    """
    halves = [
        [[_in_rounds(one, parity) for one in results] for results in codes] for parity in (0, 1)
    ]
    if not codes or any(one.launches < 2 for half in halves for of in half for one in of):
        return None
    choices = [[_best_of(by) for by in half] for half in halves]
    if not any(map(any, choices)):
        return None
    means = []
    for chosen, compared in zip(choices, halves[::-1], strict=True):
        sides = [(of[place], of[0]) for place, of in zip(chosen, compared, strict=True)]
        ratios = [CodeRatio(a, b, compare_estimates(a, b, paired=True)) for a, b in sides]
        means.append(mean_ratio(ratios))
    if not all(one.is_bounded for one in means):
        return None
    return _average(means)


def _average(means: Sequence[Comparison]) -> Comparison:
    center = fmean(math.log(one.ratio) for one in means)
    error = fmean(math.sqrt(log_variance_of(one)) for one in means)
    degrees = min(one.degrees for one in means)
    return _with_error(center, error, degrees, paired=all(one.paired for one in means))


def _with_error(center: float, error: float, degrees: float, *, paired: bool) -> Comparison:
    """A ratio by its log and the standard error of that."""
    half = student_quantile(degrees) * error
    low, high = center - half, center + half
    return Comparison(
        bounded_exp(center),
        bounded_exp(low),
        bounded_exp(high),
        paired,
        degrees,
        two_sided_p(center, error, degrees),
        verdict_of(low, high, math.log1p(MARGIN)),
    )


def _best_of(results: Sequence[Estimate]) -> int:
    """Its position; the first of equal ones."""
    higher = results[0].direction is Direction.HIGHER
    values = [one.value if higher else -one.value for one in results]
    return values.index(max(values))


def _in_rounds(one: Estimate, parity: int) -> Estimate:
    """The result of the launches in rounds with even or odd numbers."""
    rounds = one.rounds or tuple(range(one.launches))
    kept = [i for i, number in enumerate(rounds) if number % 2 == parity]
    values = tuple(one.launch_values[i] for i in kept)
    mean = fmean(values) if values else one.value
    if values and one.scale is Scale.LOG:
        mean = math.exp(fmean(map(math.log, values)))
    return replace(
        one,
        value=mean,
        launches=len(kept),
        launch_values=values,
        launch_numbers=tuple(one.launch_numbers[i] for i in kept),
        rounds=tuple(rounds[i] for i in kept),
    )
