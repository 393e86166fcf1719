"""Are all pairs alike, and which node or link is behind those that are not.

A node that is slow is slow with everyone, a link with one peer only. In a system of n nodes one
slow node spoils n - 1 of n (n - 1) / 2 pairs: all but one of three, half of four. So the median of
all pairs may be a spoilt one, and what is usual is taken from the pairs that are left when
suspects are put aside.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.student import checked_logs

Pair = tuple[int, int]

# A pair is apart when it is worse by so many deviations, and by this share at least.
DEVIATIONS = 5.0
LEAST_WORSE = 0.10
# Links that are identical still differ by this, relative.
LEAST_DEVIATION = 0.01
NORMAL_CONSISTENCY = 1.4826  # of the median absolute deviation of normal values
# A node is behind its pairs where this share of them is apart; of less, each pair is a link.
MOST_OF_A_NODE = 0.75
# What explains pairs most simply: a node for two pairs or more, never pairs that are too good.
COST_OF_NODE = 1.5
COST_OF_TOO_GOOD = 3.0
# With more links apart than this share of all there is no usual link: the system has levels.
MOST_LINKS = 0.25


class Apart(Struct, frozen=True):
    """A pair that is worse than usual: how many times, and by how many deviations."""

    pair: Pair
    worse: float
    deviations: float


class SlowNode(Struct, frozen=True):
    """A node behind its pairs: how many times worse their median is than what is usual, and how
    many of its pairs are apart."""

    node: int
    worse: float
    apart: int
    pairs: int


class Consistency(Struct, frozen=True):
    """What is usual, what is apart, and who is behind it.

    usual: the figure of a usual pair, in its unit; deviation: relative; pairs: how many were
    compared; apart: every pair worse than usual, the worst first; nodes: those blamed, the worst
    first; links: the pairs apart that no blamed node is part of; levels: whether so many pairs are
    apart without a node behind them that the system has several levels rather than bad links;
    better: pairs much better than usual; scores: of each node the median of its pairs over that
    of all the others, above 1 is worse.
    """

    usual: float
    deviation: float
    pairs: int
    apart: tuple[Apart, ...]
    nodes: tuple[SlowNode, ...]
    links: tuple[Apart, ...]
    levels: bool
    better: tuple[Pair, ...]
    scores: dict[int, float]

    @property
    def consistent(self) -> bool:
        """Whether no pair is worse than usual."""
        return not self.apart


class _Reference(Struct, frozen=True):
    """Log of the usual cost, and how far usual pairs lie from it, in logs."""

    center: float
    deviation: float

    def is_apart(self, cost: float) -> bool:
        return self._beyond(cost - self.center)

    def is_better(self, cost: float) -> bool:
        return self._beyond(self.center - cost)

    def _beyond(self, above: float) -> bool:
        return above > DEVIATIONS * self.deviation and above >= math.log1p(LEAST_WORSE)


def consistency(values: Mapping[Pair, float], higher_is_better: bool) -> Consistency:
    """Judge the figures of pairs of nodes, of all of them or of a sample.

    values: one positive figure for each pair, `(lower, higher)` number of the two nodes.

    A pair is apart when it is worse than usual by more than five median absolute deviations
    (scaled to those of a normal distribution, at least 1 %) and by 10 % at least. The deviations
    are taken from the middle of the densest half of the pairs (Rousseeuw, JASA 79, 1984, with the
    correction for few values of Rousseeuw, Leroy, 1987) that are left without the blamed nodes.
    Blamed are as few nodes, of those whose pairs are worst, as leave the fewest pairs unexplained;
    of each three quarters of its pairs at least, and two, must be apart. Less than half of the
    nodes can be blamed.

    Raises ValueError when there is no pair, a pair is of one node or not in order, or a value is
    not positive.
    """
    if not values or any(not 0 <= one < other for one, other in values):
        raise ValueError("pairs are of two nodes, the lower number first, and at least one")
    logs = checked_logs(tuple(values.values()), "pairs")
    sign = -1.0 if higher_is_better else 1.0
    costs = {pair: sign * log for pair, log in zip(values, logs, strict=True)}
    own = _own(costs)
    ranked = _ranked(own)
    explanations = [
        _explained(costs, own, ranked[:count]) for count in range((len(ranked) - 1) // 2 + 1)
    ]
    blamed, reference = min(
        (found for found in explanations if found is not None), key=lambda found: found[2]
    )[:2]
    return _told(costs, sign, blamed, reference)


def _ranked(own: Mapping[int, Sequence[float]]) -> list[int]:
    """The nodes, those first whose pairs are worst."""
    medians = {node: (_median(mine), math.fsum(mine) / len(mine)) for node, mine in own.items()}
    return sorted(own, key=lambda node: medians[node], reverse=True)


def _own(costs: Mapping[Pair, float]) -> dict[int, list[float]]:
    """The costs of each node's pairs."""
    own: dict[int, list[float]] = {}
    for (one, other), cost in costs.items():
        own.setdefault(one, []).append(cost)
        own.setdefault(other, []).append(cost)
    return own


def _explained(
    costs: Mapping[Pair, float], own: Mapping[int, Sequence[float]], blamed: Sequence[int]
) -> tuple[tuple[int, ...], _Reference, float] | None:
    """What it costs to blame these nodes; None where they are not behind their pairs."""
    left = _without(costs, blamed)
    if not left:
        return None
    reference = _reference(list(left.values()))
    for node in blamed:
        apart = sum(reference.is_apart(cost) for cost in own[node])
        if apart < 2 or apart < MOST_OF_A_NODE * len(own[node]):
            return None
    price = COST_OF_NODE * len(blamed)
    price += sum(reference.is_apart(cost) for cost in left.values())
    price += COST_OF_TOO_GOOD * sum(reference.is_better(cost) for cost in left.values())
    return tuple(blamed), reference, price


def _without(costs: Mapping[Pair, float], nodes: Collection[int]) -> dict[Pair, float]:
    return {pair: cost for pair, cost in costs.items() if not set(pair) & set(nodes)}


def _reference(costs: Sequence[float]) -> _Reference:
    """Middle and half length of the shortest stretch that holds half of the costs."""
    ordered = sorted(costs)
    count = len(ordered)
    half = count // 2 if count % 2 == 0 else count // 2 + 1
    # Of stretches of one length the better one, within what identical links differ by.
    lengths = [ordered[i + half - 1] - ordered[i] for i in range(count - half + 1)]
    shortest = min(lengths) + LEAST_DEVIATION
    begin = next(i for i, length in enumerate(lengths) if length <= shortest)
    few = 1 + 5 / (count - 1) if count > 1 else 1.0
    deviation = NORMAL_CONSISTENCY * few * lengths[begin] / 2
    center = _median(ordered[begin : begin + half])
    return _Reference(center, max(deviation, LEAST_DEVIATION))


def _told(
    costs: Mapping[Pair, float], sign: float, blamed: Sequence[int], reference: _Reference
) -> Consistency:
    apart = sorted(
        (
            Apart(pair, math.exp(above), above / reference.deviation)
            for pair, cost in costs.items()
            if reference.is_apart(cost)
            for above in [cost - reference.center]
        ),
        key=lambda one: (-one.worse, one.pair),
    )
    links = tuple(one for one in apart if not set(one.pair) & set(blamed))
    left = _without(costs, blamed)
    nodes = [_slow_node(costs, node, reference) for node in blamed]
    return Consistency(
        usual=math.exp(sign * reference.center),
        deviation=math.expm1(reference.deviation),
        pairs=len(costs),
        apart=tuple(apart),
        nodes=tuple(sorted(nodes, key=lambda one: (-one.worse, one.node))),
        links=links,
        levels=len(links) > max(1, MOST_LINKS * len(left)),
        better=tuple(pair for pair, cost in costs.items() if reference.is_better(cost)),
        scores=_scores(costs),
    )


def _slow_node(costs: Mapping[Pair, float], node: int, reference: _Reference) -> SlowNode:
    mine = [cost for pair, cost in costs.items() if node in pair]
    worse = math.exp(_median(mine) - reference.center)
    return SlowNode(node, worse, sum(reference.is_apart(cost) for cost in mine), len(mine))


def _scores(costs: Mapping[Pair, float]) -> dict[int, float]:
    scores = {}
    for node, mine in sorted(_own(costs).items()):
        others = [cost for pair, cost in costs.items() if node not in pair]
        scores[node] = math.exp(_median(mine) - _median(others)) if others else 1.0
    return scores


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
