"""What follows from a fitted law: its numbers, its curve, its useful limit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from machmeter.analysis.scaling.intervals import CurveBand, Fitted, band_of
from machmeter.analysis.scaling.laws import Floats
from machmeter.analysis.scaling.series import Series
from machmeter.analysis.stats.student import bounded_exp
from machmeter.model.benchmark import Direction
from machmeter.model.interval import Interval
from machmeter.model.results.scaling import (
    CurvePoint,
    LawName,
    LawParameter,
    Problem,
    ScalingLimit,
)
from machmeter.model.units import UNBOUNDED

REACH = 2
_CURVE_POINTS = 33
_STEPS_A_DOUBLING = 64


def parameters_of(fitted: Fitted) -> tuple[LawParameter, ...]:
    """The numbers of the law that have a meaning by themselves, with their intervals."""
    name = fitted.law.name
    if name is LawName.AMDAHL:
        return (_parameter(fitted, "serial share", "s", lambda c: c[1] / c[0]),)
    if name is LawName.GUSTAFSON:
        return (_parameter(fitted, "serial share", "s", lambda c: 1 - c[1] / c[0]),)
    if name is LawName.UNIVERSAL:
        return (
            _parameter(fitted, "contention", "s", lambda c: c[1] / c[0]),
            _parameter(fitted, "coherency", "k", lambda c: c[2] / c[0]),
        )
    if name is LawName.POWER:
        return (_parameter(fitted, "exponent", "b", lambda c: c[1]),)
    return tuple(
        _parameter(fitted, what, symbol, _coefficient(position))
        for position, (what, symbol) in enumerate((("constant", "c"), ("coefficient", "a")))
        if position < len(fitted.law.terms)
    )


def formula_of(fitted: Fitted) -> str:
    """The law with its symbols; N: the count."""
    if fitted.law.name is LawName.EXTRA_P:
        what = "cost" if fitted.problem is Problem.COST else "time"
        term = fitted.law.term
        powers = f"N^{term.exponent:.3g}" if term.exponent else ""
        logs = f"log2(N)^{term.log_exponent:.3g}" if term.log_exponent else ""
        parts = " ".join(part for part in (powers, logs) if part)
        return f"{what} = c + a {parts}" if parts else f"{what} = c"
    if fitted.law.name is LawName.POWER and fitted.problem is Problem.COST:
        return "cost ~ N^b"
    return {
        LawName.AMDAHL: "speedup = N / (1 + s (N - 1))",
        LawName.GUSTAFSON: "speedup = s + (1 - s) N",
        LawName.UNIVERSAL: "speedup = N / (1 + s (N - 1) + k N (N - 1))",
        LawName.POWER: "speedup = N^b",
    }[fitted.law.name]


def curve_of(fitted: Fitted, series: Series) -> tuple[CurvePoint, ...]:
    """The law from the smallest count to twice the largest."""
    first, last = series.counts[0], REACH * series.counts[-1]
    return points_at(fitted, series, np.geomspace(first, last, _CURVE_POINTS))


def points_at(fitted: Fitted, series: Series, counts: Floats) -> tuple[CurvePoint, ...]:
    """What the law says at `counts`; those where it has no value are left out."""
    base = np.asarray([float(series.counts[0])])

    def rate(coefficients: Floats) -> Floats:
        return fitted.law.log_rate(counts, coefficients, fitted.problem)

    def speedup(coefficients: Floats) -> Floats:
        return rate(coefficients) - fitted.law.log_rate(base, coefficients, fitted.problem)

    rates, speedups = band_of(fitted, rate), band_of(fitted, speedup)
    return tuple(
        CurvePoint(
            float(count),
            _value(series, float(count), _at(rates, position)),
            _exponential(_at(speedups, position)),
        )
        for position, count in enumerate(counts)
        if math.isfinite(rates.center[position])
    )


def limit_by_law(fitted: Fitted, series: Series, least_gain: float) -> ScalingLimit:
    """Up to which count the law says that a doubling gains `least_gain`.

    The ends are where the interval of that gain crosses it. UNBOUNDED: not within twice the largest
    count measured; the smallest count: not even the first doubling gains it.
    """
    first, last = 2.0 * series.counts[0], float(REACH * series.counts[-1])
    steps = max(math.ceil(_STEPS_A_DOUBLING * math.log2(last / first)), 2)
    counts = np.geomspace(first, last, steps + 1)

    def gain(coefficients: Floats) -> Floats:
        law, problem = fitted.law, fitted.problem
        here = law.log_rate(counts, coefficients, problem)
        return here - law.log_rate(counts / 2, coefficients, problem)

    found = band_of(fitted, gain)
    bound = math.log(least_gain)
    value, low, high = (_crossing(counts, ends, bound) for ends in found)
    return ScalingLimit(value, low, high)


def _crossing(counts: Floats, gains: Floats, bound: float) -> float:
    """The first count at which the gain falls below the bound, between counts along logs."""
    # Where a law has no value it promises no gain.
    held = np.nan_to_num(gains, nan=-math.inf) >= bound - 1e-9
    if bool(held.all()):
        return UNBOUNDED
    position = int(np.argmin(held))
    if position == 0:
        return float(counts[0] / 2)
    before, after = gains[position - 1] - bound, gains[position] - bound
    share = before / (before - after) if math.isfinite(after) else 0.0
    return float(counts[position - 1] * (counts[position] / counts[position - 1]) ** share)


def _parameter(
    fitted: Fitted, name: str, symbol: str, function: Callable[[Floats], float]
) -> LawParameter:
    found = band_of(fitted, lambda c: np.asarray([function(c)]))
    return LawParameter(name, symbol, _at(found, 0))


def _coefficient(position: int) -> Callable[[Floats], float]:
    return lambda coefficients: float(coefficients[position])


def _at(band: CurveBand, position: int) -> Interval:
    return Interval(*(float(ends[position]) for ends in band))


def _exponential(interval: Interval) -> Interval:
    return Interval(*(bounded_exp(end) for end in (interval.value, interval.low, interval.high)))


def _value(series: Series, count: float, log_rate: Interval) -> Interval:
    """A rate of the law in the unit of the series: what `launch_logs` does, undone."""
    ends = _exponential(log_rate)
    if series.problem is Problem.COST or series.estimates[0].direction is Direction.HIGHER:
        return ends
    work = count if series.problem is Problem.GROWING else 1.0
    return Interval(*(_over(work, end) for end in (ends.value, ends.high, ends.low)))


def _over(work: float, rate: float) -> float:
    return min(work / rate, UNBOUNDED) if rate > 0 else UNBOUNDED
