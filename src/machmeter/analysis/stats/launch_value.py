"""From the samples of one launch to one value."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.stats.warmup import mser5_cut
from machmeter.model.benchmark import Formula, Metric
from machmeter.model.plan.launch import PointRecord

OUTLIER_RANGES = 3.0

# Beyond these a file was damaged, and what is computed has no end: rates, squares, ratios.
_SECONDS = (1e-18, 1e12)
_FACTS = (1e-50, 1e50)


class LaunchValue(Struct, frozen=True):
    """One launch reduced to one value, in the metric's unit."""

    value: float
    """The metric."""
    samples: int
    """Taken, of the metric's first series, before the cut."""
    warmup_cut: int
    """Leading samples left out of every series (the most that any of them needs)."""
    outliers: int
    """Samples of the first series farther than three interquartile ranges from the quartiles,
    counted and never dropped.
    """


def is_time(seconds: float) -> bool:
    """Whether something can have taken so long, and rates and ratios of it can be computed."""
    return _SECONDS[0] <= seconds <= _SECONDS[1]


def interquartile_mean(samples: Sequence[float]) -> float:
    """Mean of the middle half, in the unit of `samples`; any order gives the same.

    A quarter of the samples, rounded down, is left out at either end, as in
    `scipy.stats.trim_mean(samples, 0.25)`. Raises ValueError when there is no sample.
    """
    if not samples:
        raise ValueError("an interquartile mean needs at least one sample, got none")
    left_out = len(samples) // 4
    middle = sorted(samples)[left_out : len(samples) - left_out]
    return math.fsum(middle) / len(middle)


def count_outliers(samples: Sequence[float]) -> int:
    """Samples farther than three interquartile ranges from the quartiles (Tukey's far out)."""
    ordered = sorted(samples)
    lower, upper = _quantile(ordered, 0.25), _quantile(ordered, 0.75)
    reach = OUTLIER_RANGES * (upper - lower)
    within = bisect_right(ordered, upper + reach) - bisect_left(ordered, lower - reach)
    return len(ordered) - within


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between order statistics: type 7 of Hyndman, Fan, Am. Statistician 50 (1996)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def launch_value(metric: Metric, point: PointRecord) -> LaunchValue:
    """The value of `metric` that one launch gives for one point.

    TIME is T, the interquartile mean of the samples after the warm-up cut. RATE is the fact
    `metric.amount` over T. QUOTIENT is T of the first series over T of the second, which were taken
    in the same events. OVERHEAD is T of the paired differences test - reference, over the fact
    `events_per_sample` where there is one, in series order (test, reference). The shares take
    series (total, work, communication) and are not clamped: WORK_HIDDEN is
    1 - (total - communication) / work (Austin et al., CUG 2013), COMMUNICATION_HIDDEN is
    1 - (total - work) / communication (OSU Micro-Benchmarks, Intel MPI Benchmarks). AVAILABILITY
    takes (total, work, base), where every sample of base is of the same length of message and
    those of the others are of works of many lengths in random order: the warm-up is cut by base
    alone, from each of the three, so that samples taken together stay together
    (`analysis.stats.availability`). AMOUNT is the fact `metric.amount` as it stands: one sample,
    without a series.

    Raises ValueError, naming metric and series, when a series is missing, empty, negative or holds
    what no time is, when series taken in turn differ in length, when a fact is missing, not
    positive or beyond all that is counted, and when a time that is divided by, or is the value
    itself, is zero.
    """
    if metric.formula is Formula.AMOUNT:
        return LaunchValue(_positive_fact(metric, point, metric.amount), 1, 0, 0)
    series = [_checked_series(metric, point, name) for name in _needed_series(metric)]
    if metric.formula is Formula.AVAILABILITY:
        return _availability(metric, *series)
    first = series[0]
    cut = _common_cut(metric, series)
    kept = [samples[cut:] for samples in series]
    if metric.formula is Formula.OVERHEAD:
        value = _overhead(metric, point, kept[0], kept[1])
    else:
        value = _of_times(metric, point, [interquartile_mean(samples) for samples in kept])
    return LaunchValue(value, len(first), cut, count_outliers(first))


_SERIES_OF = {
    Formula.TIME: 1,
    Formula.RATE: 1,
    Formula.QUOTIENT: 2,
    Formula.OVERHEAD: 2,
    Formula.WORK_HIDDEN: 3,
    Formula.COMMUNICATION_HIDDEN: 3,
    Formula.AVAILABILITY: 3,
}


def _needed_series(metric: Metric) -> tuple[str, ...]:
    needed = _SERIES_OF[metric.formula]
    if len(metric.series) < needed:
        raise ValueError(
            f"metric {metric.name}: {metric.formula.value!r} reads {needed} series, "
            f"the metric names {len(metric.series)}"
        )
    return metric.series[:needed]


def _checked_series(metric: Metric, point: PointRecord, name: str) -> tuple[float, ...]:
    samples = point.series.get(name)
    if samples is None:
        found = ", ".join(sorted(point.series)) or "none"
        raise ValueError(f"metric {metric.name}: series {name!r} is missing (recorded: {found})")
    if not samples:
        raise ValueError(f"metric {metric.name}: series {name!r} is empty")
    for position, sample in enumerate(samples):
        # Below what the clock resolves it is 0.
        if sample != 0 and not is_time(sample):
            least, most = _SECONDS
            raise ValueError(
                f"metric {metric.name}: sample {position} of series {name!r} is {sample}; "
                f"a time is not negative: 0, or {least:g} to {most:g} s"
            )
    return samples


def _common_cut(metric: Metric, series: Sequence[Sequence[float]]) -> int:
    """Series of one metric were taken in turn: they warm up together, and what is cut is too."""
    if len({len(samples) for samples in series}) > 1:
        lengths = ", ".join(
            f"{name}: {len(samples)}" for name, samples in zip(metric.series, series, strict=False)
        )
        raise ValueError(f"metric {metric.name}: series taken in turn differ in length ({lengths})")
    return max(mser5_cut(samples) for samples in series)


def _availability(
    metric: Metric, total: Sequence[float], work: Sequence[float], base: Sequence[float]
) -> LaunchValue:
    from machmeter.analysis.stats.availability import fit_availability

    cut = mser5_cut(base)
    try:
        fit = fit_availability(total[cut:], work[cut:], base[cut:])
    except ValueError as error:
        raise ValueError(f"metric {metric.name}: {error}") from error
    return LaunchValue(fit.availability, len(base), cut, count_outliers(base))


def _overhead(
    metric: Metric, point: PointRecord, test: Sequence[float], reference: Sequence[float]
) -> float:
    events = 1.0
    if "events_per_sample" in point.quantities:
        events = _positive_fact(metric, point, "events_per_sample")
    return interquartile_mean([t - r for t, r in zip(test, reference, strict=True)]) / events


def _of_times(metric: Metric, point: PointRecord, times: Sequence[float]) -> float:
    match metric.formula:
        case Formula.RATE:
            amount = _positive_fact(metric, point, metric.amount)
            return amount / _above_zero(metric, 0, times)
        case Formula.QUOTIENT:
            return _above_zero(metric, 0, times) / _above_zero(metric, 1, times)
        case Formula.WORK_HIDDEN:
            return 1 - (times[0] - times[2]) / _above_zero(metric, 1, times)
        case Formula.COMMUNICATION_HIDDEN:
            return 1 - (times[0] - times[1]) / _above_zero(metric, 2, times)
        case _:
            return _above_zero(metric, 0, times)


def _above_zero(metric: Metric, position: int, times: Sequence[float]) -> float:
    if times[position] == 0:
        raise ValueError(
            f"metric {metric.name}: the time of series {metric.series[position]!r} is zero; "
            "the clock cannot resolve it, time more events together"
        )
    return times[position]


def _positive_fact(metric: Metric, point: PointRecord, name: str) -> float:
    amount = point.quantities.get(name)
    if amount is None:
        raise ValueError(f"metric {metric.name}: the record lacks the fact {name!r}")
    least, most = _FACTS
    if not least <= amount <= most:
        raise ValueError(
            f"metric {metric.name}: the fact {name!r} is {amount}, not above zero "
            f"({least:g} to {most:g})"
        )
    return amount
