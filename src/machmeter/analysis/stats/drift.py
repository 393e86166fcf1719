"""Whether performance drifted between two moments, measured by a reference kernel."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from machmeter.analysis.stats.comparison import MARGIN, compare_welch
from machmeter.analysis.stats.student import checked_logs
from machmeter.model.results.run import ReferenceDrift
from machmeter.model.units import UNBOUNDED


def reference_drift(part: str, start: Sequence[float], end: Sequence[float]) -> ReferenceDrift:
    """Times of the reference kernel at the end over those at the start, with 95 % interval.

    start, end: seconds, one value a launch; a ratio above 1 means slower at the end. Welch's t on
    logs. With fewer than two values on a side the interval is `[0, units.UNBOUNDED]`. Raises
    ValueError when a side is empty or a time is not positive.
    """
    if not start or not end:
        raise ValueError(f"reference {part}: no value at the {'end' if start else 'start'}")
    logs_start = checked_logs(start, f"reference {part} at the start")
    logs_end = checked_logs(end, f"reference {part} at the end")
    if min(len(start), len(end)) < 2:
        ratio = math.exp(statistics.fmean(logs_end) - statistics.fmean(logs_start))
        low, high = 0.0, UNBOUNDED
    else:
        compared = compare_welch(end, start, higher_is_better=True)
        ratio, low, high = compared.ratio, compared.low, compared.high
    first, last = (math.exp(statistics.fmean(logs)) for logs in (logs_start, logs_end))
    return ReferenceDrift(part, first, last, ratio, low, high)


def drifted(drift: ReferenceDrift, margin: float = MARGIN) -> bool:
    """Whether a drift is real and large enough to matter.

    Real: its interval excludes 1. Large enough: the ratio itself is farther from 1 than `margin`,
    either way. The interval may overlap the margin: a warning should rather come early.
    """
    real = drift.low > 1 or drift.high < 1
    return real and abs(math.log(drift.ratio)) > math.log1p(margin)
