"""The precision that a run reached, and what more measuring time would buy. Pure.

Half widths are those of Student's t over launches (`analysis.stats.student`); with more launches
the standard error falls as 1/sqrt(launches), which assumes that launches are independent and that
their variance stays: Student, Biometrika 6 (1908).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median, median_low

from machmeter.analysis.stats.student import (
    bounded_expm1,
    checked_logs,
    student_quantile,
    variance_of_mean,
)
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.precision import PrecisionBin, PrecisionReached, PrecisionStep
from machmeter.model.results.run import Precision
from machmeter.model.units import SHARE, is_unbounded

_BOUNDS = (0.0, 0.02, 0.05, 0.10, 0.20, 0.50)
_MADE = (0.25, 0.5, 0.75, 1.0)
_MORE = tuple(2.0**power for power in range(1, 9))
# Two launches give an interval, but one too wide to say anything of a curve.
_FEWEST = 3


def precision_reached(
    estimates: Sequence[Estimate], precision: Precision, seconds: float
) -> PrecisionReached | None:
    """How precise the results of a run are; None where none has an interval.

    precision: as requested; seconds: measuring time of the run.
    """
    with_interval = [e for e in estimates if e.resolved and not is_unbounded(e.precision)]
    relative = [e for e in with_interval if e.unit != SHARE]
    shares = [e.precision for e in with_interval if e.unit == SHARE]
    if not relative:
        return None
    target = precision.half_width
    return PrecisionReached(
        target=target,
        results=len(relative),
        reached=sum(e.reached for e in relative),
        median=median(e.precision for e in relative),
        launches=median_low(e.launches for e in relative),
        bins=_bins([e.precision for e in relative]),
        curve=_curve(relative, target, seconds),
        most_launches=sum(
            not e.reached and e.launches >= precision.most_launches for e in relative
        ),
        shares=len(shares),
        shares_median=median(shares) if shares else 0.0,
    )


def half_width_after(estimate: Estimate, share: float) -> float | None:
    """Relative half width of a result after `share` times its launches (1: those made).

    Up to 1 from the first of its launches, above from the variance of all of them. None where they
    are too few.
    """
    launches = round(share * estimate.launches)
    known = estimate.launch_values[:launches]
    if len(known) < _FEWEST or launches < _FEWEST:
        return None
    logarithmic = estimate.scale is Scale.LOG
    values: Sequence[float] = checked_logs(known, estimate.metric) if logarithmic else known
    spread = math.sqrt(variance_of_mean(values) * len(values))
    half = student_quantile(launches - 1) * spread / math.sqrt(launches)
    if logarithmic:
        return bounded_expm1(half)
    center = abs(math.fsum(values) / len(values))
    return half / center if center else None


def _bins(precisions: Sequence[float]) -> tuple[PrecisionBin, ...]:
    ends = [*pairwise(_BOUNDS), (_BOUNDS[-1], None)]
    return tuple(
        PrecisionBin(
            low,
            high,
            sum((low < p or low == 0) and (high is None or p <= high) for p in precisions),
        )
        for low, high in ends
    )


def _curve(
    estimates: Sequence[Estimate], target: float, seconds: float
) -> tuple[PrecisionStep, ...]:
    """Medians of the same results throughout: those that have a half width at its first step, which
    are at least half of all."""
    steps: list[PrecisionStep] = []
    followed = list(estimates)
    for share in (*_MADE, *_MORE):
        if share > 1 and (not steps or steps[-1].half_width <= target):
            break
        known = [(one, half_width_after(one, share)) for one in followed]
        having = [(one, half) for one, half in known if half is not None]
        if 2 * len(having) < len(estimates) or not having:
            continue
        followed = [one for one, _ in having]
        found = median(half for _, half in having)
        steps.append(PrecisionStep(share * seconds, found, extrapolated=share > 1))
    return tuple(steps)
