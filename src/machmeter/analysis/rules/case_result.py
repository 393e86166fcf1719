"""Findings of rules that tell of a whole curve, or of all pairs, rather than of two sides."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.labels import cases_listed
from machmeter.analysis.stats.confidence import Clearance, graded_decided
from machmeter.model.plan.study import Question
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding

SIGNIFICANCE = 0.05
_SURENESS = (
    Confidence.OPEN,
    Confidence.NONE,
    Confidence.PRINTED,
    Confidence.LIKELY,
    Confidence.SURE,
)


class Told(Struct, frozen=True):
    """What came out for one value of a question's `each`.

    name: the outcome, the same for cases that came out the same; figures: what stands behind it;
    advice: what to do; decided: False where the interval leaves it open; evidence, parts: further
    figures; comparison: the ratio that the words are about, where there is one; clearance: the
    one of several that is least sure, where that can be said; would_change: what would change it.
    """

    name: str
    figures: str = ""
    advice: str = ""
    decided: bool = True
    evidence: str = ""
    parts: tuple[str, ...] = ()
    comparison: Comparison | None = None
    clearance: Clearance | None = None
    would_change: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The outcome and its figures."""
        return ", ".join(part for part in (self.name, self.figures) if part)

    @property
    def text(self) -> str:
        """The outcome as a sentence; what to do comes after the last colon."""
        return f"{self.said}: {self.advice}" if self.advice else self.said


def finding_told(question: Question, cases: Sequence[tuple[str, Told]]) -> Finding:
    """The finding that `cases` make: an outcome for each label, one without a label if alone."""
    decided = any(told.decided for _, told in cases)
    standing = AnswerStatus.DECIDED if decided else AnswerStatus.UNRESOLVED
    if len(cases) == 1:
        label, told = cases[0]
        answer = f"{label}: {told.text}" if label else told.text
        evidence, parts = told.evidence, told.parts
    else:
        answer = _in_one(question, cases)
        evidence = "; ".join(f"{label}: {told.evidence}" for label, told in cases if told.evidence)
        parts = tuple(
            f"{label}: {line}" for label, told in cases for line in (told.text, *told.parts)
        )
    shown = cases[0][1].comparison if len(cases) == 1 else None
    found = Finding(question.text, answer, evidence, shown, parts, question.source, standing)
    return with_grounds(found, [_ground(label, told) for label, told in cases])


def with_grounds(finding: Finding, grounds: Sequence[CaseEvidence]) -> Finding:
    """The finding with its grounds, and the confidence of the decided case that is least sure.

    What would change it is what would change that case; of cases that are as sure, the one whose
    interval ends nearest to where the answer would be another.
    """
    decided = [ground for ground in grounds if ground.standing is AnswerStatus.DECIDED]
    told = decided or list(grounds)
    hinge = min(told, key=lambda ground: (_SURENESS.index(ground.confidence), ground.room))
    changes = hinge.would_change
    if hinge.label and len(grounds) > 1:
        changes = tuple(f"{hinge.label}: {change}" for change in changes)
    return replace(
        finding, grounds=tuple(grounds), confidence=hinge.confidence, would_change=changes
    )


def _ground(label: str, told: Told) -> CaseEvidence:
    standing = AnswerStatus.DECIDED if told.decided else AnswerStatus.UNRESOLVED
    confidence, doubts = _graded(told)
    return CaseEvidence(
        told.said,
        standing,
        confidence,
        label,
        told.advice,
        told.comparison,
        launches=told.clearance.launches if told.clearance else 0,
        room=told.clearance.room if told.clearance else 0.0,
        doubts=doubts,
        would_change=told.would_change,
    )


def _graded(told: Told) -> tuple[Confidence, tuple[str, ...]]:
    if not told.decided:
        return Confidence.OPEN, ("the intervals hold more than one answer",)
    if told.clearance is None:
        # Each of its steps was shown by a 95 % interval; the whole has no p value.
        return Confidence.LIKELY, ("shown step by step, at 95 % each",)
    return graded_decided(told.clearance)


def _in_one(question: Question, cases: Sequence[tuple[str, Told]]) -> str:
    """Cases that came out the same together, with the advice at the end where it is but one."""
    groups: dict[str, list[tuple[str, Told]]] = {}
    for label, told in cases:
        groups.setdefault(told.name, []).append((label, told))
    advice = list(dict.fromkeys(told.advice for _, told in cases if told.advice))
    alone = len(advice) == 1 and all(told.advice for _, told in cases)
    said = []
    for name, group in groups.items():
        figures = f", {group[0][1].figures}" if len(group) == 1 and group[0][1].figures else ""
        what = group[0][1].advice
        in_brackets = f" ({what})" if what and not alone else ""
        labels = cases_listed([label for label, _ in group], len(cases), question.each)
        said.append(f"{name} for {labels}{figures}{in_brackets}")
    return "; ".join(said) + (f": {advice[0]}" if alone else "")
