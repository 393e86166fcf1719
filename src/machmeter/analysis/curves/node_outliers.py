"""Nodes of a cluster that are slow, each measured by itself in the same launches as all others.

Logs are written as node + launch + noise. What a launch adds for all nodes is the median of its
deviations from every node's own median (one step of median polish: Tukey, Exploratory Data
Analysis, 1977). A node is judged by the median of what is left, so that one disturbed launch blames
nobody. Outliers among the nodes are found by the generalized extreme Studentized deviate (Rosner,
Technometrics 25, 1983), which slow nodes do not mask from each other, at levels that bound the
share of false ones among all found (Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from statistics import fmean, median, quantiles

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.stats.comparison import holm
from machmeter.analysis.stats.student import (
    bounded_exp,
    checked_logs,
    mean_and_half_width,
    two_sided_p,
)

LEAST_NODES = 4
LEAST_LAUNCHES = 2
LEAST_WORSE = 0.03
"""A node is named only where it is worse than usual by this share, ..."""
MOST_LAUNCHES = 0.75
"""... on average and in this share of its launches."""
LEVEL = 0.05
"""Of the test for any outlier in a class, and the share of false ones among all found."""
LEVEL_OF_A_NODE = 0.0005
"""Of the same for each node, which binds below 100 nodes: tests of several outliers add up."""
LEVEL_OF_CAUSES = 0.05
MOST_OUTLIERS = 0.4
"""Outliers, slow and fast, are this share of the nodes at most."""
EASED = 6
"""The level rises with the number of outliers up to one node in so many: beyond it healthy nodes
without their extremes would spread so little that their ends were outliers."""
# Two groups: their means are so many deviations of a group apart. Of one normal or uniform
# distribution that is cut in the middle it is 2.6 or 3.5.
GROUPS_APART = 6.0
LEAST_NODES_OF_GROUPS = 8
_DEVIATION_OF_QUARTILES = 1.349  # distance of the quartiles of a normal distribution
_MEDIAN_DEVIATION = 0.6745  # median distance from its center


class TooFew(StrEnum):
    """What there is too little of to name a node."""

    NODES = "nodes"
    LAUNCHES = "launches"


class NodeOutlier(Struct, frozen=True):
    """A slow node, and how many times worse than usual it is."""

    node: int
    """Its number in the values."""
    ratio: float
    """The geometric mean over its launches."""
    low: float
    """Lower end of the 95 % interval of the ratio: Student's t over launches."""
    high: float
    """Upper end of it."""
    p_value: float
    """Of a healthy node this far out, adjusted for the number of nodes and of outliers (Benjamini
    and Hochberg)."""


class NodeSpread(Struct, frozen=True):
    """What is usual of the nodes of a class, how they spread, and which are slow."""

    usual: float
    """Median of the nodes, in the unit of the results, as the quartiles are."""
    lower_quartile: float
    """A quarter of the nodes have a smaller value."""
    upper_quartile: float
    """A quarter have a larger one."""
    nodes: int
    """How many could be judged."""
    spread: float | None
    """Relative standard deviation between nodes without the noise of launches, by the quartiles;
    None where nothing can be named."""
    noise: float | None
    """Relative standard deviation of launches of one node, by median deviations; None as above."""
    slow: tuple[NodeOutlier, ...] = ()
    """The worst first."""
    groups: bool = False
    """Whether the nodes are two groups, the worse one half of them or more: none is named."""
    unjudged: tuple[int, ...] = ()
    """Nodes with values of fewer than two launches, where others have more."""
    too_few: TooFew | None = None
    """Why no node can be named."""


class SharedAttribute(Struct, frozen=True):
    """A value of an attribute that slow nodes have far more often than the others."""

    attribute: str
    """Its name, such as that of a leaf switch."""
    value: str
    """What they share."""
    slow: tuple[int, ...]
    """Slow nodes with it."""
    others: int
    """How many other nodes have it, too."""
    known: tuple[int, int]
    """Of how many slow and other nodes the attribute is known."""
    p_value: float
    """Fisher's exact test, adjusted for all attributes and values (Holm)."""


def slow_nodes(values: Mapping[int, Sequence[float]], *, lower_is_better: bool) -> NodeSpread:
    """The spread of the nodes of a class, and those that are slow.

    values: by node, the i-th of each from the same launch, NaN where the node has none of it.

    Named is a node that is an outlier among all nodes, whose 95 % interval over launches excludes
    the usual value, and that is at least 3 % worse, also in three quarters of its launches.

    Raises ValueError where there is no value, nodes have unlike numbers of launches, or a value is
    neither NaN nor positive and finite.
    """
    logs = _costs(values, lower_is_better)
    launches = max(map(len, logs.values()), default=0)
    if launches == 0:
        raise ValueError("no node has a value")
    least = min(launches, LEAST_LAUNCHES)
    relative = _without_launches({n: own for n, own in logs.items() if len(own) >= least})
    levels = {node: median(own.values()) for node, own in relative.items()}
    ordered = sorted(levels.values())
    quartiles = quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    lower, usual, upper = sorted(math.exp(q if lower_is_better else -q) for q in quartiles)
    too_few = TooFew.LAUNCHES if launches < LEAST_LAUNCHES else None
    if len(levels) < LEAST_NODES:
        too_few = TooFew.NODES
    noise = spread = None
    slow: tuple[NodeOutlier, ...] = ()
    groups = False
    if too_few is None:
        noise = _noise(relative)
        spread = _spread(relative, noise)
        groups = _are_groups(ordered)
        slow = () if groups else _outliers(relative, levels)
    return NodeSpread(
        usual=usual,
        lower_quartile=lower,
        upper_quartile=upper,
        nodes=len(levels),
        spread=spread,
        noise=noise,
        slow=slow,
        groups=groups,
        unjudged=tuple(node for node in logs if node not in levels),
        too_few=too_few,
    )


def common_cause(
    slow: Iterable[int], attributes: Mapping[str, Mapping[int, str]]
) -> tuple[SharedAttribute, ...]:
    """The values of attributes that two slow nodes or more share far more than the others do.

    attributes: by name (leaf switch, kernel, ...) the value of each node; nodes without one are
    left out of that attribute. Fisher's exact test, one-sided (Fisher, Statistical Methods for
    Research Workers, 5th edition, 1934), at 5 % over every value that two nodes have and not all
    (Holm).
    """
    named = frozenset(slow)
    found = []
    for attribute, values in sorted(attributes.items()):
        among = sorted(named & values.keys())
        for value, having in sorted(Counter(values.values()).items()):
            if 2 <= having < len(values):
                mine = tuple(node for node in among if values[node] == value)
                p = _fisher(len(mine), having, len(among), len(values))
                known = len(among), len(values) - len(among)
                found.append(SharedAttribute(attribute, value, mine, having - len(mine), known, p))
    adjusted = holm([one.p_value for one in found])
    shared = [
        replace(one, p_value=p)
        for one, p in zip(found, adjusted, strict=True)
        if p <= LEVEL_OF_CAUSES and len(one.slow) > 1
    ]
    return tuple(sorted(shared, key=lambda one: (one.p_value, one.attribute, one.value)))


def _costs(
    values: Mapping[int, Sequence[float]], lower_is_better: bool
) -> dict[int, dict[int, float]]:
    """By node the logs of its values by launch, higher is worse."""
    if len({len(own) for own in values.values()}) > 1:
        raise ValueError("nodes need as many launches as each other, NaN for one that is missing")
    sign = 1.0 if lower_is_better else -1.0
    costs = {}
    for node, own in sorted(values.items()):
        there = [launch for launch, value in enumerate(own) if not math.isnan(value)]
        logs = checked_logs([own[launch] for launch in there], f"node {node}")
        costs[node] = {launch: sign * log for launch, log in zip(there, logs, strict=True)}
    return costs


def _without_launches(costs: Mapping[int, Mapping[int, float]]) -> dict[int, dict[int, float]]:
    """The same less what each launch adds for all nodes."""
    deviations: dict[int, list[float]] = {}
    for own in costs.values():
        level = median(own.values())
        for launch, cost in own.items():
            deviations.setdefault(launch, []).append(cost - level)
    common = {launch: median(found) for launch, found in deviations.items()}
    return {
        node: {launch: cost - common[launch] for launch, cost in own.items()}
        for node, own in costs.items()
    }


def _noise(relative: Mapping[int, Mapping[int, float]]) -> float:
    """Of one node's launches: the median deviation from its mean, as of a normal distribution."""
    deviations = []
    for own in relative.values():
        mean = fmean(own.values())
        few = math.sqrt(len(own) / (len(own) - 1))
        deviations += [few * abs(cost - mean) for cost in own.values()]
    return median(deviations) / _MEDIAN_DEVIATION


def _spread(relative: Mapping[int, Mapping[int, float]], noise: float) -> float:
    """Of the nodes' true means: from their quartiles, less the variance of a mean over launches."""
    low, _, high = quantiles([fmean(own.values()) for own in relative.values()], n=4)
    of_means = fmean(1 / len(own) for own in relative.values()) * noise**2
    return math.sqrt(max(0.0, ((high - low) / _DEVIATION_OF_QUARTILES) ** 2 - of_means))


def _outliers(
    relative: Mapping[int, Mapping[int, float]], levels: Mapping[int, float]
) -> tuple[NodeOutlier, ...]:
    """Those worse than usual by all three conditions, the worst first."""
    by_level = sorted(levels, key=lambda node: (levels[node], node))
    sample = _Rising([levels[node] for node in by_level])
    first, last = _inliers(sample)
    usual, count = median(sample.values[first:last]), len(levels)
    found = []
    p_value = 1.0
    for position in range(last, count):
        node = by_level[position]
        eased = _eased(first + count - position, count)
        p_value = min(p_value, count * sample.p_value(position, first, last) / eased)
        mean, half = mean_and_half_width(list(relative[node].values()))
        worse = mean - usual
        least = math.log1p(LEAST_WORSE)
        often = sum(cost - usual >= least for cost in relative[node].values())
        shown = worse > half and often >= MOST_LAUNCHES * len(relative[node])
        if shown and worse >= least:
            bounds = bounded_exp(worse - half), bounded_exp(worse + half)
            found.append(NodeOutlier(node, math.exp(worse), *bounds, p_value))
    return tuple(sorted(found, key=lambda one: (-one.ratio, one.node)))


def _level(nodes: int) -> float:
    """Of a p value that is adjusted for so many nodes."""
    return min(LEVEL, nodes * LEVEL_OF_A_NODE)


def _eased(outliers: int, nodes: int) -> int:
    """By what the level is multiplied for so many outliers."""
    return min(outliers, max(1, nodes // EASED))


class _Rising:
    """Rising values, of which a stretch and one more value are compared in constant time."""

    def __init__(self, values: Sequence[float]) -> None:
        self.values = values
        center = median(values)
        self._sums = [0.0, *accumulate(value - center for value in values)]
        self._squares = [0.0, *accumulate((value - center) ** 2 for value in values)]
        self._center = center

    def mean(self, first: int, last: int) -> float:
        """Of the values from `first` to before `last`."""
        return self._center + (self._sums[last] - self._sums[first]) / (last - first)

    def squares(self, first: int, last: int) -> float:
        """The sum of their squared distances from their mean."""
        total = self._sums[last] - self._sums[first]
        return max(0.0, self._squares[last] - self._squares[first] - total**2 / (last - first))

    def p_value(self, position: int, first: int, last: int) -> float:
        """Of a value this far on its side of the stretch, if it were one more of it (normal)."""
        count = last - first
        error = math.sqrt(self.squares(first, last) / (count - 1) * (1 + 1 / count))
        return two_sided_p(self.values[position] - self.mean(first, last), error, count - 1) / 2


def _inliers(sample: _Rising) -> tuple[int, int]:
    """The stretch of the values that is left without outliers on either side.

    The value farthest from the mean is taken away, up to 40 % of all; all are outliers up to the
    last one that is too far from those left after it.
    """
    first, last = 0, len(sample.values)
    found, count = (first, last), last
    level = _level(count) / 2
    for outliers in range(1, int(MOST_OUTLIERS * count) + 1):
        mean = sample.mean(first, last)
        highest = sample.values[last - 1] - mean >= mean - sample.values[first]
        inner = (first, last - 1) if highest else (first + 1, last)
        p_value = sample.p_value(last - 1 if highest else first, *inner)
        if p_value * count <= level * _eased(outliers, count):
            found = inner
        first, last = inner
    return found


def _are_groups(ordered: Sequence[float]) -> bool:
    """Whether costs are of two groups, at least half of them in the worse, a quarter in the better.

    The cut is the one with the least squares within groups (Fisher, JASA 53, 1958).
    """
    count = len(ordered)
    if count < LEAST_NODES_OF_GROUPS:
        return False
    sample = _Rising(ordered)

    def within(cut: int) -> float:
        return sample.squares(0, cut) + sample.squares(cut, count)

    cut = min(range(1, count), key=within)
    apart = sample.mean(cut, count) - sample.mean(0, cut)
    deviation = math.sqrt(within(cut) / (count - 2))
    return (
        count / 4 <= cut <= count / 2
        and apart >= math.log1p(LEAST_WORSE)
        and apart > GROUPS_APART * deviation
    )


def _fisher(both: int, having: int, slow: int, nodes: int) -> float:
    """Probability of at least `both` slow nodes among those that have a value, by chance."""
    ways = sum(
        math.comb(having, k) * math.comb(nodes - having, slow - k)
        for k in range(both, min(having, slow) + 1)
    )
    return ways / math.comb(nodes, slow)
