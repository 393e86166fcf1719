"""Findings in the order in which a person asks for them."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Confidence,
    Finding,
    PublishedAnswer,
)
from machmeter.text.findings import (
    beside_text,
    changes_text,
    common_changes,
    confidence_text,
    counted_text,
    findings_first_decided,
    told_one_by_one,
    undecidable_text,
    worth,
)
from tests.support.synthetic.run import make_run

MIXED = replace(
    make_run(),
    findings=(
        Finding(
            "a?", "this machine cannot decide: one core", "", standing=AnswerStatus.UNDECIDABLE
        ),
        Finding("b?", "not resolved", "", standing=AnswerStatus.UNRESOLVED),
        Finding("c?", "yes", "", standing=AnswerStatus.DECIDED),
        Finding("d?", "no", "", standing=AnswerStatus.DECIDED),
    ),
)


def test_what_was_decided_comes_first_and_keeps_its_order() -> None:
    assert [f.question for f in findings_first_decided(MIXED)] == ["c?", "d?", "b?", "a?"]


def test_what_cannot_be_decided_is_counted_not_told() -> None:
    assert [f.question for f in told_one_by_one(MIXED)] == ["c?", "d?", "b?"]
    assert undecidable_text(MIXED).startswith("1 question cannot be decided")
    assert undecidable_text(replace(MIXED, findings=MIXED.findings[1:])) == ""


def of_ratio(question: str, ratio: float, advice: str = "do it") -> Finding:
    comparison = Comparison(
        ratio, ratio * 0.99, ratio * 1.01, True, 9.0, 1e-6, ComparisonVerdict.FASTER
    )
    ground = CaseEvidence(
        "yes", AnswerStatus.DECIDED, Confidence.SURE, advice=advice, comparison=comparison
    )
    return Finding(question, "yes", "", standing=AnswerStatus.DECIDED, grounds=(ground,))


def of_points(question: str, points: float) -> Finding:
    ground = CaseEvidence(
        "no", AnswerStatus.DECIDED, Confidence.LIKELY, advice="do it", points=points
    )
    return Finding(question, "no", "", standing=AnswerStatus.DECIDED, grounds=(ground,))


def test_decisions_are_ordered_by_what_they_are_worth() -> None:
    findings = (
        of_ratio("same?", 1.005),
        of_ratio("little?", 1.1),
        of_ratio("loss?", 0.2),
        of_points("points?", -0.7),
        of_ratio("nothing to do?", 50.0, advice=""),
        of_ratio("gain?", 4.0),
        *MIXED.findings,
    )
    ordered = [f.question for f in findings_first_decided(replace(MIXED, findings=findings))]
    assert ordered[:4] == ["loss?", "gain?", "points?", "little?"]
    assert ordered[-3:] == ["same?", "b?", "a?"]
    assert ordered.index("nothing to do?") > ordered.index("little?")


def test_a_gain_and_a_loss_of_the_same_size_are_worth_the_same() -> None:
    gain, loss = worth(of_ratio("gain?", 5.0)), worth(of_ratio("loss?", 0.2))
    assert abs(gain - loss) < 1e-12
    assert worth(Finding("a?", "", "")) == 0


def test_questions_are_counted() -> None:
    assert counted_text(MIXED) == (
        "2 of 4 questions decided, 1 not resolved, 1 cannot be decided here"
    )


def test_a_published_machine_stands_beside_what_was_found() -> None:
    beside = PublishedAnswer(
        "m", "Machine", 2010, "far, 14.6x", "near, 1.02x [0.99, 1.05]", "Somebody 2010"
    )
    assert beside_text(beside) == "Machine 2010: far, 14.6x; here near, 1.02x [0.99, 1.05]"
    flagged = replace(beside, case="write", flag="contradicted")
    assert beside_text(flagged, sourced=True) == (
        "Machine 2010, write: far, 14.6x (mind: contradicted); here near, 1.02x [0.99, 1.05] "
        "(Somebody 2010)"
    )


def test_what_would_change_many_is_told_once() -> None:
    findings = [
        Finding(
            f"{i}?", "yes", "", standing=AnswerStatus.DECIDED, would_change=(f"its own {i}", "all")
        )
        for i in range(3)
    ]
    common = common_changes(findings)
    assert [one.text for one in common] == ["What would change 1, 2 and 3: all"]
    assert common_changes(findings[:2]) == ()
    assert changes_text(findings[0], common) == "What would change it: its own 0"
    assert changes_text(replace(findings[0], would_change=("all",)), common) == ""
    open_one = replace(findings[0], standing=AnswerStatus.UNRESOLVED)
    assert changes_text(open_one, common) == "What would decide it: its own 0; all"
    lacking = replace(MIXED.findings[0], would_change=("cores: 4 needed, 2 here",))
    assert changes_text(lacking) == "What it lacks: cores: 4 needed, 2 here"


def test_a_word_is_told_with_its_doubts() -> None:
    assert confidence_text(CaseEvidence("yes", AnswerStatus.DECIDED, Confidence.SURE)) == "sure"
    doubted = CaseEvidence("yes", AnswerStatus.DECIDED, Confidence.LIKELY, doubts=("one", "two"))
    assert confidence_text(doubted) == "likely: one; two"
    assert not confidence_text(CaseEvidence("yes", AnswerStatus.DECIDED, Confidence.NONE))
