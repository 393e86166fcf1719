"""Findings made up for tests: questions with answers, and cases that they rest on."""

from __future__ import annotations

from machmeter.model.results.comparison import Comparison
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding


def made_up_finding(
    question: str,
    answer: str,
    evidence: str = "",
    details: tuple[str, ...] = (),
    *,
    comparison: Comparison | None = None,
    status: AnswerStatus = AnswerStatus.INCONCLUSIVE,
    source: str = "",
) -> Finding:
    """A finding of one case."""
    case = CaseEvidence(
        answer,
        status,
        Confidence.NONE,
        evidence=evidence,
        details=details,
        comparison=comparison,
    )
    return Finding(question, answer, status, comparison=comparison, cases=(case,), source=source)
