"""When there are launches enough for a precision."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.analysis.stats.student import (
    checked_logs,
    student_quantile,
    variance_of_mean,
)
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.run import Precision
from machmeter.model.units import SHARE

MOST_EXPECTED = 100_000


def needs_more(estimates: Sequence[Estimate], launches: int, least: int, most: int) -> bool:
    """Whether one launch spec should be launched again, from the estimates of its primary metrics.

    Never enough before `least` launches (testing earlier biases the value), always at `most`. In
    between, until every resolved estimate has reached its precision: an overhead below resolution
    is a result, not a reason to go on.
    """
    if launches < least:
        return True
    if launches >= most:
        return False
    return any(entry.resolved and not entry.reached for entry in estimates)


def expected_launches(estimate: Estimate) -> int:
    """Launches likely needed, in all, for the target precision at the current variance.

    Those made where they are enough or more would not be made (see `needs_more`); the default
    least number where one launch does not show the variance yet; at most 100,000.
    """
    if estimate.launches < 2:
        return max(estimate.launches, Precision().least_launches)
    if estimate.reached or not estimate.resolved:
        return estimate.launches
    spread, target = _spread_and_target(estimate)
    return max(estimate.launches, _smallest_count(spread, target))


def _spread_and_target(estimate: Estimate) -> tuple[float, float]:
    """Standard deviation over launches and target half width, on the estimate's scale."""
    if estimate.scale is Scale.LOG:
        values: Sequence[float] = checked_logs(estimate.launch_values, estimate.metric)
        target = math.log1p(estimate.target_precision)
    else:
        values = estimate.launch_values
        target = (
            estimate.target_precision
            if estimate.unit == SHARE
            else estimate.target_precision * estimate.value
        )
    return math.sqrt(variance_of_mean(values) * len(values)), target


def _smallest_count(spread: float, target: float) -> int:
    """Smallest count whose t half width is within `target`, by bisection (it falls with count)."""
    low, high = 2, MOST_EXPECTED
    while low < high:
        middle = (low + high) // 2
        if student_quantile(middle - 1) * spread <= target * math.sqrt(middle):
            high = middle
        else:
            low = middle + 1
    return low
