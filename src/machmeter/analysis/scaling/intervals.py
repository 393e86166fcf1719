"""Intervals of fitted laws: of coefficients and of all that follows from them.

What follows from a law is a smooth function of the means at each count, so that to first order
every launch says by how much it moves it (delta method): Student's t over launches, paired by round
where all counts were measured in the same rounds, otherwise by Satterthwaite (Biometrics Bulletin
2, 1946) over counts. That is the truth only where the law holds, so it is tested against the
scatter between launches (F test of lack of fit: Draper, Smith, Applied Regression Analysis, 3rd
ed., section 2.1). Where it does not hold, or there is one launch a count, the scatter of the counts
around the law takes the place of that between launches, with as few degrees of freedom as it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from machmeter.analysis.scaling.laws import Floats, Law, fit, sensitivity
from machmeter.analysis.stats.student import CONFIDENCE
from machmeter.model.results.scaling import Problem
from machmeter.model.units import UNBOUNDED

MISFIT_P = 0.05
_STEP = 1e-6


class Logs(NamedTuple):
    """Logs of the rate (of a COST, of the cost) at each count, and how they scatter."""

    means: Floats
    """Over launches, by count."""
    rows: Floats | None
    """`[round, count]` where all counts were measured in the same rounds."""
    variances: Floats
    """Squared standard errors of the means with their degrees of freedom (0 of each: one launch a
    count).
    """
    degrees: Floats
    """Degrees of freedom of the variances."""

    @property
    def scattered(self) -> bool:
        """Whether the scatter between launches is known at every count."""
        return bool(np.all(self.degrees > 0))


class Fitted(NamedTuple):
    """A law with its coefficients."""

    law: Law
    """The law."""
    problem: Problem
    """What the work does as the count grows."""
    counts: tuple[int, ...]
    """Those fitted."""
    logs: Logs
    """Those fitted."""
    coefficients: Floats
    """Of the terms of the law."""
    pull: Floats
    """How they move with the logs, `[coefficient, count]`."""
    residuals: Floats
    """Logs less those of the law, by count."""
    misfit_p: float
    """Probability of such a misfit where the law holds; -1 where unknown."""

    @property
    def holds(self) -> bool:
        """Whether the results may follow the law, by the scatter between launches."""
        return self.misfit_p < 0 or self.misfit_p >= MISFIT_P

    @property
    def by_launches(self) -> bool:
        """Whether intervals come from the scatter between launches."""
        return self.misfit_p >= MISFIT_P


class CurveBand(NamedTuple):
    """Values with their 95 % intervals, on the scale that Student's t was applied to."""

    center: Floats
    """The values."""
    low: Floats
    """Lower ends of the intervals."""
    high: Floats
    """Upper ends of the intervals."""


def logs_of(launch_logs: Sequence[Sequence[float]], rounds: Sequence[Sequence[int]]) -> Logs:
    """Means and scatter of launch values at each count; rounds: those they were measured in."""
    means = np.array([np.mean(logs) for logs in launch_logs])
    sizes = np.array([len(logs) for logs in launch_logs])
    together = sizes.min() > 1 and all(
        len(of) == size and tuple(of) == tuple(rounds[0])
        for of, size in zip(rounds, sizes, strict=True)
    )
    rows = np.array(launch_logs, dtype=float).T if together else None
    variances = np.array(
        [np.var(logs, ddof=1) / len(logs) if len(logs) > 1 else 0.0 for logs in launch_logs]
    )
    return Logs(means, rows, variances, (sizes - 1).astype(float))


def fitted(law: Law, counts: Sequence[int], logs: Logs, problem: Problem) -> Fitted | None:
    """The law fitted to the logs; None where counts are too few or the law has no value there.

    At least one count more than the law has parameters: otherwise it passes through every result
    and it cannot be tested whether it holds.
    """
    if len(counts) <= law.parameters:
        return None
    coefficients = fit(law, counts, logs.means, problem)
    if coefficients is None:
        return None
    slopes = sensitivity(law, counts, coefficients, problem)
    pull = np.asarray(np.linalg.pinv(slopes), dtype=float)
    at_counts = law.log_rate(np.asarray(counts, dtype=float), coefficients, problem)
    residuals = logs.means - at_counts
    left = np.asarray(np.eye(len(counts)) - slopes @ pull)
    return Fitted(
        law,
        problem,
        tuple(counts),
        logs,
        coefficients,
        pull,
        residuals,
        _misfit_p(residuals, left, logs, len(law.terms)),
    )


def band_of(fitted_law: Fitted, function: Callable[[Floats], Floats]) -> CurveBand:
    """`function` of the coefficients (an array of values) with 95 % intervals.

    Beyond the range of numbers nothing bounds it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _band(fitted_law, function)


def _band(fitted_law: Fitted, function: Callable[[Floats], Floats]) -> CurveBand:
    center = np.atleast_1d(function(fitted_law.coefficients))
    columns = []
    for position, value in enumerate(fitted_law.coefficients):
        # As far as the fit itself may move the coefficient, so that the difference is resolved.
        step = _STEP * max(abs(value), float(np.abs(fitted_law.pull[position]).sum()))
        moved = fitted_law.coefficients.copy()
        moved[position] = value + step
        above = np.atleast_1d(function(moved))
        moved[position] = value - step
        columns.append((above - np.atleast_1d(function(moved))) / (2 * step))
    weights = np.stack(columns, axis=-1) @ fitted_law.pull
    variance, degrees = _variance(fitted_law, weights)
    from scipy.special import stdtrit

    half = stdtrit(degrees, (1 + CONFIDENCE) / 2) * np.sqrt(variance)
    # Where a coefficient may not move without the law losing its value, nothing bounds it.
    half = np.nan_to_num(half, nan=UNBOUNDED, posinf=UNBOUNDED)
    low, high = (np.clip(ends, -UNBOUNDED, UNBOUNDED) for ends in (center - half, center + half))
    return CurveBand(center, low, high)


def _variance(fitted_law: Fitted, weights: Floats) -> tuple[Floats, Floats]:
    """Squared standard error of weighted sums of the logs, and its degrees of freedom."""
    logs = fitted_law.logs
    if not fitted_law.by_launches:
        left = float(len(fitted_law.counts) - len(fitted_law.law.terms))
        scatter = float(fitted_law.residuals @ fitted_law.residuals) / left
        return scatter * (weights**2).sum(axis=1), np.full(len(weights), left)
    if logs.rows is not None:
        launches = len(logs.rows)
        moved = logs.rows @ weights.T
        return moved.var(axis=0, ddof=1) / launches, np.full(len(weights), launches - 1.0)
    parts = weights**2 * logs.variances
    variance = parts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(variance[:, np.newaxis] > 0, parts / variance[:, np.newaxis], 0.0)
        degrees = np.where(variance > 0, 1 / (shares**2 / logs.degrees).sum(axis=1), 1.0)
    return np.asarray(variance), np.asarray(degrees)


def _misfit_p(residuals: Floats, left: Floats, logs: Logs, terms: int) -> float:
    """Probability of residuals this large where the law holds; -1 where it cannot be known.

    left: what the fit leaves of the logs, as a matrix.
    """
    if not logs.scattered:
        return -1.0
    freedom = len(residuals) - terms
    if logs.rows is not None:
        launches = len(logs.rows)
        expected = float((logs.rows @ left.T).var(axis=0, ddof=1).sum()) / launches
        known = float((launches - 1) * freedom)
    else:
        parts = np.diag(left) * logs.variances
        expected = float(parts.sum())
        known = float(expected**2 / (parts**2 / logs.degrees).sum()) if expected > 0 else 1.0
    seen = float(residuals @ residuals)
    if expected <= 0:
        return 1.0 if seen < 1e-18 else 0.0
    from scipy.special import fdtrc

    return float(fdtrc(freedom, known, seen / expected))
