"""Rule nodes: is every node as fast as the others, and which are not."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from machmeter.analysis.curves.blame import LEAST_WORSE
from machmeter.analysis.curves.node_outliers import (
    NodeSpread,
    SharedAttribute,
    common_cause,
    slow_nodes,
)
from machmeter.analysis.rules.following import followed_case
from machmeter.analysis.rules.outcome import Draft, NodesKind, NodesOutcome
from machmeter.analysis.rules.select import TopologyFacts, differ_only_in, select
from machmeter.analysis.rules.sensitivity import Alternative, BeyondBound, JudgedQuantity
from machmeter.analysis.rules.system.host_attributes import host_attributes
from machmeter.analysis.rules.system.node_classes import hosts_in_order
from machmeter.analysis.rules.trial import Label
from machmeter.analysis.scaling.common_limit import CommonShare, NodeLimits
from machmeter.analysis.stats.confidence import BoundMargin
from machmeter.model.benchmark import Direction
from machmeter.model.plan.question import NodesRule
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED

NODE = "node"
CLASS = "class"
"""In the label of what holds for one class of nodes."""


def even_nodes(rule: NodesRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """Is every node as fast as the others, and which are not?

    Judged are launches that nodes have in common (`analysis.curves.node_outliers`). That no node
    is shown to be slow is no "yes": it takes that the interval of each excludes 10 % worse.
    """
    selected = select(rule.candidate, pool, facts.pair_distances)
    by_node = nodes_of(selected)
    if not by_node or len(by_node) < len(selected) or not differ_only_in((NODE,), selected):
        return None
    if not all(one.resolved for one in by_node.values()):
        return None
    found = spread_of(by_node)
    at_most = max(_furthest(one, found.usual) for one in by_node.values())
    kind = _kind(found, at_most)
    hosts = hosts_in_order(facts.rank_hosts)
    shared = shared_causes(found, by_node, host_attributes(hosts, facts.hosts))
    common = _common_share(by_node, found.usual, hosts, facts.node_limits)
    outcome = NodesOutcome(kind, found, hosts, tuple(by_node.items()), at_most, shared, common)
    if kind in {NodesKind.TOO_FEW, NodesKind.UNCLEAR}:
        return followed_case(outcome, decided=False)
    if not found.slow:
        return followed_case(outcome, advice=rule.apart if found.groups else rule.even)
    worst = found.slow[0]
    ends = (math.log(worst.ratio), math.log(worst.low), math.log(worst.high), 0.0)
    own = by_node[worst.node]
    reached = all(one.reached for one in by_node.values())
    margin = BoundMargin(*ends, own.launches - 1.0, worst.p_value, own.launches, reached)
    change = BeyondBound(JudgedQuantity.RATIO, True, 1.0, worst.low, Alternative.NOT_WORSE)
    degrees, p_value = own.launches - 1.0, worst.p_value
    slower = ComparisonVerdict.SLOWER
    ratio = Comparison(worst.ratio, worst.low, worst.high, True, degrees, p_value, slower)
    return followed_case(
        outcome, advice=rule.named, ratio=ratio, margin=margin, sensitivity=(change,)
    )


def parts_by_class(
    parts: Iterable[tuple[Label, Sequence[Estimate]]], classes: Sequence[str]
) -> Iterator[tuple[Label, Sequence[Estimate]]]:
    """The results of each class of nodes, the largest class first; classes: of each node, none
    where all are of one."""
    for label, part in parts:
        of_class: dict[str, list[Estimate]] = {}
        for one in part:
            of_class.setdefault(class_of(one, classes), []).append(one)
        for name, own in sorted(of_class.items(), key=lambda found: -len(found[1])):
            yield (*label, *(((CLASS, name),) if name else ())), own


def class_of(estimate: Estimate, classes: Sequence[str]) -> str:
    """That of the node of a result; empty where there is one class."""
    node = estimate.point.get(NODE)
    return classes[node] if isinstance(node, int) and 0 <= node < len(classes) else ""


def nodes_of(estimates: Sequence[Estimate]) -> dict[int, Estimate]:
    """The result of each node by its number; those of no node are left out."""
    found = ((one.point.get(NODE), one) for one in estimates)
    return {number: one for number, one in sorted(found, key=_number) if isinstance(number, int)}


def spread_of(by_node: Mapping[int, Estimate]) -> NodeSpread:
    """How the nodes compare, launch by launch; NaN where a node has nothing of a launch."""
    launches = sorted({number for one in by_node.values() for number in one.launch_numbers})
    values = {}
    for node, one in by_node.items():
        own = zip(one.launch_numbers, one.launch_values, strict=True)
        # What is below the resolution of the clock is no value.
        known = {launch: value for launch, value in own if value > 0}
        values[node] = [known.get(launch, math.nan) for launch in launches]
    first = next(iter(by_node.values()))
    return slow_nodes(values, lower_is_better=first.direction is Direction.LOWER)


def shared_causes(
    found: NodeSpread, among: Container[int], attributes: Mapping[str, Mapping[int, str]]
) -> tuple[SharedAttribute, ...]:
    """What slow nodes share, by attributes of all nodes, of which these are compared."""
    judged = {
        attribute: {node: value for node, value in values.items() if node in among}
        for attribute, values in attributes.items()
    }
    return common_cause([one.node for one in found.slow], judged)


def _number(found: tuple[object, Estimate]) -> int:
    return found[0] if isinstance(found[0], int) else -1


def _common_share(
    by_node: Mapping[int, Estimate], usual: float, hosts: Sequence[str], known: NodeLimits
) -> CommonShare | None:
    """None unless all nodes have the hardware whose limit is known."""
    one = next(iter(by_node.values()))
    limit = known.of.get((one.point.benchmark, one.metric))
    of_all = all(node < len(hosts) and hosts[node] in known.hosts for node in by_node)
    if limit is None or not of_all:
        return None
    best = max(one.value for one in by_node.values())
    return CommonShare(limit, usual / limit.limit.value, best / limit.limit.value)


def _furthest(one: Estimate, usual: float) -> float:
    """How many times worse than usual its interval allows; unbounded where it has no end there."""
    if one.direction is Direction.LOWER:
        return one.high / usual
    return usual / one.low if one.low > 0 else UNBOUNDED


def _kind(found: NodeSpread, at_most: float) -> NodesKind:
    if found.too_few:
        return NodesKind.TOO_FEW
    if found.slow:
        return NodesKind.NAMED
    if found.groups:
        return NodesKind.GROUPS
    return NodesKind.EVEN if at_most <= 1 + LEAST_WORSE else NodesKind.UNCLEAR
