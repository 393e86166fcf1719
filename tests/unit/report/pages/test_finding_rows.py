"""A finding is a row: its decision, its ratio, and how sure it is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding
from machmeter.report.drawing.row_plot import PlotRow, Shape, Weight
from machmeter.report.pages.finding_rows import MOST_DECIDED, MOST_OPEN, NO_RATIO, finding_plot


def ratio(value: float, low: float, high: float) -> Comparison:
    return Comparison(value, low, high, True, 12, 0.01, ComparisonVerdict.FASTER)


def decided(confidence: Confidence = Confidence.SURE) -> Finding:
    case = CaseEvidence(
        "yes",
        AnswerStatus.DECIDED,
        confidence,
        decision="use `stores`",
        evidence="45 GB/s against 31 GB/s",
        comparison=ratio(1.44, 1.28, 1.62),
        doubts=("only 6 launches",),
    )
    return Finding(
        "Do stores matter?", "yes", AnswerStatus.DECIDED, confidence, case.comparison, (case,)
    )


OPEN = Finding(
    "Do pages matter?",
    "inconclusive",
    AnswerStatus.INCONCLUSIVE,
    Confidence.OPEN,
    cases=(
        CaseEvidence(
            "inconclusive",
            AnswerStatus.INCONCLUSIVE,
            Confidence.OPEN,
            comparison=ratio(1.02, 0.9, 1.1),
        ),
    ),
    sensitivity=("about 24 launches needed",),
)


def rows_of(*findings: Finding) -> list[PlotRow]:
    plot = finding_plot(findings)
    return [row for group in plot.groups for row in group.rows] if plot else []


def test_a_decision_is_an_imperative_with_its_ratio_and_evidence() -> None:
    (row,) = rows_of(decided())
    assert row.label == "Use `stores`"
    assert (row.value, row.interval) == ("1.44x", "[1.28, 1.62]")
    assert (row.verdict, row.weight) == ("clear", Weight.CLEAR)
    assert row.detail == "45 GB/s against 31 GB/s"
    assert row.address == "#finding-1"


def test_likely_stands_only_with_its_reason() -> None:
    (row,) = rows_of(decided(Confidence.LIKELY))
    assert row.verdict == "likely"
    assert "only 6 launches" in row.detail
    assert "only 6 launches" not in rows_of(decided())[0].detail


def test_an_open_question_comes_last_hollow_with_what_would_decide_it() -> None:
    first, last = rows_of(OPEN, decided())
    assert first.weight is Weight.CLEAR
    assert last.label == "Do pages matter?"
    assert last.marks[0].shape is Shape.HOLLOW
    assert "24 launches needed" in last.detail
    assert last.address == "#finding-1"


@pytest.mark.parametrize(("low", "said"), [(0.9, False), (1.04, True)])
def test_an_inconclusive_interval_without_1_says_why(low: float, *, said: bool) -> None:
    case = replace(OPEN.cases[0], comparison=ratio(1.3, low, 1.6), doubts=("p = 12 %",))
    (row,) = rows_of(replace(OPEN, cases=(case,)))
    assert ("p = 12 %" in row.detail) is said


def test_several_cases_are_one_row_with_a_mark_each() -> None:
    cases = [
        CaseEvidence(
            "yes", AnswerStatus.DECIDED, Confidence.SURE, comparison=ratio(r, r - 0.1, r + 0.1)
        )
        for r in (1.3, 1.6)
    ]
    several = Finding(
        "Where?", "everywhere", AnswerStatus.DECIDED, Confidence.SURE, cases=tuple(cases)
    )
    (row,) = rows_of(several)
    assert (row.label, row.value) == ("Where?", "1.30x to 1.60x")
    assert row.detail == "everywhere"
    assert len(row.marks) == 2


def test_of_many_some_are_shown_and_all_are_counted() -> None:
    plot = finding_plot([decided()] * 9 + [OPEN] * 5)
    assert plot
    assert [len(group.rows) for group in plot.groups] == [MOST_DECIDED, MOST_OPEN]
    assert plot.groups[1].title == f"5 open questions, {MOST_OPEN} here, all below"
    assert "of 9 decisions" in plot.note


def test_without_an_answer_there_is_no_plot() -> None:
    assert finding_plot([]) is None


def test_findings_without_a_ratio_have_no_axis() -> None:
    case = CaseEvidence("no", AnswerStatus.DECIDED, Confidence.SURE, decision="keep the limits")
    found = Finding("Is it?", "no", AnswerStatus.DECIDED, Confidence.SURE, cases=(case,))
    plot = finding_plot([found])
    assert plot
    assert (plot.axis.ticks, plot.axis.references, plot.value_heading) == ((), (), "")
    mixed = finding_plot([found, decided()])
    assert mixed
    assert [row.value for row in mixed.groups[0].rows] == [NO_RATIO, "1.44x"]
