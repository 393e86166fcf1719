"""What the launches say together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.stats.launch_value import LaunchValue
from machmeter.analysis.stats.student import (
    bounded_exp,
    bounded_expm1,
    checked_logs,
    mean_and_half_width,
)
from machmeter.model.benchmark import Formula, Metric
from machmeter.model.interval import HasInterval
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import UNBOUNDED, is_unbounded


class MetricInterval(Struct, HasInterval, frozen=True):
    """A value with its 95 % interval and precision, in the metric's unit."""

    value: float
    """The estimate."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    precision: float
    """Half width over value, or the half width itself for shares."""
    resolved: bool = True
    """False for an overhead whose interval holds zero."""
    below_zero: bool = False
    """Whether the interval of an overhead was wholly below zero before it was cut."""


def scale_of(formula: Formula) -> Scale:
    """Times, rates, quotients, amounts vary by factors; differences, shares may be negative."""
    factors = (Formula.TIME, Formula.RATE, Formula.QUOTIENT, Formula.AMOUNT)
    return Scale.LOG if formula in factors else Scale.LINEAR


def estimate(  # noqa: PLR0913, PLR0917 - an estimate carries what a report prints of it
    point: Point,
    metric: Metric,
    values: Sequence[LaunchValue],
    launch_numbers: Sequence[int],
    target_precision: float,
    least_launches: int,
    batch: int,
    words: Mapping[str, str],
    rounds: Sequence[int] = (),
) -> Estimate:
    """The launches of one point and metric as one value with its 95 % interval.

    Student's t over launch values: on their logs for times, rates, quotients and amounts, on
    themselves for overheads and shares. target_precision: relative half width (absolute for
    shares); rounds: of the launches, where known, by which other points' launches pair with them.
    `samples`, `warmup_cut` and `outliers` are totals over the launches. The precision counts as
    reached from `least_launches` launches on, and only where the value is resolved. Bounds that one
    launch cannot give are `units.UNBOUNDED`.

    Raises ValueError when there is no launch, when values, numbers or rounds differ in count, when
    a value is not finite, and when a time, rate, quotient or amount is not positive.
    """
    if len(values) != len(launch_numbers):
        raise ValueError(f"{len(values)} launch values but {len(launch_numbers)} launch numbers")
    if rounds and len(rounds) != len(values):
        raise ValueError(f"{len(values)} launch values but {len(rounds)} rounds")
    numbers = tuple(entry.value for entry in values)
    interval = interval_of(numbers, metric.formula)
    reached = (
        len(values) >= least_launches
        and interval.precision <= target_precision
        and interval.resolved
    )
    return Estimate(
        point=point,
        metric=metric.name,
        title=metric.title,
        unit=metric.unit,
        direction=metric.direction,
        scale=scale_of(metric.formula),
        value=interval.value,
        low=interval.low,
        high=interval.high,
        launches=len(values),
        samples=sum(entry.samples for entry in values),
        precision=interval.precision,
        target_precision=target_precision,
        reached=reached,
        resolved=interval.resolved,
        launch_values=numbers,
        launch_numbers=tuple(launch_numbers),
        warmup_cut=sum(entry.warmup_cut for entry in values),
        outliers=sum(entry.outliers for entry in values),
        batch=batch,
        attributes=dict(words),
        rounds=tuple(rounds),
        primary=metric.primary,
        below_zero=interval.below_zero,
    )


def interval_of(values: Sequence[float], formula: Formula) -> MetricInterval:
    """Value, 95 % interval and precision of launch values. Raises ValueError as `estimate` does."""
    if not values:
        raise ValueError("an estimate needs at least one launch, got none")
    if not all(math.isfinite(value) for value in values):
        raise ValueError(f"launch values must be finite, got {list(values)}")
    if scale_of(formula) is Scale.LOG:
        return _log_interval(values)
    if formula is Formula.OVERHEAD:
        return _overhead_interval(values)
    return _share_interval(values)


def _log_interval(values: Sequence[float]) -> MetricInterval:
    center, half = mean_and_half_width(checked_logs(values, "launch values"))
    value = math.exp(center)
    if is_unbounded(half):
        return MetricInterval(value, 0.0, UNBOUNDED, UNBOUNDED)
    low, high = bounded_exp(center - half), bounded_exp(center + half)
    return MetricInterval(value, min(low, value), max(high, value), bounded_expm1(half))


def _overhead_interval(values: Sequence[float]) -> MetricInterval:
    """A difference whose interval holds zero is below resolution, and never printed negative.

    The upper bound is the half width at least: finer than that the launches cannot tell, however
    far below zero their mean lies.
    """
    center, half = mean_and_half_width(values)
    low, high = _bounds(center, half)
    precision = half / abs(center) if center and not is_unbounded(half) else UNBOUNDED
    return MetricInterval(
        value=max(center, 0.0),
        low=max(low, 0.0),
        high=max(high, half),
        precision=precision,
        resolved=low > 0,
        below_zero=high < 0,
    )


def _share_interval(values: Sequence[float]) -> MetricInterval:
    center, half = mean_and_half_width(values)
    low, high = _bounds(center, half)
    return MetricInterval(center, low, high, half)


def _bounds(center: float, half: float) -> tuple[float, float]:
    if is_unbounded(half):
        return -UNBOUNDED, UNBOUNDED
    return center - half, center + half
