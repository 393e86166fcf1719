"""Rule CONSISTENT: are all pairs alike, and who is behind those that are not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from machmeter.analysis.curves.blame import LEAST_WORSE, Pair
from machmeter.analysis.curves.consistency import Consistency, consistency_of
from machmeter.analysis.rules.case_result import SIGNIFICANCE, Told
from machmeter.analysis.rules.labels import listed, times
from machmeter.analysis.rules.select import (
    TopologyFacts,
    blended,
    differ_only_in,
    geometric_mean,
    select,
)
from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.analysis.stats.confidence import Clearance, unless_text
from machmeter.analysis.stats.student import bounded_exp, mean_and_half_width
from machmeter.model.plan.study import Question
from machmeter.model.point import Point
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED, format_value, is_unbounded

PAIR = "pair"
_MOST_TOLD = 4
_YES, _UNRESOLVED = "yes", "not resolved"
# Of so many launches the smallest and the largest value bound the median at 95 %.
_LEAST_FOR_ORDER = 6


def told_consistent(
    question: Question, pool: Sequence[Estimate], places: TopologyFacts
) -> Told | None:
    """What the pairs of the estimates say of the system; None where they are no pairs of it.

    Judged are the medians over launches. "Yes" takes that all lie within 10 % of what is usual,
    with an interval over two launches or more that does, and that no pair asked for is missing.
    Who is named is shown by Student's interval on logs to be worse than the pairs it is set
    against, its p value adjusted for all that could have been named (Bonferroni); so is that pairs
    differ at all, by the worst and the best of them.
    """
    selected = select(question.candidate, pool, places.kinds)
    by_pair = {pair: e for e in selected if (pair := _pair_of(e.point)) is not None}
    if not by_pair or len(by_pair) < len(selected) or not differ_only_in((PAIR,), selected):
        return None
    missing = _missing_text(by_pair, places)
    if len(by_pair) == 1:
        alone = "not resolved: there is one pair only, and none to compare it with"
        return Told(alone, missing, decided=False)
    found = consistency_of(by_pair)
    told = _judged(question, found, by_pair, places)
    if missing and told.name == _YES:
        advice = "see why those failed, and measure again"
        told = replace(told, name=_UNRESOLVED, figures="", advice=advice, decided=False)
    figures = ", ".join(text for text in (told.figures, missing) if text)
    evidence = f"{found.pairs} pairs, usual {format_value(found.usual, selected[0].unit)}"
    if found.apart:
        evidence += f", worst {_worst_text(found, by_pair, places)}"
    return replace(told, figures=figures, evidence=evidence, parts=_parts(found, by_pair, places))


def _judged(
    question: Question, found: Consistency, by_pair: Mapping[Pair, Estimate], places: TopologyFacts
) -> Told:
    """The outcome for the pairs that were measured."""
    nodes = _named_nodes(found, by_pair, places)
    links = [] if found.levels else _named_links(found, by_pair, places)
    if nodes or links:
        named = [*nodes, *links]
        told = listed([text for text, _ in named[:_MOST_TOLD]])
        more = len(named) - _MOST_TOLD
        others = f" and {more} more" if more > 0 else ""
        ratio = named[0][1]
        chances = len(by_pair) if links and not nodes else len({n for p in by_pair for n in p})
        clearance = _clearance(ratio, chances, list(by_pair.values()))
        change = unless_text("ratio", "below", "1.00x", "no worse", f"{times(ratio.low)}x")
        return Told(
            "no",
            f"{told}{others}",
            question.no,
            comparison=ratio,
            clearance=clearance,
            would_change=(change,),
        )
    if found.levels and _levels_hold(found, by_pair):
        said = f"{_strange_text(found)}, and no one node is behind them"
        return Told("no, there are several levels", said, question.same)
    if found.consistent and all(_lies_within(e, found.usual) for e in by_pair.values()):
        change = f"a pair more than {100 * LEAST_WORSE:g} % from the usual"
        return Told(_YES, _spread_text(found), question.yes, would_change=(change,))
    if not found.consistent and _pairs_differ(found, by_pair):
        who = "launches do not show who is" if found.nodes else "no one node is"
        said = f"{_spread_text(found)}, and {who} behind it"
        return Told("no, pairs differ", said, "see which pairs are alike, and what they share")
    advice = "measure more launches: they differ too much to say whether pairs do, or who is behind"
    return Told(_UNRESOLVED, _spread_text(found), advice, decided=False)


def _clearance(ratio: Comparison, chances: int, estimates: Sequence[Estimate]) -> Clearance:
    """How clear of 1 a ratio lies, on logs; its p value stands for all that could be named."""
    ends = (math.log(ratio.ratio), math.log(ratio.low), math.log(ratio.high), 0.0)
    p_value = min(1.0, ratio.p_value * chances)
    reached = all(estimate.reached for estimate in estimates)
    launches = min(estimate.launches for estimate in estimates)
    return Clearance(*ends, ratio.degrees, p_value, launches, reached)


def host_of(rank: int, places: TopologyFacts) -> str:
    """The name of the host that a rank stands for, or the rank where hosts hold several."""
    hosts = places.rank_hosts
    if rank >= len(hosts) or len(set(hosts)) == 1:
        return f"rank {rank}"
    if len(set(hosts)) == len(hosts):
        return hosts[rank]
    return f"rank {rank} on {hosts[rank]}"


def _pair_of(point: Point) -> Pair | None:
    first, _, second = str(dict(point.parameters).get(PAIR, "")).partition("-")
    if not (first.isdecimal() and second.isdecimal()) or first == second:
        return None
    one, other = sorted((int(first), int(second)))
    return one, other


def _missing_text(by_pair: Mapping[Pair, Estimate], places: TopologyFacts) -> str:
    """How many pairs that the run was to measure have no figure, and who they have in common."""
    like = _apart_from_pair(next(iter(by_pair.values())).point)
    asked = {_pair_of(point) for point in places.asked if _apart_from_pair(point) == like}
    every = {pair for pair in asked if pair is not None}
    missing = sorted(every - by_pair.keys())
    if not missing:
        return ""
    shared = [node for node in missing[0] if all(node in pair for pair in missing)]
    if len(missing) > 1 and shared:
        who = f", all with {host_of(shared[0], places)}"
    else:
        names = (
            " to ".join(host_of(node, places) for node in pair) for pair in missing[:_MOST_TOLD]
        )
        more = len(missing) - _MOST_TOLD
        who = f": {listed(list(names))}" + (f" and {more} more" if more > 0 else "")
    return f"{len(missing)} of {len(every | by_pair.keys())} pairs have no figure{who}"


def _apart_from_pair(point: Point) -> Point:
    rest = tuple((name, value) for name, value in point.parameters if name != PAIR)
    return replace(point, parameters=rest)


def _named_nodes(
    found: Consistency, by_pair: Mapping[Pair, Estimate], places: TopologyFacts
) -> list[tuple[str, Comparison]]:
    """Nodes that are shown to be worse, in words, the worst first."""
    usual = _usual_pairs(found, by_pair)
    every = len({node for pair in by_pair for node in pair})
    named = []
    for slow in found.nodes:
        mine = [e for pair, e in by_pair.items() if slow.node in pair]
        ratio = _against(mine, usual)
        if _is_worse(ratio, every):
            of = f"{slow.apart} of its {slow.pairs} pairs"
            text = f"{host_of(slow.node, places)} is behind {of}, {_worse_text(ratio)}"
            named.append((text, ratio))
    return named


def _named_links(
    found: Consistency, by_pair: Mapping[Pair, Estimate], places: TopologyFacts
) -> list[tuple[str, Comparison]]:
    """Links that are shown to be worse, in words, the worst first."""
    usual = _usual_pairs(found, by_pair)
    named = []
    for link in found.links:
        ratio = _against([by_pair[link.pair]], usual)
        if _is_worse(ratio, len(by_pair)):
            ends = " and ".join(host_of(node, places) for node in link.pair)
            named.append((f"the link of {ends} is apart, {_worse_text(ratio)}", ratio))
    return named


def _usual_pairs(found: Consistency, by_pair: Mapping[Pair, Estimate]) -> list[Estimate]:
    blamed = {slow.node for slow in found.nodes}
    apart = {one.pair for one in found.apart}
    return [e for pair, e in by_pair.items() if blamed.isdisjoint(pair) and pair not in apart]


def _levels_hold(found: Consistency, by_pair: Mapping[Pair, Estimate]) -> bool:
    """Whether launches show the pairs that are worse to be worse than the others."""
    worse = {one.pair for one in found.links} or by_pair.keys() - set(found.better)
    others = by_pair.keys() - worse
    ratio = _against([by_pair[p] for p in sorted(worse)], [by_pair[p] for p in sorted(others)])
    return _is_worse(ratio, len(by_pair))


def _pairs_differ(found: Consistency, by_pair: Mapping[Pair, Estimate]) -> bool:
    """Whether launches show the worst pair to be worse than the best."""
    ordered = sorted(by_pair, key=lambda pair: (found.worse[pair], pair))
    ratio = _against([by_pair[ordered[-1]]], [by_pair[ordered[0]]])
    return _is_worse(ratio, len(ordered) * (len(ordered) - 1) // 2)


def _lies_within(estimate: Estimate, usual: float) -> bool:
    """Whether the interval of a pair's median lies within 10 % of what is usual."""
    low, high = _median_interval(estimate.launch_values)
    return low >= usual / (1 + LEAST_WORSE) and high <= usual * (1 + LEAST_WORSE)


def _median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the median of positive values; unbounded of fewer than two.

    By order statistics, which one disturbed launch does not move (Thompson, Annals of Mathematical
    Statistics 7, 1936); of fewer than six values by Student's t on logs.
    """
    count = len(values)
    if count < _LEAST_FOR_ORDER:
        if count < 2:
            return 0.0, UNBOUNDED
        center, half = mean_and_half_width([math.log(value) for value in values])
        return math.exp(center - half), bounded_exp(center + half)
    cut, below = 0, 1.0
    while 2 * below <= SIGNIFICANCE * 2**count:
        cut += 1
        below += math.comb(count, cut)
    ordered = sorted(values)
    return ordered[cut - 1], ordered[count - cut]


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


def _spread_text(found: Consistency) -> str:
    if found.widest >= 1:
        return f"{found.pairs} pairs up to {times(1 + found.widest)}x from the usual"
    return f"all {found.pairs} pairs within {100 * found.widest:.1f} % of the usual"


def _strange_text(found: Consistency) -> str:
    told = [
        f"{count} of {found.pairs} pairs are {how}"
        for count, how in ((len(found.links), "worse"), (len(found.better), "better"))
        if count
    ]
    return " and ".join(told)


def _worst_text(found: Consistency, by_pair: Mapping[Pair, Estimate], places: TopologyFacts) -> str:
    worst = [
        f"{' to '.join(host_of(node, places) for node in one.pair)} "
        f"({format_value(by_pair[one.pair].value, by_pair[one.pair].unit)})"
        for one in found.apart[:_MOST_TOLD]
    ]
    return listed(worst)


def _parts(
    found: Consistency, by_pair: Mapping[Pair, Estimate], places: TopologyFacts
) -> tuple[str, ...]:
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
