"""How well a mean over codes is known whose launches become slower and faster together.

Launches of one round share what the machine was like then. Taken for independent, 18 results with
a correlation of 0.3 give an interval that holds the truth in 55 % of all cases instead of 95 %. So
what all codes contribute in a round is added up before it is squared (`joint_mean`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from machmeter.analysis.stats.comparison import linearized_logs
from machmeter.analysis.stats.joint_mean import joint_mean
from machmeter.analysis.stats.student import student_quantile
from machmeter.model.benchmark import Direction
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate

ByRound = Mapping[int, float]
Side = tuple[ByRound, ...]
"""The results of one code on one machine, each with the same weight."""


class MeanError(NamedTuple):
    """How well a log is known."""

    variance: float
    """Squared standard error."""
    degrees: float
    """Degrees of freedom."""


def logs_by_round(estimate: Estimate) -> ByRound:
    """The log of a result in each round, the higher the better; none where rounds are not known."""
    rounds = estimate.rounds
    if not len(set(rounds)) == len(rounds) == len(estimate.launch_values) or estimate.low <= 0:
        return {}
    sign = 1.0 if estimate.direction is Direction.HIGHER else -1.0
    return {
        number: sign * log for number, log in zip(rounds, linearized_logs(estimate), strict=True)
    }


def ratios_by_round(one: ByRound, other: ByRound) -> ByRound:
    """The log of a ratio in each round that both have: of results that were measured in turn."""
    return {number: one[number] - other[number] for number in one if number in other}


def log_variance_of(comparison: Comparison) -> float:
    """Squared standard error of the log of a ratio that has an interval."""
    half = math.log(comparison.high / comparison.ratio)
    return (half / student_quantile(comparison.degrees)) ** 2


def error_of_mean(
    codes: Sequence[Sequence[Side]], weights: Sequence[float], apart: Sequence[MeanError]
) -> MeanError:
    """How well the weighted mean of logs over codes is known.

    codes: of each code a side of each machine that enters it (one, or two of a ratio), or one of
    the ratios where both were measured in turn; machines are independent of each other. apart: how
    well each code is known by itself. Where rounds are not known these errors are added, the most
    that they can amount to.
    """
    counts = {len(sides) for sides in codes}
    known = all(len(one) > 1 for sides in codes for side in sides for one in side)
    if len(counts) != 1 or 0 in counts or not known:
        error = math.fsum(
            w * math.sqrt(one.variance) for w, one in zip(weights, apart, strict=True)
        )
        return MeanError(error**2, min(one.degrees for one in apart))
    parts = []
    for number in range(counts.pop()):
        of_side = [
            (one, weight / len(sides[number]))
            for sides, weight in zip(codes, weights, strict=True)
            for one in sides[number]
        ]
        mean = joint_mean([one for one, _ in of_side], [share for _, share in of_side])
        parts.append(MeanError(mean.variance, mean.degrees))
    return _sum(parts)


def _sum(parts: Sequence[MeanError]) -> MeanError:
    """Of independent logs; degrees by Satterthwaite, Biometrics Bulletin 2 (1946)."""
    variance = math.fsum(one.variance for one in parts)
    if variance == 0:
        return MeanError(0.0, math.fsum(one.degrees for one in parts))
    shares = math.fsum((one.variance / variance) ** 2 / one.degrees for one in parts)
    return MeanError(variance, 1 / shares)
