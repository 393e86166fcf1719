"""Findings in the order in which a person reads them, and the lines below each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from machmeter.analysis.stats.comparison import MARGIN
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Confidence,
    Finding,
    PublishedAnswer,
)
from machmeter.model.results.run import RunResult
from machmeter.text.numbers import count_text
from machmeter.text.plain import capitalized

_LITTLE = math.log1p(MARGIN)
_STATED_EACH = 2
_UNDECIDABLE = 4


class RunFindings(Struct, frozen=True):
    """What `machmeter findings --json` prints: the findings of a run, decisions first."""

    run: str
    """ID of the run."""
    host: str
    """Host it was measured on."""
    findings: tuple[Finding, ...]
    """Its findings, decisions first."""
    one_machine: str | UnsetType = UNSET
    """As `one_machine_text`; left out where that is empty."""


def by_importance(result: RunResult) -> tuple[Finding, ...]:
    """Decided ones first, then inconclusive ones, then those that are not answerable here.

    What the run was made to compare comes before all others. Of the decided, those with advice come
    first and those that found no difference last; each by what they are worth (`worth`), and of
    equal worth as the study asks.
    """
    return tuple(sorted(result.findings, key=rank))


def rank(finding: Finding) -> tuple[bool, int, float]:
    """The place of a finding among others, the smallest first (`by_importance`)."""
    group = _group(finding)
    return not finding.leads or group == _UNDECIDABLE, group, -worth(finding)


def worth(finding: Finding) -> float:
    """How much depends on an answer: the distance of its ratio from 1, as a log, or its points.

    Of several decided cases the most; 0 where none has a ratio.
    """
    decided = (case for case in finding.cases if case.status is AnswerStatus.DECIDED)
    return max((abs(_distance(case)) for case in decided), default=0.0)


def _group(finding: Finding) -> int:
    if finding.status is AnswerStatus.UNDECIDABLE:
        return _UNDECIDABLE
    if finding.status is AnswerStatus.INCONCLUSIVE:
        return 3
    decided = [case for case in finding.cases if case.status is AnswerStatus.DECIDED]
    weighed = [case for case in decided if case.comparison is not None or case.points is not None]
    if decided and len(weighed) == len(decided) and worth(finding) <= _LITTLE:
        return 2
    return 0 if any(case.advice for case in decided) else 1


def _distance(case: CaseEvidence) -> float:
    if case.points is not None:
        return case.points
    ratio = case.comparison.ratio if case.comparison else 1.0
    return math.log(ratio) if ratio > 0 else 0.0


def answered(result: RunResult) -> tuple[Finding, ...]:
    """Findings that say something about this machine, by importance."""
    return tuple(f for f in by_importance(result) if f.status is not AnswerStatus.UNDECIDABLE)


def unanswerable_text(result: RunResult) -> str:
    """How many questions are not answerable here; empty where none."""
    count = sum(f.status is AnswerStatus.UNDECIDABLE for f in result.findings)
    if not count:
        return ""
    verb = "is" if count == 1 else "are"
    questions = count_text(count, "question", "questions")
    return f"{questions} {verb} not answerable here: `machmeter findings --all` shows why"


def counted_text(result: RunResult) -> str:
    """How many questions were answered: `12 of 15 questions decided, 2 inconclusive`."""
    statuses = [finding.status for finding in result.findings]
    counts = {status: statuses.count(status) for status in AnswerStatus}
    decided = counts.pop(AnswerStatus.DECIDED)
    others = [f"{count} {status.value}" for status, count in counts.items() if count]
    questions = count_text(len(statuses), "question", "questions")
    return ", ".join([f"{decided} of {questions} decided", *others])


def one_machine_text(result: RunResult) -> str:
    """That the nodes of a run were one machine; empty where they were machines of their own."""
    kind = CaveatKind.ONE_MACHINE
    return next((capitalized(one.text) for one in result.caveats if one.kind is kind), "")


def detail_lines(finding: Finding) -> tuple[str, ...]:
    """What is behind an answer, one a line: of several cases each, of one its details."""
    if len(finding.cases) == 1:
        case = finding.cases[0]
        return (*case.details, *case.reasons)
    return tuple(f"{case.label}: {_sentence(case)}" for case in finding.cases)


def evidence_text(finding: Finding) -> str:
    """The results that an answer compares."""
    if len(finding.cases) == 1:
        return finding.cases[0].evidence
    return "; ".join(f"{case.label}: {case.evidence}" for case in finding.cases if case.evidence)


def _sentence(case: CaseEvidence) -> str:
    return f"{case.answer}: {case.advice}" if case.advice else case.answer


def published_text(one: PublishedAnswer, *, sourced: bool = False) -> str:
    """What is published next to what was measured, with the flag of contradicted numbers.

    sourced: with where it is printed.
    """
    case = f", {one.case}" if one.case else ""
    flag = f" (caveat: {one.flag})" if one.flag else ""
    source = f" ({one.source})" if sourced else ""
    measured = f"; here: {one.measured}" if one.measured else ""
    return f"{one.title} {one.year}{case}: {one.published}{flag}{measured}{source}"


def confidence_text(case: CaseEvidence) -> str:
    """The grade, and why it is no higher: `likely: only 6 launches (10 required)`."""
    if case.confidence is Confidence.NONE:
        return ""
    doubts = "; ".join(case.doubts)
    return f"{case.confidence.value}: {doubts}" if doubts else case.confidence.value


def open_reason(case: CaseEvidence) -> str:
    """Why a case is inconclusive whose interval excludes 1; empty for others, which show it."""
    ratio = case.comparison
    if (
        case.status is not AnswerStatus.INCONCLUSIVE
        or ratio is None
        or ratio.low <= 1 <= ratio.high
    ):
        return ""
    return "; ".join(case.doubts)


class CommonChange(Struct, frozen=True):
    """One sensitivity that several findings of one status share."""

    status: AnswerStatus
    """Of those findings."""
    change: str
    """The sensitivity as text."""
    numbers: tuple[int, ...]
    """The findings, from 1 on."""

    @property
    def text(self) -> str:
        """One line for all of them."""
        *first, last = map(str, self.numbers)
        return f"Findings {', '.join(first)} and {last}: {self.change}"


def common_changes(findings: Sequence[Finding]) -> tuple[CommonChange, ...]:
    """Sensitivities that three findings or more share, stated once rather than below each."""
    numbers: dict[tuple[AnswerStatus, str], list[int]] = {}
    for number, finding in enumerate(findings, 1):
        for change in dict.fromkeys(finding.sensitivity):
            numbers.setdefault((finding.status, change), []).append(number)
    return tuple(
        CommonChange(status, change, tuple(of))
        for (status, change), of in numbers.items()
        if len(of) > _STATED_EACH
    )


def changes_text(finding: Finding, common: Sequence[CommonChange] = ()) -> str:
    """What would change a decided answer, or what it takes to decide; empty where unknown.

    common: what is stated elsewhere for several findings, and left out here.
    """
    stated = {one.change for one in common if one.status is finding.status}
    changes = [change for change in finding.sensitivity if change not in stated]
    text = "; ".join(changes)
    # The name of a case begins as it does everywhere.
    return text if len(finding.cases) > 1 else f"{text[:1].upper()}{text[1:]}"
