"""Findings as rows: the decision, its ratio with interval and confidence, and the ratio drawn."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.comparison import Comparison
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding
from machmeter.report.drawing.row_axis import ratio_axis
from machmeter.report.drawing.row_plot import (
    Mark,
    PlotRow,
    RowAxis,
    RowGroup,
    RowPlot,
    Shape,
    Weight,
    ends_of,
)
from machmeter.text.findings.order import changes_text, open_reason
from machmeter.text.numbers import count_text, points_parts
from machmeter.text.plain import capitalized, plain
from machmeter.text.ratios import bounded_ratio_text, comparison_parts, times_text

MOST_DECIDED = 6
MOST_OPEN = 2
NO_RATIO = "no ratio"
_WORDS = {
    Confidence.SURE: ("clear", Weight.CLEAR),
    Confidence.LIKELY: ("likely", Weight.LIKELY),
    Confidence.OPEN: ("inconclusive", Weight.INCONCLUSIVE),
    Confidence.PUBLISHED: ("published", Weight.PLAIN),
    Confidence.SIMULATED: ("simulated", Weight.PLAIN),
    Confidence.NONE: ("", Weight.PLAIN),
}


def finding_plot(findings: Sequence[Finding], *, alone: bool = False) -> RowPlot | None:
    """The first decisions, then the first open questions; None where there is neither.

    findings: in the order of the page, where each has the anchor `finding-N`; alone: that page is
    another one.
    """
    whole = "all on the page of the run" if alone else "all below"
    numbered = list(enumerate(findings, 1))
    decided = [(n, f) for n, f in numbered if f.status is AnswerStatus.DECIDED]
    still_open = [(n, f) for n, f in numbered if f.status is AnswerStatus.INCONCLUSIVE]
    groups = []
    if decided:
        groups.append(RowGroup(tuple(_row(n, f, alone) for n, f in decided[:MOST_DECIDED])))
    if still_open:
        rows = tuple(_row(n, f, alone) for n, f in still_open[:MOST_OPEN])
        count = count_text(len(still_open), "open question", "open questions")
        shown = f", {MOST_OPEN} here, {whole}" if len(still_open) > MOST_OPEN else ""
        groups.append(RowGroup(rows, f"{count}{shown}"))
    if not groups:
        return None
    marks = [mark for group in groups for row in group.rows for mark in row.marks]
    simulated = any(finding.confidence is Confidence.SIMULATED for finding in findings)
    return RowPlot(
        "findings",
        "Ratio of the first choice over the second; right of 1x is better"
        if marks
        else "Decisions",
        "Decision and evidence",
        ("Ratio [error band]" if simulated else "Ratio [95 %]") if marks else "",
        ratio_axis(ends_of(marks)) if marks else RowAxis(0.0, 1.0, ()),
        tuple(groups),
        _note(len(decided), whole),
    )


def _note(decided: int, whole: str) -> str:
    if decided <= MOST_DECIDED:
        return ""
    return f"{MOST_DECIDED} of {decided} decisions, those that matter most; {whole}."


def _row(number: int, finding: Finding, alone: bool) -> PlotRow:
    lone = finding.cases[0] if len(finding.cases) == 1 else None
    value, interval = _value(finding, lone)
    word, weight = _WORDS[finding.confidence]
    decision = lone.decision if lone else ""
    return PlotRow(
        label=plain(capitalized(decision) or finding.question, 200),
        value=value,
        marks=tuple(
            _mark(case.comparison, case.status)
            for case in finding.cases
            if case.comparison is not None and case.comparison.ratio > 0
        ),
        detail=plain("; ".join(_details(finding, lone, decision)), 600),
        interval=interval,
        verdict=word,
        weight=weight,
        address="" if alone else f"#finding-{number}",
    )


def _details(finding: Finding, lone: CaseEvidence | None, decision: str) -> list[str]:
    """What the decision rests on; of an open question what would decide it."""
    if finding.status is AnswerStatus.INCONCLUSIVE:
        # What follows the evidence stands within a sentence.
        changes = changes_text(finding)
        needed = f"{changes[:1].lower()}{changes[1:]}" if lone and lone.evidence else changes
        known = (lone.evidence, open_reason(lone)) if lone else ()
        return [one for one in (*known, needed) if one]
    shown = [finding.answer] * (not decision)
    if lone is not None:
        shown += [lone.evidence] * bool(lone.evidence)
        shown += lone.doubts * (lone.confidence is Confidence.LIKELY)
    return shown


def _value(finding: Finding, lone: CaseEvidence | None) -> tuple[str, str]:
    """The ratio and its interval; of several cases from where to where they are."""
    if lone is not None:
        if lone.points is not None:
            return points_parts(lone.points, lone.points_low, lone.points_high)
        if lone.comparison is None:
            return NO_RATIO, ""
        if not bounded_ratio_text(lone.comparison):
            return "", ""
        return comparison_parts(lone.comparison)
    ratios = [one.comparison.ratio for one in finding.cases if one.comparison]
    if len(ratios) < 2:
        return "" if ratios else NO_RATIO, ""
    return f"{times_text(min(ratios))} to {times_text(max(ratios))}", ""


def _mark(found: Comparison, status: AnswerStatus) -> Mark:
    bounded = found.is_bounded and found.low > 0
    shape = Shape.DOT if status is AnswerStatus.DECIDED else Shape.HOLLOW
    return Mark(found.ratio, found.low if bounded else None, found.high if bounded else None, shape)
