"""The mean of several results that share launches, with an interval that allows for it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from machmeter.analysis.stats.student import variance_of_mean

Series = Mapping[int, float]
"""Values of one result by the round (or launch) that each was measured in."""


class JointMean(NamedTuple):
    """A weighted sum of means, with its squared standard error and degrees of freedom."""

    value: float
    """The sum."""
    variance: float
    """Squared standard error."""
    degrees: float
    """Degrees of freedom."""


def joint_mean(series: Sequence[Series], weights: Sequence[float]) -> JointMean:
    """`sum of weight x mean` of results that were measured in common rounds.

    Results of one launch vary together, and so do launches of one round, all of
    which noise that lasts for seconds hits: a round is the sampling unit. What the results of a
    round contribute is added up before it is squared (cluster-robust variance, Liang and Zeger,
    Biometrika 73, 1986), each deviation scaled by sqrt(n / (n - 1)) for the n rounds of its result.
    Where all results have all rounds that is Student's t on the mean of each round. Degrees of
    freedom are one less than the effective number of rounds (Carter, Schnepel and Steigerwald,
    Review of Economics and Statistics 99, 2017), which is smaller where some rounds have few of the
    results.

    Raises ValueError where there are not as many weights, or a series has fewer than two values.
    """
    if not series or len(series) != len(weights):
        raise ValueError(f"got {len(series)} series and {len(weights)} weights")
    if min(map(len, series)) < 2:
        raise ValueError("each series needs two values")
    center = 0.0
    found: dict[int, float] = defaultdict(float)
    expected: dict[int, float] = defaultdict(float)
    for one, weight in zip(series, weights, strict=True):
        values, count = list(one.values()), len(one)
        mean = math.fsum(values) / count
        center += weight * mean
        scale = weight / math.sqrt(count * (count - 1))
        error = abs(weight) * math.sqrt(variance_of_mean(values) / count)
        for place, value in one.items():
            found[place] += scale * (value - mean)
            expected[place] += error
    shares = [part * part for part in expected.values()]
    squares = math.fsum(share * share for share in shares)
    effective = math.fsum(shares) ** 2 / squares if squares else float(len(shares))
    return JointMean(center, math.fsum(x * x for x in found.values()), max(effective - 1, 1.0))
