"""What was measured along an axis: speedup, efficiency, steps that pay, steps beyond proportion.

Speedup and efficiency after Amdahl 1967 and Gustafson 1988: of a problem that grows with the
count, the rate of work is the count over the time. Ratios are those of `analysis.stats.comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.analysis.scaling.series import Series
from machmeter.analysis.stats.comparison import MARGIN, compare_estimates, holm
from machmeter.analysis.stats.student import bounded_exp, student_quantile, two_sided_p
from machmeter.model.benchmark import Direction
from machmeter.model.interval import Interval
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.scaling import (
    CountResult,
    Problem,
    ScalingLimit,
    ScalingStep,
    StepVerdict,
)
from machmeter.model.units import UNBOUNDED, is_unbounded

SUPERLINEAR_P = 0.05


class Gained(NamedTuple):
    """How many times better, and the standard error of its log with its degrees of freedom."""

    ratio: Interval
    """With its 95 % interval."""
    error: float
    """Standard error of its log."""
    degrees: float
    """0 where nothing is known of the error."""

    def chance_of(self, ratio: float) -> float:
        """Probability of a ratio this far from `ratio` where that is the truth."""
        return two_sided_p(math.log(self.ratio.value / ratio), self.error, self.degrees)


def without_interval(series: Series) -> bool:
    """Whether some result has no interval: one launch, or as printed."""
    return any(not e.is_bounded for e in series.estimates)


def count_results(series: Series) -> tuple[CountResult, ...]:
    """Every result with its speedup and efficiency over the smallest count."""
    first = series.counts[0]
    results = []
    for count, one in zip(series.counts, series.estimates, strict=True):
        speedup = _speedup(series, count, one)
        proportion = 1.0 if series.problem is Problem.COST else first / count
        known = one.is_bounded
        results.append(
            CountResult(
                count,
                Interval(one.value, one.low, one.high) if known else Interval(one.value),
                speedup,
                times(speedup, proportion),
                one.launches,
                one.printed,
            )
        )
    return tuple(results)


def steps_of(series: Series, least_gain: float) -> tuple[ScalingStep, ...]:
    """Every step between neighboring counts; `least_gain`: what a doubling must gain to pay."""
    steps, chances = [], []
    places = zip(series.counts, series.estimates, strict=True)
    for (first, before), (last, after) in pairwise(places):
        gained = gain_of(after, before)
        ratio = inverse(gained.ratio) if series.problem is Problem.COST else gained.ratio
        faster = times(ratio, _growth(series, first, last))
        power = 1 / math.log2(last / first)
        gain, efficiency = _to_power(faster, power), times(faster, first / last)
        left = (before, after) if after.direction is Direction.LOWER else (after, before)
        digits = _left_by_rounding(*left)
        verdict = _step_verdict(gain, least_gain, _to_power(digits, power))
        beyond = series.problem is not Problem.COST and _beyond(efficiency, digits)
        steps.append(ScalingStep(first, last, gain, efficiency, verdict, beyond))
        proportion = last / first / _growth(series, first, last)
        chances.append(gained.chance_of(proportion) if gained.degrees else 1.0)
    if series.problem is Problem.COST:
        return tuple(steps)
    sure = holm(chances)
    return tuple(
        replace(step, superlinear=step.superlinear or _superlinear(step, p))
        for step, p in zip(steps, sure, strict=True)
    )


def limit_of(steps: Sequence[ScalingStep], least_gain: float) -> ScalingLimit:
    """Up to which measured count each step gains what it must.

    The low end: up to which all steps surely do; the high end: before the first that surely does
    not; UNBOUNDED where none. Of results as printed: as far as their rounding allows.
    """
    value = _before_first(steps, [step.gain.value < least_gain for step in steps])
    low = _before_first(steps, [step.verdict is not StepVerdict.YES for step in steps])
    high = _before_first(steps, [step.verdict is StepVerdict.NO for step in steps])
    return ScalingLimit(value, low, high, any(not step.gain.is_bounded for step in steps))


def half_place(one: Estimate) -> float:
    """Half of the place of a printed figure's last digit, as a share of it: how far its
    rounding leaves it uncertain; 0 for what was measured here, or where the digits are not known.
    """
    printed = one.printed
    if printed is None or printed.decimals is None or not printed.value:
        return 0.0
    # What is not zero as printed is one of its last place at least.
    return min(0.5 * 10.0**-printed.decimals / abs(printed.value), 0.5)


def _left_by_rounding(above: Estimate, below: Estimate) -> Interval:
    """Between which factors rounding leaves the quotient of two printed figures."""
    of, by = half_place(above), half_place(below)
    return Interval(1.0, (1 - of) / (1 + by), (1 + of) / (1 - by))


def gain_of(one: Estimate, base: Estimate) -> Gained:
    """How many times better `one` is than `base`; paired where both had the same rounds."""
    paired = bool(one.rounds) and one.rounds == base.rounds
    found = compare_estimates(one, base, paired)
    if not found.is_bounded or not found.degrees:
        better = one.value / base.value
        ratio = better if one.direction is Direction.HIGHER else 1 / better
        return Gained(Interval(ratio), 0.0, 0.0)
    error = math.log(found.high / found.ratio) / student_quantile(found.degrees)
    return Gained(Interval(found.ratio, found.low, found.high), error, found.degrees)


def times(interval: Interval, factor: float) -> Interval:
    """Value and bounds times a factor above 0; unbounded ones stay so."""
    low, high = (b if is_unbounded(b) else b * factor for b in (interval.low, interval.high))
    return Interval(interval.value * factor, low, high)


def inverse(interval: Interval) -> Interval:
    """One over an interval above 0; unbounded ends stay so."""
    if not interval.is_bounded:
        return Interval(1 / interval.value)
    low = 1 / interval.low if interval.low > 1 / UNBOUNDED else UNBOUNDED
    return Interval(1 / interval.value, 1 / interval.high, low)


def _speedup(series: Series, count: int, one: Estimate) -> Interval:
    if series.problem is Problem.COST or count == series.counts[0]:
        return Interval(1.0, 1.0, 1.0)
    gained = gain_of(one, series.estimates[0])
    return times(gained.ratio, _growth(series, series.counts[0], count))


def _growth(series: Series, first: int, last: int) -> float:
    """By how much the work grew; a rate already counts all of it."""
    timed = series.estimates[0].direction is Direction.LOWER
    return last / first if timed and series.problem is Problem.GROWING else 1.0


def _superlinear(step: ScalingStep, chance: float) -> bool:
    bounded = step.efficiency.is_bounded
    return bounded and step.efficiency.value > 1 and chance < SUPERLINEAR_P


def _beyond(efficiency: Interval, digits: Interval) -> bool:
    """Whether results without interval are superlinear, whatever their rounding."""
    as_printed = not efficiency.is_bounded and efficiency.value > 1 + MARGIN
    return as_printed and efficiency.value * digits.low > 1


def _step_verdict(gain: Interval, least: float, digits: Interval) -> StepVerdict:
    """digits: the factors between which rounding leaves a gain without interval."""
    low, high = gain.low, gain.high
    if is_unbounded(high):
        low, high = gain.value * digits.low, gain.value * digits.high
    if low >= least:
        return StepVerdict.YES
    return StepVerdict.NO if high < least else StepVerdict.INCONCLUSIVE


def _before_first(steps: Sequence[ScalingStep], stops: Sequence[bool]) -> float:
    """The count before the first step that stops; UNBOUNDED where none does."""
    for step, stop in zip(steps, stops, strict=True):
        if stop:
            return float(step.first)
    return UNBOUNDED


def _to_power(interval: Interval, exponent: float) -> Interval:
    """Neighboring counts far apart in what they do take powers beyond all numbers."""

    def power(value: float) -> float:
        return bounded_exp(exponent * math.log(value)) if value > 0 else 0.0

    if not interval.is_bounded:
        return Interval(power(interval.value))
    return Interval(power(interval.value), power(interval.low), power(interval.high))
