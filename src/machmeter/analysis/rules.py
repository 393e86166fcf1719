"""Questions answered from estimates, by the rules of `model.study`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from machmeter.analysis.comparison import holm
from machmeter.analysis.rules_labels import figure, label_of
from machmeter.analysis.rules_select import Places, pool_of, value_of, values_of
from machmeter.analysis.rules_trials import Case, Trial, trials_of
from machmeter.analysis.rules_words import SIGNIFICANCE, in_one_answer, outcome_of, part_texts
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate, Finding, Standing
from machmeter.model.layout import Assignment, Layout
from machmeter.model.study import Question
from machmeter.model.units import is_unbounded

_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)
_NONE: Mapping[str, str] = MappingProxyType({})
_NOWHERE: Mapping[Layout, Assignment] = MappingProxyType({})


def answers(
    questions: Sequence[Question],
    estimates: Sequence[Estimate],
    kinds: Mapping[str, str] = _NONE,
    assigned: Mapping[Layout, Assignment] = _NOWHERE,
) -> tuple[Finding, ...]:
    """The finding for each question; says so where this machine or this run cannot decide it.

    kinds: what the two CPUs of a pair share, by pair (`0-17`); assigned: the CPUs of each layout,
    by which two bindings that come to the same are told.

    Of many comparisons some differ by chance: p values are adjusted over all of them (Holm,
    Scandinavian Journal of Statistics 6, 1979), and a difference is called one, or a band named,
    only where the adjusted p value is at most 0.05. Published values have no interval and are not
    tested: what is said of them is said to be as printed.
    """
    places = Places(kinds, assigned)
    pools = [pool_of(question, estimates) for question in questions]
    of_all = [_cases(q, pool, places) for q, pool in zip(questions, pools, strict=True)]
    adjusted = iter(_adjusted([t for cases in of_all for c in cases for t in c.trials]))
    found = []
    for question, pool, cases in zip(questions, pools, of_all, strict=True):
        tested = [replace(c, trials=tuple(next(adjusted) for _ in c.trials)) for c in cases]
        found.append(_finding(question, pool, tested))
    return tuple(found)


def _cases(question: Question, pool: Sequence[Estimate], places: Places) -> list[Case]:
    if not question.each:
        return [trials_of(question, "", pool, places)]
    return [
        trials_of(
            question,
            label_of(question.each, value),
            [e for e in pool if value_of(e, question.each) == value],
            places,
        )
        for value in values_of(question.each, pool)
    ]


def _adjusted(trials: Sequence[Trial]) -> list[Trial]:
    """With p values adjusted for their number; differences that do not hold then are unresolved."""
    tested = [i for i, t in enumerate(trials) if not is_unbounded(t.comparison.high)]
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


def _finding(question: Question, pool: Sequence[Estimate], cases: Sequence[Case]) -> Finding:
    decidable = [case for case in cases if case.trials]
    if not decidable:
        return Finding(
            question.text,
            _undecided(question, pool),
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
            _evidence(case),
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


def _undecided(question: Question, pool: Sequence[Estimate]) -> str:
    if any(estimate.source for estimate in pool):
        return "not decided: not both sides of it are printed"
    if pool and question.undecided:
        return f"this machine cannot decide: {question.undecided}"
    return "not decided: this run has not both sides of it"


def _shown(case: Case) -> Comparison:
    """The comparison that the words are about."""
    return _told(case).comparison


def _told(case: Case) -> Trial:
    named = [trial for trial in case.trials if trial.against == case.reference]
    return (named or list(case.trials))[0]


def _evidence(case: Case) -> str:
    trial = _told(case)
    return f"{figure(trial.candidate)} against {figure(trial.baseline)}"
