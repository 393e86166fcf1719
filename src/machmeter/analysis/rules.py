"""Questions answered from estimates, by the rules of `model.study`. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.comparison import holm
from machmeter.analysis.rules_labels import figure, label_of
from machmeter.analysis.rules_ratios import Trial
from machmeter.analysis.rules_select import (
    Places,
    come_to_the_same,
    pool_of,
    value_of,
    values_of,
)
from machmeter.analysis.rules_trials import Case, trials_of
from machmeter.analysis.rules_words import (
    ALONE,
    SIGNIFICANCE,
    in_one_answer,
    outcome_of,
    part_texts,
    reference_of,
)
from machmeter.model.benchmark import Value
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate, Finding, Standing
from machmeter.model.study import Question

_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)
_NOWHERE = Places({}, {})


def answers(
    questions: Sequence[Question],
    estimates: Sequence[Estimate],
    places: Places = _NOWHERE,
) -> tuple[Finding, ...]:
    """The finding for each question; says so where this machine or this run cannot decide it.

    places: what is known of the machine, by which near pairs are told from far ones, two bindings
    that come to the same CPUs, and what this machine cannot decide from what this run left out.

    Of many comparisons some differ by chance: p values are adjusted over all of them (Holm,
    Scandinavian Journal of Statistics 6, 1979), and a difference is called one, or a band named,
    only where the adjusted p value is at most 0.05. A question asked alone is adjusted for its own
    comparisons. Published values have no interval and are not
    tested: what is said of them is said to be as printed.
    """
    questions = [_for_machine(question, places) for question in questions]
    pools = [pool_of(question, estimates) for question in questions]
    of_all = [_cases(q, pool, places) for q, pool in zip(questions, pools, strict=True)]
    together = [cases for q, cases in zip(questions, of_all, strict=True) if not q.alone]
    adjusted = iter(_adjusted([t for cases in together for c in cases for t in c.trials]))
    found = []
    for question, pool, cases in zip(questions, pools, of_all, strict=True):
        by_itself = iter(_adjusted([t for c in cases for t in c.trials]))
        taken = by_itself if question.alone else adjusted
        tested = [replace(c, trials=tuple(next(taken) for _ in c.trials)) for c in cases]
        found.append(_finding(question, pool, tested, places))
    return tuple(found)


def _for_machine(question: Question, places: Places) -> Question:
    if question.bands_of_one_domain and places.facts.get("domains") == 1:
        return replace(question, bands=question.bands_of_one_domain)
    return question


def _cases(question: Question, pool: Sequence[Estimate], places: Places) -> list[Case]:
    if _lacks(question, places):
        return []
    if not question.each:
        return [trials_of(question, "", pool, places)]
    return [
        trials_of(question, label_of(question.each, value), part, places)
        for value, part in _parts(question, pool)
    ]


def _lacks(question: Question, places: Places) -> bool:
    """Whether the machine is known to have less than the question needs."""
    return any(places.facts.get(name, least) < least for name, least in question.needs.items())


def _parts(question: Question, pool: Sequence[Estimate]) -> list[tuple[Value, list[Estimate]]]:
    """The estimates of each value of what the question asks `each`."""
    return [
        (value, [e for e in pool if value_of(e, question.each) == value])
        for value in values_of(question.each, pool)
    ]


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
    question: Question, pool: Sequence[Estimate], cases: Sequence[Case], places: Places
) -> Finding:
    decidable = [case for case in cases if case.trials]
    if not decidable:
        return Finding(
            question.text,
            _undecided(question, pool, places),
            "",
            source=question.source,
            standing=Standing.UNDECIDABLE,
        )
    outcomes = [(case.label, outcome_of(question, case)) for case in decidable]
    decided = any(outcome.ratio is not None for _, outcome in outcomes)
    standing = Standing.DECIDED if decided else Standing.UNRESOLVED
    if not question.each:
        case, outcome = decidable[0], outcomes[0][1]
        return Finding(
            question.text,
            outcome.text,
            _evidence(case) + ALONE * question.alone,
            _shown(case),
            part_texts(question, case),
            question.source,
            standing,
        )
    return Finding(
        question.text,
        in_one_answer(question, outcomes),
        "; ".join(f"{case.label}: {_evidence(case)}" for case in decidable),
        _shown(decidable[0]) if len(decidable) == 1 else None,
        tuple(f"{label}: {outcome.text}" for label, outcome in outcomes),
        question.source,
        standing,
    )


def _undecided(question: Question, pool: Sequence[Estimate], places: Places) -> str:
    if any(estimate.source for estimate in pool):
        return "not decided: not both sides of it are printed"
    parts = [part for _, part in _parts(question, pool)] if question.each else [pool]
    same = any(come_to_the_same(question, part, places) for part in parts)
    if question.undecided and (same or _lacks(question, places)):
        return f"this machine cannot decide: {question.undecided}"
    return "not decided: this run has not both sides of it"


def _shown(case: Case) -> Comparison:
    """The comparison that the words are about."""
    return _told(case).comparison


def _told(case: Case) -> Trial:
    return reference_of(case) if case.trials[0].against else case.trials[0]


def _evidence(case: Case) -> str:
    trial = _told(case)
    return f"{figure(trial.candidate)} against {figure(trial.baseline)}"
