"""Rule CONSISTENT: are all pairs alike, and who is behind those that are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from machmeter.analysis.comparison import compare_estimates
from machmeter.analysis.consistency import Consistency, Pair, consistency
from machmeter.analysis.rules_labels import listed, times
from machmeter.analysis.rules_select import (
    Places,
    blended,
    differ_only_in,
    geometric_mean,
    select,
    value_of,
)
from machmeter.analysis.rules_told import SIGNIFICANCE, Told
from machmeter.model.benchmark import Direction
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate
from machmeter.model.study import Question
from machmeter.model.units import format_value, is_unbounded

PAIR = "pair"
_MOST_TOLD = 4


def told_consistent(question: Question, pool: Sequence[Estimate], places: Places) -> Told | None:
    """What the pairs of the estimates say of the system; None where they are no pairs of it.

    Judged are the medians over launches, as one disturbed launch is no slow node. Who is named is
    shown by Student's interval on logs to be worse than the pairs it is set against, its p value
    adjusted for all that could have been named (Bonferroni).
    """
    selected = select(question.candidate, pool, places.kinds)
    by_pair = {pair: e for e in selected if (pair := _pair_of(e)) is not None}
    if not by_pair or len(by_pair) < len(selected) or not differ_only_in((PAIR,), selected):
        return None
    if len(by_pair) == 1:
        return Told(
            "not resolved: there is one pair only, and none to compare it with", decided=False
        )
    higher = selected[0].direction is Direction.HIGHER
    values = {pair: median(e.launch_values) for pair, e in sorted(by_pair.items())}
    found = consistency(values, higher)
    parts = _parts(found, by_pair, places)
    evidence = f"{found.pairs} pairs, usual {format_value(found.usual, selected[0].unit)}"
    if found.consistent:
        return Told(
            "yes", _spread_text(values, found), question.yes, evidence=evidence, parts=parts
        )
    evidence += f", worst {_worst_text(found, by_pair, places)}"
    if found.levels:
        said = (
            f"{len(found.links)} of {found.pairs} pairs are worse, and no one node is behind them"
        )
        return Told("no, there are several levels", said, question.same, True, evidence, parts)
    named = _named(found, by_pair, places)
    if not named:
        advice = "measure again: launches differ too much to name who is behind it"
        return Told("not resolved", _spread_text(values, found), advice, False, evidence, parts)
    told = listed([text for text, _ in named[:_MOST_TOLD]])
    more = len(named) - _MOST_TOLD
    others = f" and {more} more" if more > 0 else ""
    comparison = named[0][1]
    return Told("no", f"{told}{others}", question.no, True, evidence, parts, comparison)


def host_of(rank: int, places: Places) -> str:
    """The name of the host that a rank stands for, or the rank where hosts hold several."""
    hosts = places.rank_hosts
    if rank >= len(hosts) or len(set(hosts)) == 1:
        return f"rank {rank}"
    if len(set(hosts)) == len(hosts):
        return hosts[rank]
    return f"rank {rank} on {hosts[rank]}"


def _pair_of(estimate: Estimate) -> Pair | None:
    first, _, second = str(value_of(estimate, PAIR)).partition("-")
    if not (first.isdecimal() and second.isdecimal()) or first == second:
        return None
    one, other = sorted((int(first), int(second)))
    return one, other


def _named(
    found: Consistency, by_pair: Mapping[Pair, Estimate], places: Places
) -> list[tuple[str, Comparison]]:
    """Nodes and links that are shown to be worse, in words, the worst nodes first."""
    blamed = {slow.node for slow in found.nodes}
    apart = {one.pair for one in found.apart}
    usual = [e for pair, e in by_pair.items() if not set(pair) & blamed and pair not in apart]
    every = len({node for pair in by_pair for node in pair})
    named = []
    for slow in found.nodes:
        mine = [e for pair, e in by_pair.items() if slow.node in pair]
        ratio = _against(mine, usual)
        if _is_worse(ratio, every):
            of = f"{slow.apart} of its {slow.pairs} pairs"
            text = f"{host_of(slow.node, places)} is behind {of}, {_worse_text(ratio)}"
            named.append((text, ratio))
    for link in found.links:
        ratio = _against([by_pair[link.pair]], usual)
        if _is_worse(ratio, len(by_pair)):
            ends = " and ".join(host_of(node, places) for node in link.pair)
            named.append((f"the link of {ends} is apart, {_worse_text(ratio)}", ratio))
    return named


def _against(mine: Sequence[Estimate], usual: Sequence[Estimate]) -> Comparison:
    """How much worse one side's geometric mean is, launch by launch; above 1 is worse."""
    one, other = blended(mine, geometric_mean), blended(usual, geometric_mean) if usual else None
    if one is None or other is None:
        return Comparison(1.0, 0.0, 1.0, True, 0.0, 1.0, ComparisonVerdict.UNRESOLVED)
    return compare_estimates(other, one, paired=True)


def _is_worse(ratio: Comparison, chances: int) -> bool:
    known = not is_unbounded(ratio.high)
    return known and ratio.low > 1 and min(1.0, ratio.p_value * chances) <= SIGNIFICANCE


def _worse_text(ratio: Comparison) -> str:
    low, high = (times(bound, ratio.ratio) for bound in (ratio.low, ratio.high))
    return f"{times(ratio.ratio)}x [{low}, {high}] worse"


def _spread_text(values: Mapping[Pair, float], found: Consistency) -> str:
    ratios = [value / found.usual for value in values.values()]
    widest = max(max(ratios) - 1, 1 - min(ratios))
    return f"all {found.pairs} pairs within {100 * widest:.1f} % of the usual"


def _worst_text(found: Consistency, by_pair: Mapping[Pair, Estimate], places: Places) -> str:
    worst = [
        f"{' to '.join(host_of(node, places) for node in one.pair)} "
        f"({format_value(by_pair[one.pair].value, by_pair[one.pair].unit)})"
        for one in found.apart[:_MOST_TOLD]
    ]
    return listed(worst)


def _parts(found: Consistency, by_pair: Mapping[Pair, Estimate], places: Places) -> tuple[str, ...]:
    """Each node's score, the worst first."""
    ordered = sorted(found.scores.items(), key=lambda item: (-item[1], item[0]))
    counts = {node: sum(node in pair for pair in by_pair) for node in found.scores}
    return tuple(
        f"{host_of(node, places)}: {times(score)}x worse than the others ({counts[node]} pairs)"
        if score > 1
        else f"{host_of(node, places)}: {times(1 / score)}x better than the others "
        f"({counts[node]} pairs)"
        for node, score in ordered
    )
