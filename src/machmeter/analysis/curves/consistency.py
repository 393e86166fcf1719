"""Is the performance of all pairs uniform, and which node or link explains those that deviate.

A node that is slow is slow with everyone, a link with one peer only. In a system of n nodes one
slow node spoils n - 1 of n (n - 1) / 2 pairs: all but one of three, half of four. So the median of
all pairs may be a spoilt one, and what is usual is taken from the pairs that are left when the
blamed nodes (`analysis.curves.blame`) are put aside. Of a large system a sample of pairs is
measured, and switches have levels: there a pair is held against what is usual of its level
(`analysis.curves.distances`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, median

from msgspec import Struct

from machmeter.analysis.curves.blame import (
    LEAST_WORSE,
    Pair,
    Reference,
    blame,
    reference_of,
    without,
)
from machmeter.analysis.curves.distances import Levels, is_sample, levels_of
from machmeter.analysis.stats.student import checked_logs
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate

# With more links apart than this share of all there is no usual link: the system has levels.
MOST_LINKS = 0.25


class Apart(Struct, frozen=True):
    """A pair that is worse than usual: how many times, and by how many deviations."""

    pair: Pair
    """Its two ranks."""
    worse: float
    """How many times worse than the typical pair."""
    deviations: float
    """By how many deviations it is worse."""


class SlowNode(Struct, frozen=True):
    """A node behind its pairs: how many times worse their median is than what is usual, and how
    many of its pairs are apart."""

    node: int
    """A rank."""
    worse: float
    """How many times worse its median is than the typical pair."""
    apart: int
    """How many of its pairs are apart."""
    pairs: int
    """How many pairs it has."""


class PairsOfLevel(Struct, frozen=True):
    """Pairs that are usual in the same way, such as those within a leaf switch."""

    usual: float
    """Of them without a blamed node, in the unit of the results."""
    pairs: tuple[Pair, ...]
    """Who they are, those of blamed nodes included."""


class Consistency(Struct, frozen=True):
    """The typical pair, those that deviate, and the nodes that explain them."""

    usual: float
    """Of the typical pair, in the unit of the results; of several levels that of most pairs."""
    deviation: float
    """Of typical pairs, relative."""
    worse: dict[Pair, float]
    """Of each pair how many times worse than usual at its level it is, below 1 is better."""
    apart: tuple[Apart, ...]
    """Every pair worse than usual, the worst first."""
    nodes: tuple[SlowNode, ...]
    """Those that explain slow pairs, the worst first."""
    links: tuple[Apart, ...]
    """The pairs apart that no blamed node is part of."""
    levels: bool
    """Whether pairs without a blamed node are of several levels rather than a few bad links."""
    better: tuple[Pair, ...]
    """Pairs much better than usual, without a blamed node."""
    scores: dict[int, float]
    """Of each node the median of its pairs over that of all the others, above 1 is worse; of pairs
    of several levels each pair counts relative to its level."""
    steps: tuple[PairsOfLevel, ...] = ()
    """The levels where each pair's is known, the best first; empty where there is one or not."""

    @property
    def pairs(self) -> int:
        """How many were compared."""
        return len(self.worse)

    @property
    def widest(self) -> float:
        """How far the pair farthest from what is usual is from it, relative."""
        return max(max(times, 1 / times) for times in self.worse.values()) - 1

    @property
    def consistent(self) -> bool:
        """Whether no pair is apart, much better or of another level, and all are within 10 % of the
        typical one."""
        odd = self.apart or self.better or self.steps
        return not odd and self.widest <= LEAST_WORSE


def consistency_of(by_pair: Mapping[Pair, Estimate]) -> Consistency:
    """Judge the estimates of pairs, all of one metric.

    Judged is the median over the launches, as one disturbed launch is no slow node; a published
    value stands for itself. Raises ValueError as `consistency` does.
    """
    if not by_pair:
        raise ValueError("pairs must be at least one")
    higher = next(iter(by_pair.values())).direction is Direction.HIGHER
    values = {pair: judged_value(one) for pair, one in sorted(by_pair.items())}
    return consistency(values, higher)


def judged_value(estimate: Estimate) -> float:
    """The result by which a pair is judged, in its unit: the median over its launches."""
    return median(estimate.launch_values) if estimate.launch_values else estimate.value


def consistency(values: Mapping[Pair, float], higher_is_better: bool) -> Consistency:
    """Judge the results of pairs of nodes, of all of them or of a sample.

    values: one positive result for each pair, `(lower, higher)` number of the two nodes.

    Who is blamed, what is usual, and from where on a pair is apart: see `analysis.curves.blame`; of
    a sample of pairs `analysis.curves.distances`.
    Pairs are of several levels where more than a quarter of those without a blamed node are apart,
    where as many are much better as every second node has at least one near peer, or where nodes
    are slow with all others but not among themselves.

    Raises ValueError when there is no pair, a pair is of one node or not in order, or a value is
    not positive.
    """
    if not values or any(not 0 <= one < other for one, other in values):
        raise ValueError("pairs are of two nodes, the lower number first, and at least one")
    logs = checked_logs(tuple(values.values()), "pairs")
    sign = -1.0 if higher_is_better else 1.0
    costs = {pair: sign * log for pair, log in zip(values, logs, strict=True)}
    levels, grouped = (levels_of(costs), False) if is_sample(costs) else _one_level(costs)
    # Relative to what is usual at a pair's level; of one level it is all the same.
    counts = Counter(levels.level.values())
    usual = levels.references[max(counts, key=lambda at: counts[at])]
    references = {pair: levels.references[at] for pair, at in levels.level.items()}
    above = {pair: cost - references[pair].center for pair, cost in costs.items()}
    left = without(costs, levels.slow)
    apart = _apart(costs, references)
    steps = _steps(levels, sign)
    return Consistency(
        usual=math.exp(sign * usual.center),
        deviation=math.expm1(usual.deviation),
        worse={pair: math.exp(cost) for pair, cost in above.items()},
        apart=apart,
        nodes=_slow_nodes(above, levels.slow, {one.pair for one in apart}),
        links=tuple(one for one in apart if one.pair in left),
        levels=grouped or bool(steps) or _has_levels(left, usual),
        better=tuple(pair for pair, cost in left.items() if references[pair].is_better(cost)),
        scores=_scores(above),
        steps=steps,
    )


def _one_level(costs: Mapping[Pair, float]) -> tuple[Levels, bool]:
    """All pairs as of one level without blamed nodes, and whether others are a group."""
    blamed, grouped = blame(costs)
    reference = reference_of(list(without(costs, blamed).values()))
    return Levels(blamed, (reference,), dict.fromkeys(costs, 0)), grouped


def _steps(levels: Levels, sign: float) -> tuple[PairsOfLevel, ...]:
    if len(levels.references) == 1:
        return ()
    pairs: list[list[Pair]] = [[] for _ in levels.references]
    for pair, at in levels.level.items():
        pairs[at].append(pair)
    usual = (math.exp(sign * reference.center) for reference in levels.references)
    return tuple(PairsOfLevel(*one) for one in zip(usual, map(tuple, pairs), strict=True))


def _apart(costs: Mapping[Pair, float], references: Mapping[Pair, Reference]) -> tuple[Apart, ...]:
    found = [
        Apart(pair, math.exp(above), above / reference.deviation)
        for pair, cost in costs.items()
        for reference in [references[pair]]
        if reference.is_apart(cost)
        for above in [cost - reference.center]
    ]
    return tuple(sorted(found, key=lambda one: (-one.worse, one.pair)))


def _has_levels(left: Mapping[Pair, float], reference: Reference) -> bool:
    """Only of pairs that lie close to each other: what spreads widely has no levels."""
    strange = [cost for cost in left.values() if reference.is_of_another_level(cost)]
    worse = sum(cost > reference.center for cost in strange)
    better = len(strange) - worse
    nodes = len({node for pair in left for node in pair})
    return worse > max(1, MOST_LINKS * len(left)) or better >= max(2, nodes / 2)


def _slow_nodes(
    above: Mapping[Pair, float], blamed: tuple[int, ...], apart: Collection[Pair]
) -> tuple[SlowNode, ...]:
    own: dict[int, list[Pair]] = {node: [] for node in blamed}
    for pair in above:
        for node in own.keys() & set(pair):
            own[node].append(pair)
    found = [
        SlowNode(
            node,
            math.exp(median(above[pair] for pair in mine)),
            sum(pair in apart for pair in mine),
            len(mine),
        )
        for node, mine in own.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.worse, one.node)))


def _scores(costs: Mapping[Pair, float]) -> dict[int, float]:
    by_cost = sorted(costs, key=lambda pair: costs[pair])
    ordered = [costs[pair] for pair in by_cost]
    ranks: dict[int, list[int]] = {}
    for rank, pair in enumerate(by_cost):
        for node in pair:
            ranks.setdefault(node, []).append(rank)
    return {
        node: math.exp(median(ordered[rank] for rank in own) - _median_without(ordered, own))
        if len(own) < len(ordered)
        else 1.0
        for node, own in sorted(ranks.items())
    }


def _median_without(ordered: Sequence[float], gone: Sequence[int]) -> float:
    """The median of rising numbers but those at the positions `gone`, which rise as well."""
    left = len(ordered) - len(gone)
    middle = []
    for position in ((left - 1) // 2, left // 2):
        at = position
        for rank in gone:
            at += rank <= at
        middle.append(ordered[at])
    return fmean(middle)
