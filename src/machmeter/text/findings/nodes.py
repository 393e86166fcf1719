"""Whether every node of a system is as fast as the others, as text."""

from __future__ import annotations

from machmeter.analysis.curves.node_outliers import NodeOutlier, NodeSpread, SharedAttribute, TooFew
from machmeter.analysis.rules.outcome import NodesKind, NodesOutcome
from machmeter.model.units import UNBOUNDED, format_value
from machmeter.text.findings.labels import listed
from machmeter.text.findings.pairs import host_of
from machmeter.text.findings.words import INCONCLUSIVE, CaseWords
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.ratios import times_text

_MOST_NAMED = 4
_LONGEST_VALUE = 60


def nodes_words(outcome: NodesOutcome, advice: str) -> CaseWords:
    """The answer to whether every node is as fast as the others."""
    found, hosts = outcome.found, outcome.hosts
    nodes = count_text(found.nodes, "node", "nodes")
    unit = outcome.results[0][1].unit
    evidence = f"{nodes}, usually {format_value(found.usual, unit)}{spread_text(found)}"
    lines = tuple(_node_text(one, hosts) for one in found.slow)
    match outcome.kind:
        case NodesKind.NAMED:
            named = [_node_text(one, hosts) for one in found.slow[:_MOST_NAMED]]
            more = len(found.slow) - _MOST_NAMED
            others = f" and {more} more" if more > 0 else ""
            causes = tuple(_shared_text(one) for one in outcome.shared)
            cause = f"; {causes[0]}" if causes else ""
            # Each class of nodes has slow ones of its own: no two come out the same.
            name = f"no, {listed(named)}{others}{cause}"
            return CaseWords(name, "", advice, evidence, (*causes, *lines))
        case NodesKind.GROUPS:
            return CaseWords("no: two groups", f"{nodes} in two groups", advice, evidence)
        case NodesKind.EVEN:
            most = times_text(outcome.at_most)
            return CaseWords("yes", f"each of {nodes} at most {most} worse", advice, evidence)
        case NodesKind.UNCLEAR:
            unknown = f"; intervals allow {times_text(outcome.at_most)} worse"
            unknown *= outcome.at_most < UNBOUNDED
            return CaseWords(
                INCONCLUSIVE, f"none of {nodes} is shown to be slow{unknown}", "", evidence
            )
        case _:
            lacking = "launches" if found.too_few is TooFew.LAUNCHES else "nodes"
            return CaseWords(INCONCLUSIVE, f"too few {lacking}", "", evidence)


def _node_text(one: NodeOutlier, hosts: tuple[str, ...]) -> str:
    ends = f"[{one.low:.2f}, {one.high:.2f}]"
    return f"{host_of(one.node, hosts)} {times_text(one.ratio)} {ends} worse than usual"


def _shared_text(one: SharedAttribute) -> str:
    """`3 of the 4 slow nodes have kernel 6.1, 1 of the 60 others`."""
    slow, others = one.known
    who = (
        "both slow nodes"
        if len(one.slow) == slow == 2
        else f"{len(one.slow)} of the {slow} slow nodes"
    )
    what = f"{one.attribute} {plain(one.value, _LONGEST_VALUE)}"
    rest = "the other node" if others == 1 else f"the {others} others"
    return f"{who} have {what}, {one.others or 'none'} of {rest}"


def spread_text(found: NodeSpread) -> str:
    """`; nodes spread by 1.2 %, launches of one by 0.4 %`; empty where nothing can be named."""
    if found.spread is None or found.noise is None:
        return ""
    spread, noise = (100 * one for one in (found.spread, found.noise))
    return f"; nodes spread by {spread:.1f} %, launches of one by {noise:.1f} %"
