"""The spread between runs of one machine, which the launches of one run do not show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.analysis.stats.comparison import (
    MARGIN,
    MARGIN_OF_SHARES,
    Difference,
    verdict_of,
)
from machmeter.analysis.stats.student import (
    bounded_exp,
    student_quantile,
    two_sided_p,
    variance_of_mean,
)
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.units import is_unbounded

LEAST_RUNS = 3
"""Other runs from which on the spread between them is used."""


class DifferenceSpread(NamedTuple):
    """Of a difference, with its squared standard error."""

    variance: float
    """Squared standard error, of logs or of shares."""
    degrees: float
    """Degrees of freedom."""

    @property
    def half_width(self) -> float:
        """Of the 95 % interval."""
        return student_quantile(self.degrees) * math.sqrt(self.variance)


def of_difference(others: Sequence[float], most_degrees: float) -> DifferenceSpread | None:
    """By how much the values of two runs differ where nothing else does, by those of other runs,
    one each; None where these are too few.

    most_degrees: of freedom, those of the launches: with more of them a wider interval could have
    the smaller p value.

    Each of the two deviates as one of the others does, so that variances add up: twice that between
    the others (runs, and not launches, are what varies independently).
    """
    if len(others) < LEAST_RUNS:
        return None
    degrees = min(len(others) - 1, most_degrees)
    return DifferenceSpread(2 * len(others) * variance_of_mean(others), degrees)


def values_of(
    others: Sequence[MachineResults],
    results: Sequence[Estimate],
    scaled: Callable[[float], float] = math.log,
) -> list[list[float]]:
    """Of every other run that has all of these results the values, each `scaled`; a result is the
    same where point, metric and MPI library are, and above zero where logs are taken."""
    wanted = [_name(one) for one in results]
    found = []
    for other in others:
        own = {_name(one): one.value for one in other.estimates if one.resolved}
        if all(name in own and (scaled is not math.log or own[name] > 0) for name in wanted):
            found.append([scaled(own[name]) for name in wanted])
    return found


def ratio_between_runs(found: Comparison, logs: Sequence[float]) -> Comparison:
    """A ratio with the interval of the spread between other runs, where that is the wider one.

    logs: of the same result in those runs.
    """
    spread = of_difference(logs, found.degrees)
    if spread is None or found.degrees == 0 or found.low <= 0 or not found.is_bounded:
        return found
    center, half = math.log(found.ratio), spread.half_width
    if half <= math.log(found.high / found.ratio):
        return found
    return replace(
        found,
        low=bounded_exp(center - half),
        high=bounded_exp(center + half),
        degrees=spread.degrees,
        p_value=two_sided_p(center, math.sqrt(spread.variance), spread.degrees),
        verdict=verdict_of(center - half, center + half, math.log1p(MARGIN)),
    )


def points_between_runs(found: Difference, shares: Sequence[float]) -> Difference:
    """As `ratio_between_runs`, of shares."""
    spread = of_difference(shares, found.degrees)
    if spread is None or is_unbounded(found.high) or spread.half_width <= found.high - found.value:
        return found
    low, high = found.value - spread.half_width, found.value + spread.half_width
    return found._replace(
        low=low,
        high=high,
        degrees=spread.degrees,
        p_value=two_sided_p(found.value, math.sqrt(spread.variance), spread.degrees),
        verdict=verdict_of(low, high, MARGIN_OF_SHARES),
    )


def wider(within: DifferenceSpread, between: DifferenceSpread | None) -> DifferenceSpread:
    """That of the launches of both, or that between runs where it is the wider one."""
    if between is None or between.half_width <= within.half_width:
        return within
    return between


def _name(one: Estimate) -> tuple[str, str, str]:
    return one.point.key, one.metric, one.mpi_library
