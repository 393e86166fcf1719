"""Rules that compare one result with another: better, cost, efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from machmeter.analysis.rules.evidence import Judged, case_of
from machmeter.analysis.rules.outcome import (
    BandOutcome,
    BetterOutcome,
    CaseResult,
    Draft,
    Inconclusive,
    Speedup,
    WaveSpeedup,
)
from machmeter.analysis.rules.ranking import best_of, label_of
from machmeter.analysis.rules.select import TopologyFacts, differ_only_in, opposed, select
from machmeter.analysis.rules.sensitivity import JudgedQuantity
from machmeter.analysis.rules.trial import (
    Trial,
    band_of,
    banded,
    compared,
    difference_of,
    ratio_of,
    scaled,
)
from machmeter.analysis.stats.fields import value_of
from machmeter.model.plan.question import Band, BetterRule, CostRule, EfficiencyRule, ShareRule
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate

SIGNIFICANCE = 0.05

_NODES = "nodes"


def better(rule: BetterRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """Is the candidate better than the baseline?"""
    found = opposed(rule.candidate, rule.baseline, pool, facts)
    if found is None:
        return None
    a, b = found.candidate, found.baseline
    if any(value_of(a, name) != value_of(b, name) for name in rule.shared_fields):
        return None
    advice = {
        ComparisonVerdict.FASTER: rule.yes,
        ComparisonVerdict.SLOWER: rule.no,
        ComparisonVerdict.SAME: rule.same,
    }

    def judge(trials: tuple[Trial, ...]) -> CaseResult:
        (trial,) = trials
        reason = _meaningless(trial)
        verdict = trial.comparison.verdict
        if reason is None and verdict is ComparisonVerdict.INCONCLUSIVE:
            reason = _why_unresolved(trial)
        return case_of(
            Judged(trial),
            BetterOutcome(trial, reason),
            decided=reason is None,
            advice="" if reason else advice[verdict],
            settings=rule.settings if not reason and verdict is ComparisonVerdict.FASTER else (),
        )

    return Draft(judge, (Trial(a, b, compared(a, b)),))


def cost(rule: CostRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """In which band is the cost of the candidate over that of the baseline?"""
    found = opposed(rule.candidate, rule.baseline, pool, facts)
    if found is None:
        return None
    a, b = found.candidate, found.baseline
    # The cost of the candidate over the baseline's is how much better the baseline is.
    trial = banded(rule.bands, a, b, ratio_of(b, a))
    return Draft(lambda trials: band_case(trials[0], rule.bands, JudgedQuantity.RATIO), (trial,))


def efficiency(
    rule: EfficiencyRule, pool: Sequence[Estimate], facts: TopologyFacts
) -> Draft | None:
    """In which band is the speedup over the baseline, divided by the threads, or by the nodes where
    these are what differs?"""
    found = _best_of_each(rule, pool, facts)
    if found is None:
        return None
    a, b = found.candidate, found.baseline
    # The best layout of each number of nodes may leave cores idle.
    of_nodes = bool(rule.axes) and _NODES in rule.candidate.layout
    more, fewer = (x.point.layout.nodes if of_nodes else x.point.layout.threads for x in (a, b))
    if more <= fewer:
        return None
    speedup = ratio_of(a, b)
    trial = banded(rule.bands, a, b, scaled(speedup, fewer / more))
    are_ranks = all(one.point.layout.ranks == one.point.layout.threads for one in (a, b))
    detail = Speedup(speedup.ratio, more, fewer, are_ranks, are_nodes=of_nodes)
    if found.rivals > 1:
        # Chosen after looking: its p value stands for those of all that it was chosen from.
        p_value = min(1.0, trial.comparison.p_value * found.rivals)
        trial = replace(trial, comparison=replace(trial.comparison, p_value=p_value))
        detail = replace(detail, best=label_of(rule.axes, a))
    return Draft(
        lambda trials: band_case(trials[0], rule.bands, JudgedQuantity.EFFICIENCY, detail), (trial,)
    )


class _BestOfEach(NamedTuple):
    candidate: Estimate
    baseline: Estimate
    rivals: int = 1


def _best_of_each(
    rule: EfficiencyRule, pool: Sequence[Estimate], facts: TopologyFacts
) -> _BestOfEach | None:
    """Candidate and baseline, each the best of those that differ in the axes of the rule alone; and
    how many pairs of them there are."""
    if not rule.axes:
        only = opposed(rule.candidate, rule.baseline, pool, facts)
        return _BestOfEach(only.candidate, only.baseline) if only else None
    sides = [select(one, pool, facts.pair_distances) for one in (rule.candidate, rule.baseline)]
    if not all(side and differ_only_in(rule.axes, side) for side in sides):
        return None
    a, b = map(best_of, sides)
    selectors = rule.candidate, rule.baseline
    named = {name for one in selectors for name in (*one.layout, *one.parameters)}
    if a is b or not differ_only_in((*rule.axes, *named), (a, b)):
        return None
    return _BestOfEach(a, b, len(sides[0]) * len(sides[1]))


def share(rule: ShareRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """In which band is the candidate over the best result of the other benchmark?"""
    other = [e for e in pool if e.point.benchmark == rule.benchmark]
    own = [e for e in pool if e.point.benchmark != rule.benchmark]
    candidates = select(rule.candidate, own, facts.pair_distances)
    among = select(rule.baseline, other, facts.pair_distances)
    if len(candidates) != 1 or not among:
        return None
    a, b = candidates[0], best_of(among)
    # A device is beside all of the host, however few threads wait for it.
    if a.point.layout.device is UNSET and _cpus(a) != _cpus(b):
        return None
    trial = banded(rule.bands, a, b, ratio_of(a, b))
    return Draft(lambda trials: band_case(trials[0], rule.bands, JudgedQuantity.SHARE), (trial,))


def _cpus(estimate: Estimate) -> int:
    """On how many it ran."""
    return estimate.point.layout.ranks * estimate.point.layout.cpus_per_rank


def band_case(
    trial: Trial,
    bands: tuple[Band, ...],
    quantity: JudgedQuantity,
    detail: Speedup | WaveSpeedup | None = None,
) -> CaseResult:
    """The case of a comparison whose ratio is named by bands."""
    comparison, reason = trial.comparison, _meaningless(trial)
    unknown = trial.quoted and not comparison.is_bounded
    ends = (comparison.ratio,) * 2 if unknown else (comparison.low, comparison.high)
    lowest, highest = (band_of(bands, end) for end in ends)
    if reason is None and lowest != highest:
        reason = Inconclusive.INTERVAL
    elif reason is None and not trial.quoted and comparison.p_value > SIGNIFICANCE:
        reason = Inconclusive.MULTIPLE_COMPARISONS
    return case_of(
        Judged(trial, bands, quantity),
        BandOutcome(trial, lowest, highest, quantity, reason, detail),
        decided=reason is None,
        advice="" if reason else lowest.advice,
    )


def _meaningless(trial: Trial) -> Inconclusive | None:
    """Why a comparison says nothing at all."""
    if trial.quoted or trial.has_ratio:
        return None
    return Inconclusive.TOO_FEW_LAUNCHES if trial.resolved else Inconclusive.BELOW_RESOLUTION


def _why_unresolved(trial: Trial) -> Inconclusive:
    """Whether it is inconclusive by the interval alone or by the number of comparisons."""
    if trial.of_shares:
        between = difference_of(trial)
        holds_none = between.low <= 0 <= between.high
    else:
        holds_none = trial.comparison.low <= 1 <= trial.comparison.high
    return Inconclusive.INTERVAL if holds_none else Inconclusive.MULTIPLE_COMPARISONS
