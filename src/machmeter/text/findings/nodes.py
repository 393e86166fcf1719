"""Whether every node of a system is as fast as the others, as text."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.curves.node_outliers import NodeOutlier, NodeSpread, SharedAttribute, TooFew
from machmeter.analysis.rules.outcome import NodesKind, NodesOutcome
from machmeter.analysis.scaling.common_limit import CommonShare, NormalShares
from machmeter.analysis.scaling.hardware import MemoryLimit, PeakLimit
from machmeter.model.units import UNBOUNDED, Unit, format_value
from machmeter.text.findings.labels import listed
from machmeter.text.findings.pairs import host_of
from machmeter.text.findings.words import INCONCLUSIVE, CaseWords
from machmeter.text.hardware.limits import limit_text
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.ratios import percent_text, times_text

_MOST_NAMED = 4
_LONGEST_VALUE = 60


def nodes_words(outcome: NodesOutcome, advice: str) -> CaseWords:
    """The answer to whether every node is as fast as the others, and whether all are as fast as
    their hardware lets them be."""
    words = _compared_words(outcome, advice)
    common = outcome.common
    if common is None:
        return words
    unit = outcome.results[0][1].unit
    evidence = f"{words.evidence}; {common_text(common, unit)}"
    # Between two groups the median is the usual value of neither.
    apart = outcome.kind is NodesKind.GROUPS and not common.is_of_all
    if apart or not common.is_below:
        return replace(words, evidence=evidence)
    below = _below_text(common, outcome.found.nodes, unit)
    # Where slow nodes are named what to do of them comes first.
    next_step = words.advice if outcome.kind is NodesKind.NAMED else _cause_of(common)
    numbers = "; ".join(part for part in (words.numbers, below) if part)
    return replace(words, numbers=numbers, advice=next_step, evidence=evidence)


def common_text(common: CommonShare, unit: Unit) -> str:
    """`usually 20 % of 410 GB/s (16 channels (EDAC) at 3,200 MT/s), of which 57 to 80 % is normal
    (triad of 5 published machines)`."""
    limit, normal = common.limit.limit, common.limit.normal
    most = f"{format_value(limit.value, unit)} ({limit_text(limit)})"
    usual = f"{_range_text(normal)} is normal ({normal.of})"
    return f"usually {percent_text(common.share)} of {most}, of which {usual}"


def _below_text(common: CommonShare, nodes: int, unit: Unit) -> str:
    """`but all 12 nodes are slow together: the usual one reaches 20 % of the 410 GB/s that its
    hardware can reach, 57 to 80 % is normal`; `most of the 12` where one is not below that."""
    who = f"all {nodes:,}" if common.is_of_all else f"most of the {nodes:,}"
    most = format_value(common.limit.limit.value, unit)
    return (
        f"but {who} nodes are slow together: the usual one reaches "
        f"{percent_text(common.share)} of the {most} that its hardware can reach, "
        f"{_range_text(common.limit.normal)} is normal"
    )


def _range_text(normal: NormalShares) -> str:
    if normal.high is None:
        return f"{percent_text(normal.low)} or more"
    return f"{percent_text(normal.low).removesuffix(' %')} to {percent_text(normal.high)}"


def _cause_of(common: CommonShare) -> str:
    known = {
        MemoryLimit: "channels without memory, its rate, settings of the firmware",
        PeakLimit: "a power limit, cooling, the governor of clocks, a quota of CPU time",
    }
    return f"look for a cause common to all, such as {known[type(common.limit.limit)]}"


def _compared_words(outcome: NodesOutcome, advice: str) -> CaseWords:
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
            causes = tuple(shared_text(one) for one in outcome.shared)
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


def shared_text(one: SharedAttribute) -> str:
    """`3 of the 4 slow nodes have kernel 6.1, 1 of the 60 others`."""
    slow, others = one.known
    who = (
        "both slow nodes"
        if len(one.slow) == slow == 2
        else f"{len(one.slow)} of the {slow} slow nodes"
    )
    what = attribute_text(one)
    rest = "the other node" if others == 1 else f"the {others} others"
    return f"{who} have {what}, {one.others or 'none'} of {rest}"


def attribute_text(one: SharedAttribute) -> str:
    """`kernel 6.1`."""
    return f"{one.attribute} {plain(one.value, _LONGEST_VALUE)}"


def spread_text(found: NodeSpread) -> str:
    """`; nodes spread by 1.2 %, launches of one by 0.4 %`; empty where nothing can be named."""
    if found.spread is None or found.noise is None:
        return ""
    spread, noise = (100 * one for one in (found.spread, found.noise))
    return f"; nodes spread by {spread:.1f} %, launches of one by {noise:.1f} %"
