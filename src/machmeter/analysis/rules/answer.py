"""Questions answered from estimates, by the rules of `model.plan.study`. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from msgspec.structs import replace

from machmeter.analysis.rules.along import told_along
from machmeter.analysis.rules.case_result import finding_told, with_grounds
from machmeter.analysis.rules.consistent import told_consistent
from machmeter.analysis.rules.evidence import ground_of
from machmeter.analysis.rules.labels import figure, label_of
from machmeter.analysis.rules.ratios import Trial
from machmeter.analysis.rules.scope import lacking_text, scope_text
from machmeter.analysis.rules.select import (
    TopologyFacts,
    come_to_the_same,
    pool_of,
    value_of,
    values_of,
)
from machmeter.analysis.rules.trials import Case, trials_of
from machmeter.analysis.rules.wording import (
    ALONE,
    SIGNIFICANCE,
    in_one_answer,
    outcome_of,
    part_texts,
    reference_of,
)
from machmeter.analysis.stats.comparison import holm
from machmeter.model.plan.study import Question, Rule
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding

_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)
_NOWHERE = TopologyFacts({}, {})
# These test within themselves: their p values are adjusted for their own comparisons.
TOLD_RULES = (Rule.SWITCH, Rule.FLAT, Rule.THRESHOLD, Rule.GROWTH, Rule.CONSISTENT)


def answers(
    questions: Sequence[Question],
    estimates: Sequence[Estimate],
    places: TopologyFacts = _NOWHERE,
) -> tuple[Finding, ...]:
    """The finding for each question; says so where this machine or this run cannot decide it.

    places: what is known of the machine, by which near pairs are told from far ones, two bindings
    that come to the same CPUs, and what this machine cannot decide from what this run left out.

    Of many comparisons some differ by chance: p values are adjusted over all of them (Holm,
    Scandinavian Journal of Statistics 6, 1979), and a difference is called one, or a band named,
    only where the adjusted p value is at most 0.05. A question asked alone is adjusted for its own
    comparisons, as is one that follows an axis or judges all pairs. Published values have no
    interval and are not tested: what is said of them is said to be as printed.
    """
    questions = [_for_machine(question, places) for question in questions]
    pools = [pool_of(question, estimates) for question in questions]
    of_all = [_cases(q, pool, places) for q, pool in zip(questions, pools, strict=True)]
    together = [cases for q, cases in zip(questions, of_all, strict=True) if not q.alone]
    adjusted = iter(_adjusted([t for cases in together for c in cases for t in c.trials]))
    found = []
    for question, pool, cases in zip(questions, pools, of_all, strict=True):
        if question.rule in TOLD_RULES:
            found.append(_told(question, pool, places))
            continue
        by_itself = iter(_adjusted([t for c in cases for t in c.trials]))
        taken = by_itself if question.alone else adjusted
        tested = [replace(c, trials=tuple(next(taken) for _ in c.trials)) for c in cases]
        found.append(_finding(question, pool, tested, places))
    return tuple(_scoped(f, pool) for f, pool in zip(found, pools, strict=True))


def _scoped(finding: Finding, pool: Sequence[Estimate]) -> Finding:
    """With what was measured on one number of nodes, and may be otherwise on another."""
    scope = scope_text(pool)
    if not scope or finding.standing is AnswerStatus.UNDECIDABLE:
        return finding
    return replace(finding, would_change=(*finding.would_change, scope))


def _for_machine(question: Question, places: TopologyFacts) -> Question:
    if question.bands_of_one_domain and places.facts.get("domains") == 1:
        return replace(question, bands=question.bands_of_one_domain)
    return question


def _cases(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> list[Case]:
    if question.rule in TOLD_RULES or _lacks(question, places):
        return []
    return [trials_of(question, label, part, places) for label, part in _parts(question, pool)]


def _lacks(question: Question, places: TopologyFacts) -> bool:
    """Whether the machine is known to have less than the question needs."""
    return any(places.facts.get(name, least) < least for name, least in question.needs.items())


def _parts(question: Question, pool: Sequence[Estimate]) -> list[tuple[str, Sequence[Estimate]]]:
    """The estimates of each value of what the question asks `each`, with a label; all without one.

    The only MPI library of a run has no name, and needs none.
    """
    if not question.each:
        return [("", pool)]
    names = question.each.split(",")
    parts: list[tuple[str, Sequence[Estimate]]] = []
    for values in product(*(values_of(name, pool) for name in names)):
        part = [
            e for e in pool if all(value_of(e, n) == v for n, v in zip(names, values, strict=True))
        ]
        told = [(n, v) for n, v in zip(names, values, strict=True) if (n, v) != ("mpi", "")]
        if part:
            parts.append((" ".join(label_of(name, value) for name, value in told), part))
    return parts


def _adjusted(trials: Sequence[Trial]) -> list[Trial]:
    """With p values adjusted for their number; differences that do not hold then are unresolved."""
    tested = [i for i, trial in enumerate(trials) if trial.tested and not trial.printed]
    found = list(trials)
    for i, p_value in zip(
        tested, holm([trials[i].comparison.p_value for i in tested]), strict=True
    ):
        comparison = trials[i].comparison
        chance = comparison.verdict in _DIFFERENT and p_value > SIGNIFICANCE
        verdict = ComparisonVerdict.UNRESOLVED if chance else comparison.verdict
        found[i] = replace(
            trials[i], comparison=replace(comparison, p_value=p_value, verdict=verdict)
        )
    return found


def _finding(
    question: Question, pool: Sequence[Estimate], cases: Sequence[Case], places: TopologyFacts
) -> Finding:
    decidable = [case for case in cases if case.trials]
    if not decidable:
        return _not_decided(question, pool, places)
    outcomes = [(case.label, outcome_of(question, case)) for case in decidable]
    decided = any(outcome.ratio is not None for _, outcome in outcomes)
    standing = AnswerStatus.DECIDED if decided else AnswerStatus.UNRESOLVED
    grounds = [
        ground_of(question, case, outcome)
        for case, (_, outcome) in zip(decidable, outcomes, strict=True)
    ]
    if not decidable[0].label:
        case, outcome = decidable[0], outcomes[0][1]
        found = Finding(
            question.text,
            outcome.text,
            _evidence(case) + ALONE * question.alone,
            _shown(case),
            part_texts(question, case),
            question.source,
            standing,
        )
        return with_grounds(found, grounds)
    found = Finding(
        question.text,
        in_one_answer(question, outcomes),
        "; ".join(f"{case.label}: {_evidence(case)}" for case in decidable),
        _shown(decidable[0]) if len(decidable) == 1 else None,
        tuple(f"{label}: {outcome.text}" for label, outcome in outcomes),
        question.source,
        standing,
    )
    return with_grounds(found, grounds)


def _told(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Finding:
    """The finding of a rule that tells of a whole curve, or of all pairs."""
    tell = told_consistent if question.rule is Rule.CONSISTENT else told_along
    lacking = _lacks(question, places)
    cases = [
        (label, told)
        for label, part in _parts(question, pool)
        if not lacking and (told := tell(question, part, places)) is not None
    ]
    return finding_told(question, cases) if cases else _not_decided(question, pool, places)


def _not_decided(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Finding:
    return Finding(
        question.text,
        _undecided(question, pool, places),
        "",
        source=question.source,
        standing=AnswerStatus.UNDECIDABLE,
        would_change=lacking_text(question.needs, places.facts),
    )


def _undecided(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> str:
    if any(estimate.origin.is_quoted for estimate in pool):
        return "not decided: not both sides of it are printed"
    parts = _parts(question, pool)
    same = any(come_to_the_same(question, part, places) for _, part in parts)
    if question.undecided and (same or _lacks(question, places)):
        return f"this machine cannot decide: {question.undecided}"
    if question.rule in TOLD_RULES:
        return "not decided: this run has not measured what it takes"
    return "not decided: this run has not both sides of it"


def _shown(case: Case) -> Comparison | None:
    """The comparison that the words are about; None for shares, which have no ratio."""
    told = _trial_told(case)
    return None if told.of_shares else told.comparison


def _trial_told(case: Case) -> Trial:
    return reference_of(case) if case.trials[0].against else case.trials[0]


def _evidence(case: Case) -> str:
    trial = _trial_told(case)
    return f"{figure(trial.candidate)} against {figure(trial.baseline)}"
