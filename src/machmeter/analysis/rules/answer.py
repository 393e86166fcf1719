"""Questions answered from results: one rule a struct, one function a rule. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import product
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.reasons.reasons import ComparedLayouts, pair_of, reasons_of
from machmeter.analysis.rules.outcome import CaseResult, Draft
from machmeter.analysis.rules.pairs import SIGNIFICANCE, better, cost, efficiency, share
from machmeter.analysis.rules.ranking import best
from machmeter.analysis.rules.select import TopologyFacts, are_equivalent, pool_of
from machmeter.analysis.rules.sensitivity import Lacking, OtherNodes
from machmeter.analysis.rules.switch import switch
from machmeter.analysis.rules.system.consistent import consistent
from machmeter.analysis.rules.system.node_classes import hosts_in_order, node_classes
from machmeter.analysis.rules.system.nodes import even_nodes, parts_by_class
from machmeter.analysis.rules.threshold import threshold
from machmeter.analysis.rules.trends import flat, grows
from machmeter.analysis.rules.trial import Label, Trial
from machmeter.analysis.rules.waves import waves
from machmeter.analysis.stats.comparison import holm
from machmeter.analysis.stats.confidence import Doubt, DoubtKind
from machmeter.analysis.stats.fields import value_of, values_of
from machmeter.model.origin import Origin
from machmeter.model.plan.question import (
    BestRule,
    BetterRule,
    ConsistentRule,
    CostRule,
    EfficiencyRule,
    FlatRule,
    GrowthRule,
    NodesRule,
    Question,
    Resource,
    Rule,
    Selector,
    ShareRule,
    SwitchRule,
    ThresholdRule,
    WaveRule,
)
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Confidence

_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)
_NOTHING_KNOWN = TopologyFacts({}, {})
# The least sure first.
_BY_CONFIDENCE = (
    Confidence.OPEN,
    Confidence.NONE,
    Confidence.PUBLISHED,
    Confidence.SIMULATED,
    Confidence.LIKELY,
    Confidence.SURE,
)

RULES: Mapping[type[Any], Callable[[Any, Sequence[Estimate], TopologyFacts], Draft | None]] = {
    BetterRule: better,
    CostRule: cost,
    BestRule: best,
    EfficiencyRule: efficiency,
    ShareRule: share,
    WaveRule: waves,
    SwitchRule: switch,
    FlatRule: flat,
    ThresholdRule: threshold,
    ConsistentRule: consistent,
    NodesRule: even_nodes,
    GrowthRule: grows,
}


class Unanswerable(StrEnum):
    """Why a question has no case at all."""

    NOT_PUBLISHED = "candidate or baseline is not published"
    LACKING = "the machine or the run has too little of something"
    EQUIVALENT = "both placements use the same CPUs"
    NOT_MEASURED = "candidate or baseline was not measured"


class Answer(Struct, frozen=True):
    """What a question came to."""

    question: Question
    """The question."""
    cases: tuple[CaseResult, ...] = ()
    """Its cases; none where it is not answerable."""
    unanswerable: Unanswerable | None = None
    """Why there is no case."""
    lacking: tuple[Lacking, ...] = ()
    """Of LACKING: what there is too little of."""
    scope: OtherNodes | None = None
    """For how many nodes it holds, of a network."""

    @property
    def status(self) -> AnswerStatus:
        """Decided where any case is."""
        if not self.cases:
            return AnswerStatus.UNDECIDABLE
        decided = any(case.decided for case in self.cases)
        return AnswerStatus.DECIDED if decided else AnswerStatus.INCONCLUSIVE

    @property
    def hinge(self) -> CaseResult | None:
        """The decided case that is least sure; of such the one whose interval ends nearest to
        where the answer would be another. Where none is decided, of all.
        """
        among = [case for case in self.cases if case.decided] or list(self.cases)
        if not among:
            return None
        return min(among, key=lambda case: (_BY_CONFIDENCE.index(case.confidence), case.to_bound))


def answers(
    questions: Sequence[Question],
    estimates: Sequence[Estimate],
    facts: TopologyFacts = _NOTHING_KNOWN,
) -> tuple[Answer, ...]:
    """The answer to each question; says so where this machine or this run cannot give one.

    facts: what is known of the machine, by which near pairs are distinguished from far ones, two
    bindings that use the same CPUs, and what this machine cannot answer from what this run left
    out.

    Of many comparisons some differ by chance: p values are adjusted over all of them (Holm,
    Scandinavian Journal of Statistics 6, 1979), and a difference is called one, or a band named,
    only where the adjusted p value is at most 0.05. A question tested alone is adjusted for its own
    comparisons, as is one that follows an axis or judges all pairs. Published values have no
    interval and are not tested.
    """
    questions = [_for_machine(question, facts) for question in questions]
    pools = [pool_of(question, estimates) for question in questions]
    drafts = [_drafts(q, pool, facts) for q, pool in zip(questions, pools, strict=True)]
    together = iter(
        _adjusted(
            [
                trial
                for question, of in zip(questions, drafts, strict=True)
                if not question.tested_alone
                for _, draft in of
                for trial in draft.trials
            ]
        )
    )
    found = []
    for question, pool, of in zip(questions, pools, drafts, strict=True):
        alone = iter(_adjusted([trial for _, draft in of for trial in draft.trials]))
        adjusted = alone if question.tested_alone else together
        cases = tuple(
            replace(draft.judge(tuple(next(adjusted) for _ in draft.trials)), label=label)
            for label, draft in of
        )
        if any(one.origin is Origin.SIMULATED for one in pool):
            cases = tuple(map(_as_simulated, cases))
        found.append(_answer(question, pool, facts, cases))
    return _explained(found, estimates)


def selectors_of(rule: Rule) -> tuple[Selector, ...]:
    """What a rule selects: the candidate, and the baseline where it has one."""
    baseline = getattr(rule, "baseline", None)
    return (rule.candidate,) if baseline is None else (rule.candidate, baseline)


def parts_of(
    question: Question, pool: Sequence[Estimate]
) -> Iterator[tuple[Label, Sequence[Estimate]]]:
    """The results of each value of what the question distinguishes, with a label; all without one.

    The only MPI library of a run has no name, and needs none.
    """
    if not question.each:
        yield (), pool
        return
    names = question.each
    for values in product(*(values_of(name, pool) for name in names)):
        part = [
            e
            for e in pool
            if e.point.benchmark != question.benchmark
            or all(value_of(e, n) == v for n, v in zip(names, values, strict=True))
        ]
        if part:
            label = zip(names, values, strict=True)
            yield tuple((n, v) for n, v in label if (n, v) != ("mpi", "")), part


def _answer(
    question: Question,
    pool: Sequence[Estimate],
    facts: TopologyFacts,
    cases: tuple[CaseResult, ...],
) -> Answer:
    if cases:
        return Answer(question, cases, scope=_scope(pool))
    lacking = _lacking(question, facts)
    if any(e.origin in {Origin.PUBLISHED, Origin.IMPORTED} for e in pool):
        reason = Unanswerable.NOT_PUBLISHED
    elif lacking:
        reason = Unanswerable.LACKING
    elif any(_is_equivalent(question, part, facts) for _, part in parts_of(question, pool)):
        reason = Unanswerable.EQUIVALENT
    else:
        reason = Unanswerable.NOT_MEASURED
    return Answer(question, unanswerable=reason, lacking=lacking)


def _for_machine(question: Question, facts: TopologyFacts) -> Question:
    rule = question.rule
    one_domain = facts.resources.get(Resource.DOMAINS) == 1
    if isinstance(rule, CostRule) and rule.bands_on_one_domain and one_domain:
        return replace(question, rule=replace(rule, bands=rule.bands_on_one_domain))
    if isinstance(rule, BetterRule) and rule.no_where_set and facts.settings & {*rule.settings}:
        return replace(question, rule=replace(rule, no=rule.no_where_set))
    if isinstance(rule, BetterRule) and rule.by_default and facts.resources.get(rule.by_default):
        return replace(question, rule=replace(rule, yes=rule.yes_by_default, settings=()))
    return question


def _drafts(
    question: Question, pool: Sequence[Estimate], facts: TopologyFacts
) -> list[tuple[Label, Draft]]:
    """Every case of a question before p values are adjusted, with its label."""
    if _lacking(question, facts):
        return []
    apply = RULES[type(question.rule)]
    parts = parts_of(question, pool)
    if isinstance(question.rule, NodesRule):
        parts = parts_by_class(parts, node_classes(hosts_in_order(facts.rank_hosts), facts.hosts))
    found = ((label, apply(question.rule, part, facts)) for label, part in parts)
    return [(label, draft) for label, draft in found if draft is not None]


def _explained(found: Sequence[Answer], estimates: Sequence[Estimate]) -> tuple[Answer, ...]:
    """The answers with what is behind decided cases, where the questions say what tells."""
    pairs: dict[tuple[int, int], ComparedLayouts] = {}
    for number, answer in enumerate(found):
        counted = answer.question.explained_by
        if counted is None:
            continue
        pool = [e for e in estimates if e.point.benchmark == answer.question.benchmark]
        for place, case in enumerate(answer.cases):
            if case.trial is not None and case.decided:
                trial = case.trial
                pairs[number, place] = pair_of(trial.candidate, trial.baseline, pool, counted)
    reasons = dict(zip(pairs, reasons_of(list(pairs.values())), strict=True))
    return tuple(
        replace(
            answer,
            cases=tuple(
                replace(case, reasons=reasons.get((number, place), ()))
                for place, case in enumerate(answer.cases)
            ),
        )
        for number, answer in enumerate(found)
    )


def _as_simulated(case: CaseResult) -> CaseResult:
    """A case that rests on a model: no surer than that, and without a sensitivity to launches."""
    confidence = Confidence.SIMULATED if case.decided else Confidence.OPEN
    doubts = (Doubt(DoubtKind.SIMULATED),)
    return replace(case, confidence=confidence, doubts=doubts, margin=None, sensitivity=())


def _lacking(question: Question, facts: TopologyFacts) -> tuple[Lacking, ...]:
    """What the machine is known to have less of than the question requires."""
    return tuple(
        Lacking(resource, needed, facts.resources[resource])
        for resource, needed in question.requires.items()
        if facts.resources.get(resource, needed) < needed
    )


def _is_equivalent(question: Question, part: Sequence[Estimate], facts: TopologyFacts) -> bool:
    selectors = selectors_of(question.rule)
    return len(selectors) == 2 and are_equivalent(*selectors, part, facts)


def _adjusted(trials: Sequence[Trial]) -> list[Trial]:
    """With p values adjusted for their number; what does not hold then is inconclusive."""
    tested = [i for i, trial in enumerate(trials) if trial.tested and not trial.quoted]
    found = list(trials)
    for i, p_value in zip(
        tested, holm([trials[i].comparison.p_value for i in tested]), strict=True
    ):
        comparison = trials[i].comparison
        chance = comparison.verdict in _DIFFERENT and p_value > SIGNIFICANCE
        verdict = ComparisonVerdict.INCONCLUSIVE if chance else comparison.verdict
        found[i] = replace(
            trials[i], comparison=replace(comparison, p_value=p_value, verdict=verdict)
        )
    return found


def _scope(pool: Sequence[Estimate]) -> OtherNodes | None:
    """Of how many nodes results of a network are, which another number may change."""
    own = [
        e
        for e in pool
        if e.point.layout.ranks > 1 and e.origin.is_own and e.point.benchmark.startswith("network.")
    ]
    if not own:
        return None
    return OtherNodes(max(e.point.layout.nodes for e in own), own[0].origin)
