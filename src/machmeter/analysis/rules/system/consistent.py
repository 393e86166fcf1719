"""Rule consistent: is the performance of all pairs uniform, and which nodes or links deviate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from machmeter.analysis.curves.blame import LEAST_WORSE, Pair
from machmeter.analysis.curves.consistency import Consistency, consistency_of
from machmeter.analysis.rules.following import followed_case
from machmeter.analysis.rules.outcome import (
    ConsistentKind,
    ConsistentOutcome,
    Draft,
    SlowLinkShown,
    SlowNodeShown,
)
from machmeter.analysis.rules.pairs import SIGNIFICANCE
from machmeter.analysis.rules.select import (
    TopologyFacts,
    blended,
    differ_only_in,
    geometric_mean,
    select,
)
from machmeter.analysis.rules.sensitivity import Alternative, BeyondBound, JudgedQuantity, PairApart
from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.analysis.stats.confidence import BoundMargin
from machmeter.analysis.stats.student import bounded_exp, mean_and_half_width
from machmeter.model.plan.question import ConsistentRule
from machmeter.model.point import Point
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED

PAIR = "pair"
Results = Mapping[Pair, Estimate]
# Of so many launches the smallest and the largest value bound the median at 95 %.
_LEAST_FOR_ORDER = 6


def consistent(
    rule: ConsistentRule, pool: Sequence[Estimate], facts: TopologyFacts
) -> Draft | None:
    """Is the performance of all pairs uniform, and which nodes or links deviate?

    Judged are the medians over launches. "Uniform" takes that all are within 10 % of what is usual,
    with an interval over two launches or more that is, and that no planned pair lacks a result.
    Who is named is shown by Student's interval on logs to be worse than the pairs it is compared
    with, its p value adjusted for all that could have been named (Bonferroni); so is that pairs
    differ at all, by the worst and the best of them.
    """
    selected = select(rule.candidate, pool, facts.pair_distances)
    by_pair = {pair: e for e in selected if (pair := _pair_of(e.point)) is not None}
    if not by_pair or len(by_pair) < len(selected) or not differ_only_in((PAIR,), selected):
        return None
    missing, planned = _missing(by_pair, facts)
    outcome = ConsistentOutcome(
        ConsistentKind.ONE_PAIR,
        facts.rank_hosts,
        missing,
        planned,
        results=tuple(by_pair.items()),
    )
    if len(by_pair) == 1:
        return followed_case(outcome, decided=False)
    return _judged(rule, replace(outcome, found=consistency_of(by_pair)), by_pair)


def _judged(rule: ConsistentRule, outcome: ConsistentOutcome, by_pair: Results) -> Draft:
    """The outcome for the pairs that were measured."""
    found = outcome.found
    assert found is not None  # noqa: S101 - of two pairs or more
    relative = _of_one_level(found, by_pair)
    nodes = _slow_nodes(found, relative)
    links = [] if found.levels else _slow_links(found, relative)
    named: list[SlowNodeShown | SlowLinkShown] = [*nodes, *links]
    if named:
        ratio = named[0].ratio
        chances = len(by_pair) if links and not nodes else len({n for p in by_pair for n in p})
        change = BeyondBound(JudgedQuantity.RATIO, True, 1.0, ratio.low, Alternative.NOT_WORSE)
        return followed_case(
            replace(outcome, kind=ConsistentKind.NAMED, named=tuple(named)),
            advice=rule.named,
            ratio=ratio,
            margin=_margin(ratio, chances, list(by_pair.values())),
            sensitivity=(change,),
        )
    if found.levels and _levels_hold(found, by_pair):
        levels = replace(outcome, kind=ConsistentKind.LEVELS)
        return followed_case(levels, advice=rule.levels)
    if found.consistent and all(_is_within(e, found.usual) for e in by_pair.values()):
        if outcome.missing:
            incomplete = replace(outcome, kind=ConsistentKind.INCOMPLETE)
            return followed_case(incomplete, decided=False, sensitivity=(PairApart(LEAST_WORSE),))
        uniform = replace(outcome, kind=ConsistentKind.UNIFORM)
        return followed_case(uniform, advice=rule.consistent, sensitivity=(PairApart(LEAST_WORSE),))
    if not found.consistent and _pairs_differ(found, relative):
        return followed_case(replace(outcome, kind=ConsistentKind.DIFFERENT))
    return followed_case(replace(outcome, kind=ConsistentKind.UNCLEAR), decided=False)


def _margin(ratio: Comparison, chances: int, estimates: Sequence[Estimate]) -> BoundMargin:
    """How clear of 1 a ratio is, on logs; its p value stands for all that could be named."""
    ends = (math.log(ratio.ratio), math.log(ratio.low), math.log(ratio.high), 0.0)
    p_value = min(1.0, ratio.p_value * chances)
    reached = all(estimate.reached for estimate in estimates)
    launches = min(estimate.launches for estimate in estimates)
    return BoundMargin(*ends, ratio.degrees, p_value, launches, reached)


def _pair_of(point: Point) -> Pair | None:
    first, _, second = str(dict(point.parameters).get(PAIR, "")).partition("-")
    if not (first.isdecimal() and second.isdecimal()) or first == second:
        return None
    one, other = sorted((int(first), int(second)))
    return one, other


def _missing(by_pair: Results, facts: TopologyFacts) -> tuple[tuple[Pair, ...], int]:
    """The pairs that the run was to measure and that have no result, and how many there are."""
    like = _apart_from_pair(next(iter(by_pair.values())).point)
    planned = {_pair_of(p) for p in facts.planned_pairs if _apart_from_pair(p) == like}
    every = {pair for pair in planned if pair is not None}
    return tuple(sorted(every - by_pair.keys())), len(every | by_pair.keys())


def _apart_from_pair(point: Point) -> Point:
    others = tuple((name, value) for name, value in point.parameters if name != PAIR)
    return replace(point, parameters=others)


def _of_one_level(found: Consistency, by_pair: Results) -> Results:
    """The launches of pairs as if all levels were as the one of most pairs."""
    relative = dict(by_pair)
    for step in found.steps:
        factor = found.usual / step.usual
        for pair in step.pairs:
            values = tuple(factor * value for value in by_pair[pair].launch_values)
            relative[pair] = replace(by_pair[pair], launch_values=values)
    return relative


def _slow_nodes(found: Consistency, by_pair: Results) -> list[SlowNodeShown]:
    """Nodes that are shown to be worse, the worst first."""
    usual = _usual_pairs(found, by_pair)
    own: dict[int, list[Estimate]] = {}
    for pair, estimate in by_pair.items():
        for node in pair:
            own.setdefault(node, []).append(estimate)
    named = []
    for slow in found.nodes:
        ratio = _against(own[slow.node], usual)
        if _is_worse(ratio, len(own)):
            named.append(SlowNodeShown(slow.node, slow.apart, slow.pairs, ratio))
    return named


def _slow_links(found: Consistency, by_pair: Results) -> list[SlowLinkShown]:
    """Links that are shown to be worse, the worst first."""
    usual = _usual_pairs(found, by_pair)
    ratios = ((link.pair, _against([by_pair[link.pair]], usual)) for link in found.links)
    return [SlowLinkShown(pair, ratio) for pair, ratio in ratios if _is_worse(ratio, len(by_pair))]


def _usual_pairs(found: Consistency, by_pair: Results) -> Estimate | None:
    """One estimate of the pairs without a blamed node that are not apart; None without launches
    that they have in common."""
    blamed = {slow.node for slow in found.nodes}
    apart = {one.pair for one in found.apart}
    usual = [e for pair, e in by_pair.items() if blamed.isdisjoint(pair) and pair not in apart]
    return blended(usual, geometric_mean) if usual else None


def _levels_hold(found: Consistency, by_pair: Results) -> bool:
    """Whether launches show the pairs that are worse to be worse than the others."""
    if found.steps:
        worse = by_pair.keys() - set(found.steps[0].pairs)
    else:
        worse = {one.pair for one in found.links} or by_pair.keys() - set(found.better)
    others = [by_pair[pair] for pair in sorted(by_pair.keys() - worse)]
    usual = blended(others, geometric_mean) if others else None
    ratio = _against([by_pair[pair] for pair in sorted(worse)], usual)
    return _is_worse(ratio, len(by_pair))


def _pairs_differ(found: Consistency, by_pair: Results) -> bool:
    """Whether launches show the worst pair to be worse than the best."""
    ordered = sorted(by_pair, key=lambda pair: (found.worse[pair], pair))
    ratio = _against([by_pair[ordered[-1]]], blended([by_pair[ordered[0]]], geometric_mean))
    return _is_worse(ratio, len(ordered) * (len(ordered) - 1) // 2)


def _is_within(estimate: Estimate, usual: float) -> bool:
    """Whether the interval of a pair's median is within 10 % of what is usual."""
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


def _against(mine: Sequence[Estimate], other: Estimate | None) -> Comparison:
    """How much worse the geometric mean of `mine` is, launch by launch; above 1 is worse."""
    one = blended(mine, geometric_mean)
    if one is None or other is None:
        return Comparison(1.0, 0.0, 1.0, True, 0.0, 1.0, ComparisonVerdict.INCONCLUSIVE)
    return compare_estimates(other, one, paired=True)


def _is_worse(ratio: Comparison, chances: int) -> bool:
    known = ratio.is_bounded
    return known and ratio.low > 1 and min(1.0, ratio.p_value * chances) <= SIGNIFICANCE
