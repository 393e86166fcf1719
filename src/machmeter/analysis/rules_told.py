"""Findings of rules that tell of a whole curve, or of all pairs, rather than of two sides."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.rules_labels import cases_listed
from machmeter.model.estimate import Comparison, Finding, Standing
from machmeter.model.study import Question

SIGNIFICANCE = 0.05


class Told(Struct, frozen=True):
    """What came out for one value of a question's `each`.

    name: the outcome, the same for cases that came out the same; figures: what stands behind it;
    advice: what to do; decided: False where the interval leaves it open; evidence, parts: further
    figures; comparison: the ratio that the words are about, where there is one.
    """

    name: str
    figures: str = ""
    advice: str = ""
    decided: bool = True
    evidence: str = ""
    parts: tuple[str, ...] = ()
    comparison: Comparison | None = None

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
    standing = Standing.DECIDED if decided else Standing.UNRESOLVED
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
    return Finding(question.text, answer, evidence, shown, parts, question.source, standing)


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
