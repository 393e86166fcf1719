"""Whether the performance of all pairs of a system is uniform, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from machmeter.analysis.curves.blame import Pair
from machmeter.analysis.curves.consistency import Consistency
from machmeter.analysis.rules.outcome import (
    ConsistentKind,
    ConsistentOutcome,
    SlowLinkShown,
    SlowNodeShown,
)
from machmeter.model.results.comparison import Comparison
from machmeter.model.units import Unit, format_value
from machmeter.text.findings.labels import listed
from machmeter.text.findings.words import INCONCLUSIVE, CaseWords
from machmeter.text.ratios import bounded_ratio_text, times_text

_MOST_NAMED = 4
# Beyond what the question itself advises.
_ADVICE = {
    ConsistentKind.DIFFERENT: "look for what the slow pairs have in common",
    ConsistentKind.UNCLEAR: "measure more launches: their variance hides which pairs are slow",
    ConsistentKind.INCOMPLETE: "find out why the missing pairs failed, and measure again",
}


def consistent_words(outcome: ConsistentOutcome, advice: str) -> CaseWords:
    """The answer to whether the performance of all pairs is uniform."""
    missing = _missing_text(outcome)
    found = outcome.found
    if found is None:
        return CaseWords(f"{INCONCLUSIVE}: one pair has no other to compare with", missing)
    name, numbers = _judged_text(outcome, found)
    numbers = ", ".join(text for text in (numbers, missing) if text)
    unit = outcome.results[0][1].unit
    evidence = f"{found.pairs} pairs, typical {format_value(found.usual, unit)}"
    if found.apart:
        evidence += f", slowest: {_slowest_text(outcome, found)}"
    advice = advice or _ADVICE.get(outcome.kind, "")
    return CaseWords(name, numbers, advice, evidence, _node_lines(outcome, found))


def host_of(rank: int, hosts: Sequence[str]) -> str:
    """The name of the host that a rank stands for, or the rank where hosts hold several."""
    if rank >= len(hosts) or len(set(hosts)) == 1:
        return f"rank {rank}"
    if len(set(hosts)) == len(hosts):
        return hosts[rank]
    return f"rank {rank} on {hosts[rank]}"


def _judged_text(outcome: ConsistentOutcome, found: Consistency) -> tuple[str, str]:
    match outcome.kind:
        case ConsistentKind.NAMED:
            named = [_slow_text(one, outcome.hosts) for one in outcome.named[:_MOST_NAMED]]
            more = len(outcome.named) - _MOST_NAMED
            others = f" and {more} more" if more > 0 else ""
            return "no", f"{listed(named)}{others}"
        case ConsistentKind.LEVELS:
            levels = _levels_text(found, outcome.results[0][1].unit)
            return "no: several levels", f"{levels}, not explained by one node"
        case ConsistentKind.UNIFORM:
            return "yes", _spread_text(found)
        case ConsistentKind.DIFFERENT:
            who = "launches do not show by which node" if found.nodes else "by no single node"
            return "no: pairs differ", f"{_spread_text(found)}, {who}"
        case ConsistentKind.INCOMPLETE:
            return INCONCLUSIVE, ""
        case _:
            return INCONCLUSIVE, _spread_text(found)


def _slow_text(one: SlowNodeShown | SlowLinkShown, hosts: Sequence[str]) -> str:
    if isinstance(one, SlowNodeShown):
        who = f"{host_of(one.node, hosts)} is slow in {one.apart} of its {one.pairs} pairs"
    else:
        who = f"the link {_pair_text(one.pair, hosts)} is slow"
    return f"{who}, {_worse_text(one.ratio)}"


def _pair_text(pair: Pair, hosts: Sequence[str]) -> str:
    return " to ".join(host_of(node, hosts) for node in pair)


def _worse_text(ratio: Comparison) -> str:
    return f"{bounded_ratio_text(ratio)} worse than the typical pair"


def _spread_text(found: Consistency) -> str:
    if found.widest >= 1:
        most = times_text(1 + found.widest)
        return f"{found.pairs} pairs differ by up to {most} from the typical one"
    return f"all {found.pairs} pairs within {100 * found.widest:.1f} % of the typical one"


def _levels_text(found: Consistency, unit: Unit) -> str:
    if found.steps:
        each = [f"{len(one.pairs)} of {format_value(one.usual, unit)}" for one in found.steps]
        return f"of {found.pairs} pairs {listed(each)}"
    counts = ((len(found.links), "slower"), (len(found.better), "faster"))
    texts = [f"{count} of {found.pairs} pairs are {how}" for count, how in counts if count]
    return " and ".join(texts)


def _slowest_text(outcome: ConsistentOutcome, found: Consistency) -> str:
    results = dict(outcome.results)
    slowest = [
        f"{_pair_text(one.pair, outcome.hosts)} "
        f"({format_value(results[one.pair].value, results[one.pair].unit)})"
        for one in found.apart[:_MOST_NAMED]
    ]
    return listed(slowest)


def _missing_text(outcome: ConsistentOutcome) -> str:
    """How many planned pairs have no result, and who they have in common."""
    missing, hosts = outcome.missing, outcome.hosts
    if not missing:
        return ""
    shared = [node for node in missing[0] if all(node in pair for pair in missing)]
    if len(missing) > 1 and shared:
        who = f", all with {host_of(shared[0], hosts)}"
    else:
        names = [_pair_text(pair, hosts) for pair in missing[:_MOST_NAMED]]
        more = len(missing) - _MOST_NAMED
        who = f": {listed(names)}" + (f" and {more} more" if more > 0 else "")
    return f"{len(missing)} of {outcome.planned} pairs have no result{who}"


def _node_lines(outcome: ConsistentOutcome, found: Consistency) -> tuple[str, ...]:
    """Each node's score, the worst first."""
    ordered = sorted(found.scores.items(), key=lambda item: (-item[1], item[0]))
    counts = Counter(node for pair, _ in outcome.results for node in pair)
    return tuple(
        f"{host_of(node, outcome.hosts)}: "
        f"{times_text(score if score > 1 else 1 / score)} {'worse' if score > 1 else 'better'} "
        f"than the others ({counts[node]} pairs)"
        for node, score in ordered
    )
