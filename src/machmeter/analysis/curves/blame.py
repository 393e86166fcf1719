"""Which nodes are behind pairs that are worse than the others, and what is usual without them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import fmean, median

from msgspec import Struct

Pair = tuple[int, int]

# A pair is apart when it is worse by so many deviations, and by this share at least.
DEVIATIONS = 5.0
LEAST_WORSE = 0.10
# However widely pairs spread, one that is so many times worse than usual is apart.
SURELY_APART = 2.0
# Links that are identical still differ by this, relative.
LEAST_DEVIATION = 0.01
NORMAL_CONSISTENCY = 1.4826  # of the half length of the shortest half of normal values
# A node is behind its pairs where this share of them is apart; of less, each pair is a link.
MOST_OF_A_NODE = 0.75
# Who it is, and by how much it is worse.
PARAMETERS_OF_A_NODE = 2


class Reference(Struct, frozen=True):
    """Log of the usual cost, and how far usual pairs lie from it, in logs."""

    center: float
    """Log of the typical cost."""
    deviation: float
    """How far typical pairs are from it, in logs."""

    def is_apart(self, cost: float) -> bool:
        """Whether a pair of this cost (a log) is worse than usual."""
        return self._beyond(cost - self.center)

    def is_better(self, cost: float) -> bool:
        """Whether a pair of this cost (a log) is much better than usual."""
        return self._beyond(self.center - cost)

    def is_of_another_level(self, cost: float) -> bool:
        """Whether a cost (a log), lower or higher, is no part of how usual pairs spread."""
        far = abs(cost - self.center)
        return self._beyond(far) and far > DEVIATIONS * self.deviation

    def _beyond(self, above: float) -> bool:
        spread = min(DEVIATIONS * self.deviation, math.log(SURELY_APART))
        return above > spread and above >= math.log1p(LEAST_WORSE)


def blame(costs: Mapping[Pair, float]) -> tuple[tuple[int, ...], bool]:
    """The nodes behind their pairs, and whether others are a group of their own.

    costs: logs, higher is worse. Nodes are ranked by the median of their pairs, and of the worst
    none, one, two, ... of less than half of the nodes are tried: pairs of a blamed node are
    expected at their median, all others at theirs. Taken is the number with the best Bayesian
    information criterion (Schwarz, Annals of Statistics 6, 1978) of residuals of a Laplace
    distribution, among those where of every blamed node three quarters of its pairs, and two, are
    apart. Nodes that are slow with all others but not with each other are near each other and far
    from the rest: they are a group, and neither they nor those ranked after them are blamed.
    """
    own = _pairs_of_each(costs)
    medians = {node: (median(mine), fmean(mine)) for node, mine in own.items()}
    ranked = sorted(own, key=lambda node: medians[node], reverse=True)
    # Less than half of the nodes are bad, so more than an eighth of all pairs are without one.
    good = sorted(costs.values())[len(costs) // 8] + math.log1p(LEAST_WORSE)
    suspects = sum(medians[node][0] >= good for node in ranked)
    counts = range(min(suspects, (len(ranked) - 1) // 2) + 1)
    by_price = sorted(counts, key=lambda count: _price(costs, own, ranked[:count]))
    most, grouped = len(ranked), False
    for count in by_price:
        blamed = ranked[:count]
        if count > most or not _are_behind(costs, own, blamed):
            continue
        near = _near_each_other(costs, blamed)
        if near is None:
            return tuple(blamed), grouped
        most, grouped = min(most, near), True
    return (), grouped


def reference_of(costs: Sequence[float]) -> Reference:
    """What is usual among costs (logs, at least one).

    The median of the shortest stretch that holds half of them, and half its length, scaled to the
    standard deviation of a normal distribution (Rousseeuw, JASA 79, 1984, with the correction for
    few values of Rousseeuw, Leroy, 1987), at least 1 %.
    """
    ordered = sorted(costs)
    count = len(ordered)
    half = (count + 1) // 2
    # Of stretches of one length the better one, within what identical links differ by.
    lengths = [ordered[i + half - 1] - ordered[i] for i in range(count - half + 1)]
    shortest = min(lengths) + LEAST_DEVIATION
    begin = next(i for i, length in enumerate(lengths) if length <= shortest)
    few = 1 + 5 / (count - 1) if count > 1 else 1.0
    deviation = NORMAL_CONSISTENCY * few * lengths[begin] / 2
    return Reference(median(ordered[begin : begin + half]), max(deviation, LEAST_DEVIATION))


def without(costs: Mapping[Pair, float], nodes: Collection[int]) -> dict[Pair, float]:
    """The costs of pairs that none of these nodes is part of."""
    gone = set(nodes)
    return {pair: cost for pair, cost in costs.items() if gone.isdisjoint(pair)}


def _pairs_of_each(costs: Mapping[Pair, float]) -> dict[int, list[float]]:
    """The costs of each node's pairs."""
    own: dict[int, list[float]] = {}
    for pair, cost in costs.items():
        for node in pair:
            own.setdefault(node, []).append(cost)
    return own


def _price(
    costs: Mapping[Pair, float], own: Mapping[int, Sequence[float]], blamed: Sequence[int]
) -> float:
    """The criterion of blaming these nodes, lower is better; infinite where no pair is left."""
    left = without(costs, blamed)
    if not left:
        return math.inf
    usual = median(left.values())
    above = {node: median(own[node]) - usual for node in blamed}
    residuals = LEAST_DEVIATION * len(costs)
    for pair, cost in costs.items():
        effects = [above[node] for node in pair if node in above]
        # Two slow ends may add up, or the slower one alone may count.
        expected = {math.fsum(effects), max(effects, default=0.0)}
        residuals += min(abs(cost - usual - effect) for effect in expected)
    count = len(costs)
    parameters = PARAMETERS_OF_A_NODE * len(blamed)
    return count * math.log(residuals / count) + parameters * math.log(count)


def _are_behind(
    costs: Mapping[Pair, float], own: Mapping[int, Sequence[float]], blamed: Sequence[int]
) -> bool:
    """Whether of each node enough pairs are apart from what is usual without all of them."""
    left = without(costs, blamed)
    if not left:
        return False
    reference = reference_of(list(left.values()))
    apart = {node: sum(reference.is_apart(cost) for cost in own[node]) for node in blamed}
    return all(apart[node] >= max(2, MOST_OF_A_NODE * len(own[node])) for node in blamed)


def _near_each_other(costs: Mapping[Pair, float], blamed: Sequence[int]) -> int | None:
    """The rank of the first node that is not slow with another of these; None if all are."""
    reference = reference_of(list(without(costs, blamed).values()))
    for (rank, one), (_, other) in combinations(enumerate(blamed), 2):
        cost = costs.get((min(one, other), max(one, other)))
        if cost is not None and not reference.is_apart(cost):
            return rank
    return None
