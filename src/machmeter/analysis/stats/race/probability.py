"""How probably each of several candidates is the best one, from rounds that all of them have.

The log values of a round are a draw of a multivariate normal distribution of unknown mean and
covariance. Given n rounds, the mean of all candidates has, under the reference prior for a contrast
of two of them, a multivariate t distribution with n - 1 degrees of freedom around the means that
were seen, with their covariance over n (Geisser and Cornfield, "Posterior distributions for
multivariate normal parameters", J. R. Stat. Soc. B 25, 1963). How often a candidate is first among
draws of it is its probability. A draw is made of the deviations of the rounds from their mean, with
normal weights: so no covariance needs a factor, also where there are more candidates than rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS, Rounds

DRAWS = 20_000
"""So that the error of a probability by the number of draws is below 0.01."""
_SEED = 1


def probabilities_of_best(
    values: Mapping[str, Rounds], *, higher_is_better: bool
) -> dict[str, float]:
    """The probability of each to have the best mean (0 to 1, in sum 1), by name.

    Those that are equal in a draw share it. Empty for one alone, and where fewer than
    `LEAST_ROUNDS` rounds have values of all; the same for the same values.
    """
    common = sorted(set.intersection(*map(set, values.values()))) if values else []
    if len(values) < 2 or len(common) < LEAST_ROUNDS:
        return {}
    import numpy as np

    logs = np.array([[math.log(rounds[n]) for rounds in values.values()] for n in common])
    logs = logs if higher_is_better else -logs
    rounds_count = len(common)
    mean = logs.mean(axis=0)
    rng = np.random.default_rng(_SEED)
    weights = rng.standard_normal((DRAWS, rounds_count)) / math.sqrt(rounds_count)
    spread = np.sqrt(rng.chisquare(rounds_count - 1, (DRAWS, 1)))
    draws = mean + weights @ (logs - mean) / spread
    first = draws == draws.max(axis=1, keepdims=True)
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return dict(zip(values, map(float, shares), strict=True))
