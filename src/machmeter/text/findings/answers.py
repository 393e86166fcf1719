"""Answers of rules as findings: the document that people and programs read."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.rules.answer import Answer, Unanswerable, selectors_of
from machmeter.analysis.rules.outcome import BestOutcome, BetterOutcome, CaseResult
from machmeter.analysis.rules.trial import Label, difference_of
from machmeter.model.plan.question import BestRule, Question
from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Finding,
    PublishedAnswer,
    Ranking,
)
from machmeter.text.findings.cases import range_text, words_of
from machmeter.text.findings.labels import cases_text, label_text
from machmeter.text.findings.reasons import reason_texts
from machmeter.text.findings.sensitivity import (
    doubt_text,
    lacking_text,
    scope_text,
    sensitivity_text,
)
from machmeter.text.findings.words import CaseWords
from machmeter.text.numbers import count_text

_FEW = 2
_ALONE = "; tested separately, for its few launches"
_UNANSWERABLE = {
    Unanswerable.NOT_PUBLISHED: "not answered: candidate or baseline is not published",
    Unanswerable.EQUIVALENT: "not answerable here: both placements use the same CPUs",
}


def finding_of(answer: Answer, published: tuple[PublishedAnswer, ...] = ()) -> Finding:
    """An answer as text; published: what is published of the question."""
    question, cases = answer.question, answer.cases
    hinge = answer.hinge
    if hinge is None:
        return Finding(
            question.text,
            _unanswered(answer),
            answer.status,
            source=question.source,
            published=published,
            leads=question.leads,
        )
    words = [words_of(case) for case in cases]
    scope = () if answer.scope is None else (scope_text(answer.scope),)
    return Finding(
        question=question.text,
        answer=_all_in_one(question, cases, words),
        status=answer.status,
        confidence=hinge.confidence,
        comparison=hinge.ratio if len(cases) == 1 else None,
        cases=tuple(_evidence(question, case, of) for case, of in zip(cases, words, strict=True)),
        sensitivity=(*_sensitivity(answer, hinge), *scope),
        source=question.source,
        published=published,
        leads=question.leads,
    )


def brief_text(answer: Answer) -> str:
    """An answer without advice; of many cases how many came out how."""
    if not answer.cases:
        return _unanswered(answer)
    words = [words_of(case) for case in answer.cases]
    labels = [label_text(case.label, " ") for case in answer.cases]
    if len(words) <= _FEW:
        return "; ".join(
            f"{one.answer}{f' ({label})' if label else ''}"
            for one, label in zip(words, labels, strict=True)
        )
    groups: dict[str, list[CaseResult]] = {}
    for one, case in zip(words, answer.cases, strict=True):
        groups.setdefault(one.name, []).append(case)
    return ", ".join(f"{name} ({_counted(group)})" for name, group in groups.items())


def _counted(cases: Sequence[CaseResult]) -> str:
    """How many cases, and from where to where their ratios are: `3 cases, 1.36x to 1.57x`."""
    ends = range_text(cases)
    return f"{count_text(len(cases), 'case', 'cases')}{f', {ends}' if ends else ''}"


def _unanswered(answer: Answer) -> str:
    if answer.unanswerable is Unanswerable.LACKING:
        return f"not answerable here: requires {', '.join(map(lacking_text, answer.lacking))}"
    reason = answer.unanswerable or Unanswerable.NOT_MEASURED
    if reason is not Unanswerable.NOT_MEASURED:
        return _UNANSWERABLE[reason]
    axis = getattr(answer.question.rule, "axis", "")
    if axis:
        return f"not answered: this run measured too few values of {axis}"
    if isinstance(answer.question.rule, BestRule):
        return "not answered: this run has no two results to compare"
    if len(selectors_of(answer.question.rule)) == 1:
        return "not answered: it was not measured in this run"
    return "not answered: candidate or baseline was not measured in this run"


def _sensitivity(answer: Answer, hinge: CaseResult) -> tuple[str, ...]:
    """What would change the case that is least sure."""
    texts = tuple(map(sensitivity_text, hinge.sensitivity))
    if hinge.label and len(answer.cases) > 1:
        return tuple(f"{label_text(hinge.label, ' ')}: {text}" for text in texts)
    return texts


def _evidence(question: Question, case: CaseResult, words: CaseWords) -> CaseEvidence:
    points, low, high = None, 0.0, 0.0
    if case.trial is not None and case.trial.of_shares:
        between = difference_of(case.trial)
        points, low, high = between.value, between.low, between.high
    return CaseEvidence(
        answer=words.answer,
        status=AnswerStatus.DECIDED if case.decided else AnswerStatus.INCONCLUSIVE,
        confidence=case.confidence,
        label=label_text(case.label, " "),
        advice=words.advice,
        decision=words.advice if isinstance(case.outcome, BetterOutcome) else "",
        settings=case.settings,
        chosen=_chosen(case),
        ranking=_ranking(case),
        evidence=words.evidence + _ALONE * question.tested_alone,
        details=words.details,
        reasons=_reasons(case),
        setting=words.setting,
        comparison=case.ratio,
        points=points,
        points_low=low,
        points_high=high,
        launches=case.launches,
        margin=case.to_bound,
        doubts=tuple(map(doubt_text, case.doubts)),
        sensitivity=tuple(map(sensitivity_text, case.sensitivity)),
    )


def _reasons(case: CaseResult) -> tuple[str, ...]:
    return reason_texts(case.reasons, case.trial.comparison.verdict) if case.trial else ()


def _chosen(case: CaseResult) -> dict[str, str]:
    outcome = case.outcome
    if not isinstance(outcome, BestOutcome) or not (case.decided or outcome.keep):
        return {}
    return _by_name(outcome.keep or outcome.best)


def _ranking(case: CaseResult) -> Ranking | None:
    outcome = case.outcome
    if not isinstance(outcome, BestOutcome):
        return None
    behind = (t.against for t in outcome.trials if t.against not in outcome.tied)
    return Ranking(
        _by_name(outcome.best), tuple(map(_by_name, outcome.tied)), tuple(map(_by_name, behind))
    )


def _by_name(label: Label) -> dict[str, str]:
    return {name: str(value) for name, value in label}


def _all_in_one(question: Question, cases: Sequence[CaseResult], words: Sequence[CaseWords]) -> str:
    """One answer for all cases: those that came out the same together, decided ones first, with
    the advice at the end where it is the same for all.
    """
    labels = [label_text(case.label, " ") for case in cases]
    if len(cases) == 1:
        return f"{labels[0]}: {words[0].sentence}" if labels[0] else words[0].sentence
    groups: dict[tuple[bool, str], list[int]] = {}
    for number, (case, of) in enumerate(zip(cases, words, strict=True)):
        groups.setdefault((not case.decided, of.name), []).append(number)
    advice_of_all = {of.advice for of in words if all(case.decided for case in cases)}
    common = advice_of_all.pop() if len(advice_of_all) == 1 else ""
    parts = []
    for (_, name), members in sorted(groups.items(), key=lambda group: group[0][0]):
        which = cases_text([labels[n] for n in members], len(cases), len(question.each))
        numbers = _group_numbers([cases[n] for n in members], words[members[0]])
        advice = words[members[0]].advice
        own = f" ({advice})" if advice and advice != common else ""
        parts.append(f"{name} for {which}{f', {numbers}' if numbers else ''}{own}")
    return "; ".join(parts) + (f": {common}" if common else "")


def _group_numbers(cases: Sequence[CaseResult], first: CaseWords) -> str:
    """Of one case its numbers; of several from where to where their ratios are."""
    return first.numbers if len(cases) == 1 else range_text(cases)
