"""A race: candidates are launched in rounds, and those that are shown to be slower drop out.

After each round from the fifth on every candidate is compared with every other one by the paired
log ratios of the rounds that both have (Student's t, one-sided). Where c candidates begin, a test
of look m has the level 0.05 * 6 / (pi^2 m^2) / (c - 1): the sum over all looks and over the c - 1
others that the best one could lose to is 0.05, so that the best candidate drops out in at most 5 %
of races (union bound), whatever the number of rounds. The schedule of levels is that of a
Bonferroni correction over a sequence of looks; sequential elimination by such tests is due to
Maron and Moore, "Hoeffding races", NIPS 6 (1993).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping

from machmeter.analysis.stats.student import two_sided_p, variance_of_mean
from machmeter.model.results.comparison import DroppedOut

LEAST_ROUNDS = 5
"""Rounds before any candidate may drop out."""
MOST_ERROR = 0.05
"""Probability that the best one drops out, at most."""

Rounds = Mapping[int, float]
"""Launch values of one candidate by round, above zero."""


def race(
    values: Mapping[str, Rounds], *, higher_is_better: bool, kept: Collection[str] = ()
) -> tuple[DroppedOut, ...]:
    """Who has dropped out, in order, as it follows from the rounds so far.

    kept: those that stay whatever they are, such as the default that others are compared with.
    """
    logs = {
        name: {number: (-1) ** higher_is_better * math.log(one) for number, one in rounds.items()}
        for name, rounds in values.items()
    }
    dropped: dict[str, DroppedOut] = {}
    every = sorted({number for rounds in logs.values() for number in rounds})
    for look, last in enumerate(every[LEAST_ROUNDS - 1 :], start=1):
        level = MOST_ERROR * 6 / (math.pi * look) ** 2 / max(len(logs) - 1, 1)
        running = {
            name: {number: one for number, one in rounds.items() if number <= last}
            for name, rounds in logs.items()
            if name not in dropped
        }
        for name, faster in _beaten(running, level):
            if name not in kept:
                dropped[name] = DroppedOut(name, last, faster)
    return tuple(dropped.values())


def _beaten(running: Mapping[str, Rounds], level: float) -> Iterator[tuple[str, str]]:
    """Those that another one is shown to be faster than, each with the farthest ahead."""
    for name, own in running.items():
        behind = [
            (lead, other)
            for other, theirs in running.items()
            if other != name and (lead := _shown_lead(own, theirs, level)) > 0
        ]
        if behind:
            yield name, max(behind)[1]


def _shown_lead(slow: Rounds, fast: Rounds, level: float) -> float:
    """By how much `fast` is ahead, as a log ratio; 0 where that is not shown."""
    common = sorted(slow.keys() & fast.keys())
    if len(common) < LEAST_ROUNDS:
        return 0.0
    differences = [slow[number] - fast[number] for number in common]
    lead = math.fsum(differences) / len(differences)
    if lead <= 0:
        return 0.0
    p_value = two_sided_p(lead, math.sqrt(variance_of_mean(differences)), len(common) - 1) / 2
    return lead if p_value < level else 0.0
