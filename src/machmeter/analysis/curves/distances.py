"""Which nodes are slow, and what is usual, where pairs are a sample and switches have levels.

Pairs of a large system are of a few distances around the circle of ranks, and those of one distance
may be of several levels: within a leaf switch, between two. Who is below which switch is not known.
So the costs of a distance are not held against one usual value but against how often each cost
occurs at that distance.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.curves.blame import (
    LEAST_DEVIATION,
    MOST_OF_A_NODE,
    Pair,
    Reference,
    reference_of,
)

# Fewer pairs of a distance say nothing of its levels.
LEAST_OF_A_DISTANCE = 16
# So many of the last ranks may lack results.
MOST_LACKING = 8
# A level has this share of the pairs without a slow node, and so many.
LEAST_OF_A_LEVEL = 0.02
LEAST_PAIRS_OF_A_LEVEL = 3
# Levels have a gap between them of so many deviations, and of this share.
GAP_DEVIATIONS = 2.0
LEAST_GAP = 0.05
# Costs are the same that are not further apart than so many deviations.
WINDOW = 3.0
# What is counted where a cost does not occur.
RARE = 0.5
# A node is suspected, and is slow, where that explains its pairs better by these logs of odds; to
# the second the log of the number of nodes is added, as each could be named.
SUSPECT = 1.0
SHOWN = 3.0
# Half the length of the shortest quarter of normal values, in deviations.
_QUARTER = 0.3186
_PASSES = 10
_CLEAR = math.log(2)


class Levels(Struct, frozen=True):
    """What is usual of pairs by their level, and the nodes that are behind slow pairs."""

    slow: tuple[int, ...]
    """These nodes, rising."""
    references: tuple[Reference, ...]
    """Of each level, the lowest cost first."""
    level: dict[Pair, int]
    """Of each pair the position of its level."""


class _Usual(Struct, frozen=True):
    """The costs of the pairs of a distance and of all pairs, rising, and their spread."""

    costs: Sequence[float]
    everywhere: Sequence[float]
    reference: Reference

    def like(self, cost: float) -> float:
        """How many of the distance are as `cost` is."""
        return self._near(self.costs, cost)

    def is_of_a_level(self, cost: float) -> bool:
        """Whether so many of all distances are as `cost` is that it is that of other switches."""
        return self._near(self.everywhere, cost) >= _least_pairs(len(self.everywhere))

    def _near(self, rising: Sequence[float], cost: float) -> int:
        width = WINDOW * self.reference.deviation
        return bisect_right(rising, cost + width) - bisect_left(rising, cost - width)


class _OfNode(Struct, frozen=True):
    """A pair as one of its nodes sees it."""

    partner: int
    distance: int
    cost: float


def is_sample(costs: Mapping[Pair, float]) -> bool:
    """Whether pairs are less than half of all, and of a few distances around the circle."""
    nodes = len({node for pair in costs for node in pair})
    counts = Counter(_distances(costs).values())
    return 4 * len(costs) < nodes * (nodes - 1) and min(counts.values()) >= LEAST_OF_A_DISTANCE


def levels_of(costs: Mapping[Pair, float]) -> Levels:
    """The levels of pairs that are a sample, and the nodes that are slow at whatever level.

    costs: logs, higher is worse. A node is slow by a factor where its pairs without it would be
    as pairs of their distance often are, and with it are as few of them are: the sum of the logs
    of these odds is above the log of the number of nodes by 3, three quarters of its pairs are not
    against it, and two are for it. Pairs of other slow nodes do not count, so nodes are judged
    again until they stay the same. None is slow where half of the nodes would be.

    Levels are stretches of the costs of pairs without a slow node, with a gap between them.
    """
    distances = _distances(costs)
    own = _of_each(costs, distances)
    suspects: dict[int, float] = {}
    for _ in range(_PASSES):
        known, usual = suspects, _usual(costs, distances, suspects)
        suspects = _slow(own, known, usual, None)
        if suspects.keys() == known.keys():
            break
    usual = _usual(costs, distances, suspects)
    shown = _slow(own, suspects, usual, SHOWN + math.log(len(own))) if usual else {}
    effects = {node: effect for node, effect in shown.items() if node in suspects}
    if 2 * len(effects) >= len(own):
        effects = {}
    usual = _usual(costs, distances, effects)
    return _with_levels(costs, distances, effects, usual)


def _distances(costs: Iterable[Pair]) -> dict[Pair, int]:
    """Around the circle of ranks. Its last ones may lack results: of circles that are larger by a
    few it is the one with the fewest distances."""
    apart = {pair: pair[1] - pair[0] for pair in costs}
    least = 1 + max(other for _, other in apart)

    def distances(ranks: int) -> int:
        return len({min(far, ranks - far) for far in apart.values()})

    ranks = min(range(least, least + 1 + MOST_LACKING), key=distances)
    return {pair: min(far, ranks - far) for pair, far in apart.items()}


def _of_each(
    costs: Mapping[Pair, float], distances: Mapping[Pair, int]
) -> dict[int, list[_OfNode]]:
    own: dict[int, list[_OfNode]] = {}
    for (one, other), cost in costs.items():
        distance = distances[one, other]
        own.setdefault(one, []).append(_OfNode(other, distance, cost))
        own.setdefault(other, []).append(_OfNode(one, distance, cost))
    return dict(sorted(own.items()))


def _usual(
    costs: Mapping[Pair, float], distances: Mapping[Pair, int], slow: Mapping[int, float]
) -> dict[int, _Usual]:
    """By distance, of the pairs without these nodes."""
    kept: dict[int, list[float]] = {}
    for pair, cost in costs.items():
        if slow.keys().isdisjoint(pair):
            kept.setdefault(distances[pair], []).append(cost)
    usual = {}
    everywhere = sorted(cost for values in kept.values() for cost in values)
    for distance, values in kept.items():
        values.sort()
        held = (len(values) + 3) // 4
        shortest = min(values[i + held - 1] - values[i] for i in range(len(values) - held + 1))
        deviation = max(LEAST_DEVIATION, shortest / 2 / _QUARTER)
        usual[distance] = _Usual(
            values, everywhere, Reference(reference_of(values).center, deviation)
        )
    return usual


def _slow(
    own: Mapping[int, Sequence[_OfNode]],
    suspects: Mapping[int, float],
    usual: Mapping[int, _Usual],
    least: float | None,
) -> dict[int, float]:
    """The nodes that are slow, with the logs of their factors."""
    found = {node: _effect(node, mine, suspects, usual, least) for node, mine in own.items()}
    return {node: effect for node, effect in found.items() if effect is not None}


def _effect(
    node: int,
    mine: Sequence[_OfNode],
    slow: Mapping[int, float],
    usual: Mapping[int, _Usual],
    least: float | None,
) -> float | None:
    """The log of the factor by which a node is slow; None where it is not.

    least: None to suspect it.
    """
    clean = [one for one in mine if one.partner not in slow and one.distance in usual]
    if len(clean) < 2:
        return None
    counted = node not in slow

    def as_it_is(pair: _OfNode) -> float:
        mine = usual[pair.distance]
        if least is not None and mine.is_of_a_level(pair.cost):
            return math.log(len(mine.costs))
        return math.log(mine.like(pair.cost) - counted + RARE)

    as_is = [as_it_is(pair) for pair in clean]

    def odds(effect: float) -> list[float]:
        without = (usual[p.distance].like(p.cost - effect) for p in clean)
        return [math.log(count + RARE) - log for count, log in zip(without, as_is, strict=True)]

    apart = [p for p in clean if usual[p.distance].reference.is_apart(p.cost)]
    candidates = [p.cost - usual[p.distance].reference.center for p in apart]
    if len(candidates) < 2:
        return None
    best = max(candidates, key=lambda effect: math.fsum(odds(effect)))
    found = odds(best)
    against = sum(one < -_CLEAR for one in found)
    supported = sum(one > _CLEAR for one in found)
    most = (1 - MOST_OF_A_NODE) * len(clean)
    return (
        best
        if math.fsum(found) > (least or SUSPECT) and supported >= 2 and against <= most
        else None
    )


def _with_levels(
    costs: Mapping[Pair, float],
    distances: Mapping[Pair, int],
    effects: Mapping[int, float],
    usual: Mapping[int, _Usual],
) -> Levels:
    clean = next(iter(usual.values())).everywhere
    deviation = min(one.reference.deviation for one in usual.values())
    stretches = _stretches(clean, max(math.log1p(LEAST_GAP), GAP_DEVIATIONS * deviation))
    references = (
        [reference_of(one) for one in stretches] if stretches[1:] else [reference_of(clean)]
    )

    def nearest(cost: float) -> int:
        return min(range(len(references)), key=lambda at: abs(cost - references[at].center))

    main = {distance: nearest(one.reference.center) for distance, one in usual.items()}
    level = {}
    for pair, cost in costs.items():
        mine = [effects[node] for node in pair if node in effects]
        without = {cost - math.fsum(mine), cost - max(mine, default=0.0)}
        bases = {nearest(base): base for base in without}
        at, base = min(bases.items(), key=lambda item: abs(item[1] - references[item[0]].center))
        within = stretches[1:] and stretches[at][0] <= base <= stretches[at][-1]
        level[pair] = at if mine or within else main[distances[pair]]
    return Levels(tuple(sorted(effects)), tuple(references), level)


def _stretches(ordered: Sequence[float], gap: float) -> list[Sequence[float]]:
    """Rising costs cut where the next is far away, without those of few."""
    cuts = [i for i in range(1, len(ordered)) if ordered[i] - ordered[i - 1] > gap]
    parts = [ordered[a:b] for a, b in zip([0, *cuts], [*cuts, len(ordered)], strict=True)]
    return [part for part in parts if len(part) >= _least_pairs(len(ordered))] or [ordered]


def _least_pairs(count: int) -> float:
    """Of a level, of so many pairs."""
    return max(LEAST_PAIRS_OF_A_LEVEL, LEAST_OF_A_LEVEL * count)
