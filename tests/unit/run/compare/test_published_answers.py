"""What published machines say to a question, beside what was found."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from machmeter.model.errors import MachmeterError
from machmeter.model.plan.study import Band, PublishedSide, Question, Rule, Selector
from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Confidence,
    Finding,
    PublishedAnswer,
)
from machmeter.run.compare.published_answers import sides_beside, with_published_sides
from machmeter.studies.select import STUDIES

HERE = Finding("?", "not decided", "")
WITH_SIDES = [question for study in STUDIES for question in study.questions if question.published]
SIDES = [(question, side) for question in WITH_SIDES for side in question.published]


def question_of(words: str) -> Question:
    (question,) = (question for question in WITH_SIDES if words in question.text)
    return question


def told(words: str) -> dict[str, str]:
    """What each machine says to the question that holds these words, several lines joined."""
    question = question_of(words)
    lines = [side for one in question.published for side in sides_beside(question, one, HERE)]
    machines = dict.fromkeys(line.machine for line in lines)
    return {
        name: "; ".join(line.there for line in lines if line.machine == name) for name in machines
    }


@pytest.mark.parametrize(
    ("question", "side"), SIDES, ids=[f"{s.machine}: {q.text}" for q, s in SIDES]
)
def test_every_side_is_decided_and_says_where_it_is_printed(
    question: Question, side: PublishedSide
) -> None:
    lines = sides_beside(question, side, HERE)
    assert lines
    for line in lines:
        assert line.there
        assert line.source
        assert line.title
        assert line.year > 2000
        assert "{" not in line.there
        assert "without interval" not in line.there


def test_no_question_types_a_figure_that_a_file_has() -> None:
    """A source is a citation; its figures come from the published machine's file."""
    figure = re.compile(r"\d\s?(?:us|GB/s|s|x|kB|KB|MB)\b")
    for question in WITH_SIDES:
        assert not figure.search(question.source), question.text


@pytest.mark.parametrize(
    ("words", "machine", "said"),
    [
        ("Which socket should talk", "edison", "package 0, 1.60x against package 1 (16 ranks)"),
        ("all pairs talk at once", "edison", "some, 1.60x"),
        ("both ways at once carry", "edison", "somewhat more, 1.50x"),
        ("both ways at once carry", "hopper", "somewhat more, 1.33x"),
        ("protocol of messages switch", "edison", "it switches at 8 KiB"),
        ("bandwidth flat", "louhi", "still rising at 4 MiB"),
        ("OpenSHMEM atomic operations are under way", "comet", "one, 1.00x"),
        ("than getting one, by OpenSHMEM", "comet", "yes, 1.24x"),
        ("far threads over near", "scalemp", "far more (3 cases, 157x to 451x)"),
        ("share of the cores does image", "scalemp", "most, 77 %"),
    ],
)
def test_numbers_follow_from_published_files(words: str, machine: str, said: str) -> None:
    assert told(words)[machine] == said


def test_a_figure_that_its_own_source_contradicts_carries_its_flag() -> None:
    question = question_of("far threads over near")
    (line,) = sides_beside(question, question.published[0], HERE)
    assert "contradicted by its own arithmetic" in line.flag


def ground(label: str, answer: str) -> CaseEvidence:
    return CaseEvidence(answer, AnswerStatus.DECIDED, Confidence.SURE, label)


def test_the_case_that_both_have_is_set_beside_its_like() -> None:
    question = question_of("uniform, NUMA")
    finding = Finding(
        question.text,
        "uniform",
        "",
        standing=AnswerStatus.DECIDED,
        grounds=(ground("read", "uniform, 1.01x"), ground("write", "uniform, 1.02x [0.99, 1.05]")),
    )
    lines = list(
        chain.from_iterable(sides_beside(question, side, finding) for side in question.published)
    )
    assert [(line.case, line.there, line.here) for line in lines] == [
        ("write", "software-shared memory, 17.3x", "uniform, 1.02x [0.99, 1.05]"),
        ("write", "uniform, 1.30x", "uniform, 1.02x [0.99, 1.05]"),
    ]


def side_of(question: Question, side: PublishedSide) -> PublishedAnswer:
    (line,) = sides_beside(question, side, HERE)
    return line


MADE_UP = Question("?", "memory.stream", "stream_bandwidth", Selector())
QUOTIENT = PublishedSide(
    "scalemp", over={"scalemp/stream-bound": 1}, under={"scalemp/stream-default": 1}
)


def test_a_quotient_is_named_by_the_question_s_rule() -> None:
    bands = (Band(0.0, "little"), Band(2.0, "much"))
    banded = Question("?", "memory.stream", "", Selector(), rule=Rule.BANDS, bands=bands)
    shares = Question("?", "memory.stream", "", Selector(), rule=Rule.EFFICIENCY, bands=bands)
    assert side_of(MADE_UP, QUOTIENT).there == "yes, 2.11x"
    assert side_of(banded, QUOTIENT).there == "much, 2.11x"
    assert side_of(shares, QUOTIENT).there == "much, 211 %"
    turned = PublishedSide("scalemp", over=QUOTIENT.under, under=QUOTIENT.over)
    assert side_of(MADE_UP, turned).there == "no, 0.47x"
    same = PublishedSide("scalemp", over=QUOTIENT.over, under=QUOTIENT.over)
    assert side_of(MADE_UP, same).there == "no difference, 1.00x"


@pytest.mark.parametrize(
    "side",
    [
        PublishedSide("nowhere"),
        PublishedSide("scalemp", over={"scalemp/nothing": 1}),
        PublishedSide("scalemp", words="{scalemp/nothing} at all"),
        PublishedSide("scalemp", over={"scalemp/cores": 1}, under={"nowhere/cores": 1}),
    ],
)
def test_a_plan_of_another_version_is_answered_without_what_is_not_there(
    side: PublishedSide,
) -> None:
    with pytest.raises(MachmeterError):
        sides_beside(MADE_UP, side, HERE)
    question = Question("?", "memory.stream", "", Selector(), published=(side, QUOTIENT))
    (finding,) = with_published_sides((question,), (HERE,))
    assert [line.there for line in finding.beside] == ["yes, 2.11x"]


def test_words_are_no_program() -> None:
    side = PublishedSide("scalemp", words="{scalemp.__class__} {0} {scalemp/boards!r}")
    with pytest.raises(MachmeterError):
        sides_beside(MADE_UP, side, HERE)
    harmless = PublishedSide("scalemp", words="{__class__} and {scalemp/boards} boards")
    assert side_of(MADE_UP, harmless).there == "{__class__} and 13 boards"
