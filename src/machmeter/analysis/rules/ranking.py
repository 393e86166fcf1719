"""Rule best: which of several results is best, and from which others that is distinguishable."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.evidence import Judged, case_of
from machmeter.analysis.rules.outcome import BestOutcome, CaseResult, Draft, Inconclusive
from machmeter.analysis.rules.select import TopologyFacts, differ_only_in, select, without_repeats
from machmeter.analysis.rules.trial import Label, Trial, compared, lead
from machmeter.analysis.stats.fields import value_of
from machmeter.analysis.stats.race.dropping import MOST_ERROR
from machmeter.analysis.stats.race.probability import probabilities_of_best
from machmeter.model.benchmark import Direction
from machmeter.model.plan.question import BestRule
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate, Scale

# How far from the best a value may lie and still be called no different.
_LITTLE = 1.05


def best(rule: BestRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """Which value of the axes is best among the candidates?"""
    found = without_repeats(select(rule.candidate, pool, facts.pair_distances), facts.assignments)
    labels = {label_of(rule.axes, one) for one in found}
    if len(found) < 2 or len(labels) < len(found) or not differ_only_in(rule.axes, found):
        return None
    left = [one for one in found if one.point not in facts.dropped_out]
    first = best_of(left or found)
    others = sorted((e for e in found if e is not first), key=lambda e: lead(first, e))
    trials = tuple(
        Trial(first, other, _chosen(first, other, len(found)), label_of(rule.axes, other))
        for other in others
    )
    default = select(rule.baseline, found, facts.pair_distances) if rule.baseline else []
    usual = label_of(rule.axes, default[0]) if default else None
    name = label_of(rule.axes, first)
    slower = frozenset(t.against for t in trials if t.baseline.point in facts.dropped_out)
    probability = _probability(first, left or found)
    return Draft(
        lambda adjusted: _judge(rule, name, usual, adjusted, Raced(slower, probability)), trials
    )


class Raced(Struct, frozen=True):
    """What rounds say of several results together."""

    slower: frozenset[Label]
    """Those that a race showed to be so, whatever the p values of single comparisons."""
    probability: float | None
    """That the best is so among the others."""


def _probability(first: Estimate, running: Sequence[Estimate]) -> float | None:
    """That `first` has the best mean of those, from the rounds that all have; None where these are
    fewer than half of its own."""
    if not all(one.rounds and one.scale is Scale.LOG for one in running):
        return None
    near = [one for one in running if compared(first, one).verdict is not ComparisonVerdict.FASTER]
    higher, name = first.direction is Direction.HIGHER, str(running.index(first))
    # What was launched after a race has no round in common with all of it: where that is slower,
    # the others have some.
    for candidates in (running, near):
        values = {
            str(running.index(one)): dict(zip(one.rounds, one.launch_values, strict=True))
            for one in candidates
        }
        # Of what was launched after a race only, a few rounds would speak for all of it.
        if 2 * len(set.intersection(*map(set, values.values()))) < len(first.rounds):
            continue
        if found := probabilities_of_best(values, higher_is_better=higher):
            return found[name]
    return None


def best_of(estimates: Sequence[Estimate]) -> Estimate:
    """The one that fewest others beat, by paired comparison; of several the one farthest ahead.

    Values over all launches may rank otherwise where some were measured in other launches.
    """

    def rank(one: Estimate) -> tuple[int, float, float]:
        others = [other for other in estimates if other is not one]
        verdicts = [compared(one, other).verdict for other in others]
        beaten = verdicts.count(ComparisonVerdict.SLOWER)
        behind = -math.fsum(lead(one, other) for other in others)
        higher = one.direction is Direction.HIGHER
        return beaten, behind, -one.value if higher else one.value

    return min(estimates, key=rank)


def label_of(axes: Sequence[str], estimate: Estimate) -> Label:
    """The values of a result on these axes."""
    return tuple((axis, value_of(estimate, axis)) for axis in axes)


def is_behind(trial: Trial) -> bool:
    """Whether the best is shown to be better than the baseline of the trial."""
    return trial.comparison.verdict is ComparisonVerdict.FASTER


def _chosen(first: Estimate, other: Estimate, count: int) -> Comparison:
    """How the best of `count` compares with another one.

    It was chosen after looking, so its p values stand for those of every pair: count / 2 as many.
    """
    ratio = compared(first, other)
    return replace(ratio, p_value=min(1.0, ratio.p_value * count / 2))


def _judge(
    rule: BestRule,
    name: Label,
    usual: Label | None,
    trials: Sequence[Trial],
    raced: Raced,
) -> CaseResult:
    behind = [trial for trial in trials if is_behind(trial) or trial.against in raced.slower]
    tied = [trial for trial in trials if trial not in behind]
    reference = _reference(trials, behind, usual)
    names = tuple(trial.against for trial in tied)
    reason = _why_open(trials, behind, reference)
    similar = not behind and all(map(_is_little, trials))
    # What is not decided is no reason to keep anything, unless all are about the same.
    settled = reason is None or (similar and reason is not Inconclusive.TOO_FEW_LAUNCHES)
    keep = usual in (name, *names) and settled
    outcome = BestOutcome(
        name,
        reference,
        tuple(trials),
        names,
        usual if keep else None,
        similar=similar,
        inconclusive=reason,
        probability=raced.probability,
    )
    return case_of(
        Judged(reference, best=name),
        outcome,
        decided=outcome.inconclusive is None,
        advice=_advice(rule, outcome),
        settings=_settings(rule, outcome),
        p_value=max(
            (MOST_ERROR if t.against in raced.slower else t.comparison.p_value for t in behind),
            default=1.0,
        ),
        tied=tied,
    )


def _reference(trials: Sequence[Trial], behind: Sequence[Trial], usual: Label | None) -> Trial:
    """What the best is compared with: the usual value if it is worse, or the worst."""
    usual_behind = [trial for trial in behind if trial.against == usual]
    return (usual_behind or list(behind[-1:]) or list(trials[-1:]))[0]


def _why_open(
    trials: Sequence[Trial], behind: Sequence[Trial], reference: Trial
) -> Inconclusive | None:
    one = trials[0].candidate
    if not reference.quoted and one.launches < 2:
        return Inconclusive.TOO_FEW_LAUNCHES
    if behind:
        return None
    return Inconclusive.INTERVAL if one.resolved else Inconclusive.BELOW_RESOLUTION


def _advice(rule: BestRule, outcome: BestOutcome) -> str:
    """The question's advice; the usual value that is as good is kept, which the words say."""
    if outcome.inconclusive is not None:
        few = outcome.inconclusive is Inconclusive.TOO_FEW_LAUNCHES
        return rule.same if outcome.similar and not few and outcome.keep is None else ""
    if outcome.keep is not None and outcome.keep != outcome.best:
        return ""
    own = rule.advice.get(str(outcome.best[0][1]), "")
    return own or ("" if outcome.keep is not None else rule.otherwise)


def _settings(rule: BestRule, outcome: BestOutcome) -> tuple[str, ...]:
    """What makes the best of the usual value, where that is shown to be behind."""
    if outcome.inconclusive is not None or outcome.keep is not None:
        return ()
    return tuple(filter(None, (rule.settings.get(str(outcome.best[0][1]), ""),)))


def _is_little(trial: Trial) -> bool:
    """Whether the interval shows that the two differ by little, if at all."""
    comparison = trial.comparison
    if comparison.verdict is ComparisonVerdict.SAME:
        return True
    return not trial.quoted and 1 / _LITTLE <= comparison.low <= comparison.high <= _LITTLE
