"""Findings in the order in which a person asks for them."""

from __future__ import annotations

from machmeter.model.estimate import Finding, Standing
from machmeter.model.run import RunResult

_ORDER = tuple(Standing)


def findings_first_decided(result: RunResult) -> tuple[Finding, ...]:
    """The decided ones, then those not resolved, then those this machine cannot decide.

    Within each group they stand as the study asks.
    """
    return tuple(sorted(result.findings, key=lambda finding: _ORDER.index(finding.standing)))


def told_one_by_one(result: RunResult) -> tuple[Finding, ...]:
    """Findings that say something of this machine."""
    return tuple(
        f for f in findings_first_decided(result) if f.standing is not Standing.UNDECIDABLE
    )


def undecidable_text(result: RunResult) -> str:
    """How many questions this machine or run cannot decide, in words; empty where none."""
    count = sum(f.standing is Standing.UNDECIDABLE for f in result.findings)
    questions = "question" if count == 1 else "questions"
    return f"{count} {questions} cannot be decided here; the page says why" if count else ""
