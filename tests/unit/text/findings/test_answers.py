"""What is said of a question that has no answer."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.answer import Answer, Unanswerable
from machmeter.model.plan.question import BestRule, ConsistentRule, Question
from machmeter.studies.louhi.network import LOUHI
from machmeter.text.findings.answers import brief_text, finding_of


@pytest.mark.parametrize(
    ("beginning", "answer"),
    [
        ("At which message sizes", "this run measured too few values of size"),
        ("Does an asynchronous", "candidate or baseline was not measured in this run"),
    ],
)
def test_only_a_question_that_compares_lacks_a_candidate_or_a_baseline(
    beginning: str, answer: str
) -> None:
    question = next(one for one in LOUHI.questions if one.text.startswith(beginning))
    _assert_answer(question, answer)


def test_a_question_on_all_pairs_was_measured_or_not() -> None:
    question = next(one for one in LOUHI.questions if isinstance(one.rule, ConsistentRule))
    _assert_answer(question, "it was not measured in this run")


def _assert_answer(question: Question, answer: str) -> None:
    without = Answer(question, unanswerable=Unanswerable.NOT_MEASURED)
    assert finding_of(without).answer == brief_text(without) == f"not answered: {answer}"


def test_the_best_of_one_result_lacks_another_one_to_compare_with() -> None:
    question = next(one for one in LOUHI.questions if isinstance(one.rule, BestRule))
    _assert_answer(question, "this run has no two results to compare")
