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
from machmeter.text.findings.order import (
    answered,
    by_importance,
    changes_text,
    common_changes,
    confidence_text,
    counted_text,
    published_text,
    unanswerable_text,
    worth,
)
from tests.support.synthetic.run import make_run

MIXED = replace(
    make_run(),
    findings=(
        Finding("a?", "not answerable here: one core", AnswerStatus.UNDECIDABLE),
        Finding("b?", "inconclusive", AnswerStatus.INCONCLUSIVE),
        Finding("c?", "yes", AnswerStatus.DECIDED),
        Finding("d?", "no", AnswerStatus.DECIDED),
    ),
)


def test_what_was_decided_comes_first_and_keeps_its_order() -> None:
    assert [f.question for f in by_importance(MIXED)] == ["c?", "d?", "b?", "a?"]


def test_what_a_run_was_made_to_compare_comes_before_all_others() -> None:
    leading = tuple(replace(f, leads=f.question in {"a?", "b?"}) for f in MIXED.findings)
    ordered = by_importance(replace(MIXED, findings=leading))
    assert [f.question for f in ordered] == ["b?", "c?", "d?", "a?"]


def test_what_is_not_answerable_is_counted() -> None:
    assert [f.question for f in answered(MIXED)] == ["c?", "d?", "b?"]
    assert unanswerable_text(MIXED).startswith("1 question is not answerable here")
    assert unanswerable_text(replace(MIXED, findings=MIXED.findings[1:])) == ""


def of_ratio(question: str, ratio: float, advice: str = "do it") -> Finding:
    comparison = Comparison(
        ratio, ratio * 0.99, ratio * 1.01, True, 9.0, 1e-6, ComparisonVerdict.FASTER
    )
    case = CaseEvidence(
        "yes", AnswerStatus.DECIDED, Confidence.SURE, advice=advice, comparison=comparison
    )
    return Finding(question, "yes", AnswerStatus.DECIDED, cases=(case,))


def of_points(question: str, points: float) -> Finding:
    case = CaseEvidence(
        "no", AnswerStatus.DECIDED, Confidence.LIKELY, advice="do it", points=points
    )
    return Finding(question, "no", AnswerStatus.DECIDED, cases=(case,))


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
    ordered = [f.question for f in by_importance(replace(MIXED, findings=findings))]
    assert ordered[:4] == ["loss?", "gain?", "points?", "little?"]
    assert ordered[-3:] == ["same?", "b?", "a?"]
    assert ordered.index("nothing to do?") > ordered.index("little?")


def test_a_gain_and_a_loss_of_the_same_size_are_worth_the_same() -> None:
    gain, loss = worth(of_ratio("gain?", 5.0)), worth(of_ratio("loss?", 0.2))
    assert abs(gain - loss) < 1e-12
    assert worth(Finding("a?", "")) == 0


def test_questions_are_counted() -> None:
    assert counted_text(MIXED) == (
        "2 of 4 questions decided, 1 inconclusive, 1 not answerable here"
    )


def test_a_published_answer_is_shown_with_what_was_found() -> None:
    published = PublishedAnswer(
        "m", "Machine", 2010, "far, 14.6x", "near, 1.02x [0.99, 1.05]", "Somebody 2010"
    )
    text = "Machine 2010: far, 14.6x; here: near, 1.02x [0.99, 1.05]"
    assert published_text(published) == text
    flagged = replace(published, case="write", flag="contradicted")
    assert published_text(flagged, sourced=True) == (
        "Machine 2010, write: far, 14.6x (caveat: contradicted); here: near, 1.02x [0.99, 1.05] "
        "(Somebody 2010)"
    )


def test_what_would_change_many_is_stated_once() -> None:
    findings = [
        Finding(f"{i}?", "yes", AnswerStatus.DECIDED, sensitivity=(f"its own {i}", "all"))
        for i in range(3)
    ]
    common = common_changes(findings)
    assert [one.text for one in common] == ["Findings 1, 2 and 3: all"]
    assert common_changes(findings[:2]) == ()
    assert changes_text(findings[0], common) == "Its own 0"
    assert changes_text(replace(findings[0], sensitivity=("all",)), common) == ""
    open_one = replace(findings[0], status=AnswerStatus.INCONCLUSIVE)
    assert changes_text(open_one, common) == "Its own 0; all"


def test_a_confidence_is_shown_with_its_doubts() -> None:
    assert confidence_text(CaseEvidence("yes", AnswerStatus.DECIDED, Confidence.SURE)) == "sure"
    doubted = CaseEvidence("yes", AnswerStatus.DECIDED, Confidence.LIKELY, doubts=("one", "two"))
    assert confidence_text(doubted) == "likely: one; two"
    assert not confidence_text(CaseEvidence("yes", AnswerStatus.DECIDED, Confidence.NONE))
