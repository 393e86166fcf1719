"""Findings in the order in which a person asks for them, and the lines that stand below each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.stats.comparison import MARGIN
from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Confidence,
    Finding,
    PublishedAnswer,
)
from machmeter.model.results.run import RunResult

_LITTLE = math.log1p(MARGIN)
_TOLD_EACH = 2


class RunFindings(Struct, frozen=True):
    """What `machmeter findings --json` prints: the findings of a run, decisions first."""

    run: str
    host: str
    findings: tuple[Finding, ...]


def findings_first_decided(result: RunResult) -> tuple[Finding, ...]:
    """Decided ones first, then those not resolved, then those this machine cannot decide.

    Of the decided, those with advice come first and those that found no difference last; each by
    what they are worth (`worth`), and of equal worth as the study asks.
    """
    return tuple(sorted(result.findings, key=rank))


def rank(finding: Finding) -> tuple[int, float]:
    """The place of a finding among others, the smallest first (`findings_first_decided`)."""
    return _group(finding), -worth(finding)


def worth(finding: Finding) -> float:
    """How much depends on an answer: the distance of its ratio from 1, as a log, or its points.

    Of several decided cases the most; 0 where none has a ratio.
    """
    return max(
        (abs(_distance(g)) for g in finding.grounds if g.standing is AnswerStatus.DECIDED),
        default=0.0,
    )


def _group(finding: Finding) -> int:
    if finding.standing is AnswerStatus.UNDECIDABLE:
        return 4
    if finding.standing is AnswerStatus.UNRESOLVED:
        return 3
    decided = [g for g in finding.grounds if g.standing is AnswerStatus.DECIDED]
    weighed = [g for g in decided if g.comparison is not None or g.points is not None]
    if decided and len(weighed) == len(decided) and worth(finding) <= _LITTLE:
        return 2
    return 0 if any(g.advice for g in decided) else 1


def _distance(ground: CaseEvidence) -> float:
    if ground.points is not None:
        return ground.points
    ratio = ground.comparison.ratio if ground.comparison else 1.0
    return math.log(ratio) if ratio > 0 else 0.0


def told_one_by_one(result: RunResult) -> tuple[Finding, ...]:
    """Findings that say something of this machine."""
    return tuple(
        f for f in findings_first_decided(result) if f.standing is not AnswerStatus.UNDECIDABLE
    )


def undecidable_text(result: RunResult) -> str:
    """How many questions this machine or run cannot decide, in words; empty where none."""
    count = sum(f.standing is AnswerStatus.UNDECIDABLE for f in result.findings)
    questions = "question" if count == 1 else "questions"
    return (
        f"{count} {questions} cannot be decided here; `machmeter findings --all` says why"
        if count
        else ""
    )


def counted_text(result: RunResult) -> str:
    """How many questions were decided and how many not: `12 of 15 questions decided, 1 open`."""
    standings = [finding.standing for finding in result.findings]
    of_all = f"{standings.count(AnswerStatus.DECIDED)} of {len(standings)} questions decided"
    unresolved = standings.count(AnswerStatus.UNRESOLVED)
    undecidable = standings.count(AnswerStatus.UNDECIDABLE)
    left = [
        text
        for count, text in (
            (unresolved, f"{unresolved} not resolved"),
            (undecidable, f"{undecidable} cannot be decided here"),
        )
        if count
    ]
    return ", ".join([of_all, *left])


def beside_text(beside: PublishedAnswer, *, sourced: bool = False) -> str:
    """What is published beside what was found here, with the flag of contradicted figures.

    sourced: with where it is printed.
    """
    case = f", {beside.case}" if beside.case else ""
    mind = f" (mind: {beside.flag})" if beside.flag else ""
    source = f" ({beside.source})" if sourced else ""
    return f"{beside.title} {beside.year}{case}: {beside.there}{mind}; here {beside.here}{source}"


def confidence_text(ground: CaseEvidence) -> str:
    """The word, and why it is no surer: `likely: 6 launches only, of the 10 it takes`."""
    if ground.confidence is Confidence.NONE:
        return ""
    doubts = "; ".join(ground.doubts)
    return f"{ground.confidence.value}: {doubts}" if doubts else ground.confidence.value


class CommonChange(Struct, frozen=True):
    """What would change several findings of one standing alike, by their numbers from 1 on."""

    standing: AnswerStatus
    change: str
    numbers: tuple[int, ...]

    @property
    def text(self) -> str:
        """`What would decide 2, 3 and 7: about 10 launches in all`."""
        *first, last = map(str, self.numbers)
        numbers = f"{', '.join(first)} and {last}"
        lead = {
            AnswerStatus.DECIDED: f"What would change {numbers}",
            AnswerStatus.UNRESOLVED: f"What would decide {numbers}",
            AnswerStatus.UNDECIDABLE: f"What {numbers} lack",
        }[self.standing]
        return f"{lead}: {self.change}"


def common_changes(findings: Sequence[Finding]) -> tuple[CommonChange, ...]:
    """What would change three findings or more alike, and is told once rather than below each."""
    numbers: dict[tuple[AnswerStatus, str], list[int]] = {}
    for number, finding in enumerate(findings, 1):
        for change in dict.fromkeys(finding.would_change):
            numbers.setdefault((finding.standing, change), []).append(number)
    return tuple(
        CommonChange(standing, change, tuple(of))
        for (standing, change), of in numbers.items()
        if len(of) > _TOLD_EACH
    )


def changes_text(finding: Finding, common: Sequence[CommonChange] = ()) -> str:
    """What would change a decided answer, or what it takes to decide; empty where unknown.

    common: what is said elsewhere of several findings, and left out here.
    """
    told = {one.change for one in common if one.standing is finding.standing}
    changes = [change for change in finding.would_change if change not in told]
    if not changes:
        return ""
    lead = {
        AnswerStatus.DECIDED: "What would change it",
        AnswerStatus.UNRESOLVED: "What would decide it",
        AnswerStatus.UNDECIDABLE: "What it lacks",
    }[finding.standing]
    return f"{lead}: {'; '.join(changes)}"
