"""Questions put to results, with the answers in words."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.plan.question import Question
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Finding
from machmeter.text.findings.answers import finding_of

NOTHING_KNOWN = TopologyFacts({}, {})


def findings(
    questions: Sequence[Question],
    estimates: Sequence[Estimate],
    facts: TopologyFacts = NOTHING_KNOWN,
) -> tuple[Finding, ...]:
    """The finding for each question."""
    return tuple(map(finding_of, answers(questions, estimates, facts)))


def finding(
    question: Question, estimates: Sequence[Estimate], facts: TopologyFacts = NOTHING_KNOWN
) -> Finding:
    """The finding for one question."""
    (found,) = findings((question,), estimates, facts)
    return found
