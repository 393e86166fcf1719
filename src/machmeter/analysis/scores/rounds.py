"""How well a mean over codes is known whose launches become slower and faster together.

Launches of one round share what the machine was like then. Taken for independent, 18 results with
a correlation of 0.3 give an interval that holds the truth in 55 % of all cases instead of 95 %. So
the mean over the codes is taken in each round, and its spread over the rounds counts: Student's t,
whatever the correlation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from machmeter.analysis.stats.comparison import linearized_logs
from machmeter.analysis.stats.student import variance_of_mean
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate

ByRound = Mapping[int, float]
# With two the interval is 12 standard errors wide.
LEAST_ROUNDS = 3


class MeanError(NamedTuple):
    """How well a log is known."""

    variance: float
    """Squared standard error."""
    degrees: float
    """Degrees of freedom."""


def logs_by_round(estimate: Estimate) -> ByRound:
    """The log of a result in each round, the higher the better; none where rounds are not known, or
    several launches have the same one, as in several runs."""
    rounds = estimate.rounds
    if not len(set(rounds)) == len(rounds) == len(estimate.launch_values) or estimate.low <= 0:
        return {}
    sign = 1.0 if estimate.direction is Direction.HIGHER else -1.0
    return {
        number: sign * log for number, log in zip(rounds, linearized_logs(estimate), strict=True)
    }


def mean_by_round(codes: Sequence[ByRound], weights: Sequence[float]) -> ByRound:
    """The weighted mean of several logs in every round that all of them have."""
    common = set(codes[0]).intersection(*codes)
    return {
        number: math.fsum(w * of[number] for w, of in zip(weights, codes, strict=True))
        for number in sorted(common)
    }


def error_of_mean(
    sides: Sequence[Sequence[ByRound]], weights: Sequence[float], apart: Sequence[MeanError]
) -> MeanError:
    """How well the weighted mean of logs over codes is known.

    sides: of each machine that enters a code (one, or two of a ratio) the logs of all codes by
    round; machines are independent of each other. apart: how well each code is known by itself.
    Where codes share fewer than `LEAST_ROUNDS` rounds their errors are added, the most that they
    can amount to.
    """
    means = [mean_by_round(codes, weights) for codes in sides]
    if not means or any(len(mean) < LEAST_ROUNDS for mean in means):
        error = math.fsum(
            w * math.sqrt(one.variance) for w, one in zip(weights, apart, strict=True)
        )
        return MeanError(error**2, min(one.degrees for one in apart))
    return sum_of_errors(
        [MeanError(variance_of_mean([*mean.values()]), len(mean) - 1) for mean in means]
    )


def sum_of_errors(parts: Sequence[MeanError]) -> MeanError:
    """Of a sum of independent logs; degrees by Satterthwaite, Biometrics Bulletin 2 (1946)."""
    variance = math.fsum(one.variance for one in parts)
    if variance == 0:
        return MeanError(0.0, math.fsum(one.degrees for one in parts))
    shares = math.fsum((one.variance / variance) ** 2 / one.degrees for one in parts)
    return MeanError(variance, 1 / shares)
