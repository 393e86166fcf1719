"""What published machines answer to a question, next to what was measured."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.answer import Answer
from machmeter.analysis.rules.outcome import BandOutcome, CaseResult
from machmeter.analysis.rules.sensitivity import JudgedQuantity
from machmeter.analysis.rules.trial import Trial, ratio_of
from machmeter.model.errors import MachmeterError
from machmeter.model.layout import Layout
from machmeter.model.plan.question import (
    Band,
    BetterRule,
    CostRule,
    EfficiencyRule,
    PublishedRatio,
    PublishedResults,
    PublishedSource,
    PublishedStatement,
    Question,
    Rule,
    Selector,
)
from machmeter.model.results.finding import Confidence
from machmeter.run.compare.published_answers import (
    answers_of_source,
    answers_of_study,
    published_answers,
)
from machmeter.studies.edison.modes import EDISON
from machmeter.studies.select import STUDIES
from tests.support.made_up.estimates import made_up

WITH_SOURCES = [q for study in STUDIES for q in study.questions if q.published]
SOURCES = [(question, source) for question in WITH_SOURCES for source in question.published]


def question_of(words: str) -> Question:
    (question,) = (question for question in WITH_SOURCES if words in question.text)
    return question


def published(words: str) -> dict[str, str]:
    """What each machine answers to the question that holds these words, several joined."""
    question = question_of(words)
    found = [one for of in question.published for one in answers_of_source(question, of, None)]
    machines = dict.fromkeys(one.machine for one in found)
    return {
        name: "; ".join(one.published for one in found if one.machine == name) for name in machines
    }


@pytest.mark.parametrize(
    ("question", "source"), SOURCES, ids=[f"{s.machine}: {q.text}" for q, s in SOURCES]
)
def test_every_source_answers_and_says_where_it_is_printed(
    question: Question, source: PublishedSource
) -> None:
    found = answers_of_source(question, source, None)
    assert found
    for one in found:
        assert one.published
        assert one.source
        assert one.title
        assert one.year > 2000
        assert "{" not in one.published
        assert "[" not in one.published


def test_no_question_types_a_number_that_a_file_has() -> None:
    """A source is a citation; its numbers come from the published machine's file."""
    number = re.compile(r"\d\s?(?:us|GB/s|s|x|kB|KB|MB)\b")
    for question in WITH_SOURCES:
        assert not number.search(question.source), question.text


@pytest.mark.parametrize(
    ("words", "machine", "answer"),
    [
        ("Which socket", "edison", "package 0, 1.60x over package 1 (16 ranks)"),
        ("all pairs communicate at once", "edison", "some, 1.60x"),
        ("both directions at once", "edison", "somewhat more, 1.50x"),
        ("both directions at once", "hopper", "somewhat more, 1.33x"),
        ("protocol switch", "edison", "it switches at 8 KiB"),
        ("bandwidth flat", "louhi", "still rising at 4 MiB"),
        ("OpenSHMEM atomic operations proceed", "comet", "one, 1.00x"),
        ("OpenSHMEM put faster", "comet", "yes, 1.24x"),
        ("between distant threads", "scalemp", "far more (3 cases, 157x to 451x)"),
        ("share of the cores does image", "scalemp", "most, 77 %"),
    ],
)
def test_numbers_follow_from_published_files(words: str, machine: str, answer: str) -> None:
    assert published(words)[machine] == answer


def test_a_number_that_its_own_source_contradicts_carries_its_flag() -> None:
    question = question_of("between distant threads")
    (one,) = answers_of_source(question, question.published[0], None)
    assert one.flag


def measured_case(visit: str, ratio: float) -> CaseResult:
    """A case of a cost that was measured."""
    own, other = (
        made_up("memory.pages", {"pair": pair, "visit": visit}, Layout(), "visit_time", seconds)
        for pair, seconds in (("0-0", 1e-7), ("0-1", ratio * 1e-7))
    )
    trial, band = Trial(other, own, ratio_of(own, other)), Band(0.0, "uniform")
    outcome = BandOutcome(trial, band, band, JudgedQuantity.RATIO)
    return CaseResult(outcome, True, Confidence.SURE, (("visit", visit),), trial=trial)


def test_the_case_that_both_have_is_compared() -> None:
    question = question_of("uniform, NUMA")
    measured = Answer(question, (measured_case("read", 1.01), measured_case("write", 1.02)))
    found = list(
        chain.from_iterable(answers_of_source(question, of, measured) for of in question.published)
    )
    assert [(one.case, one.published) for one in found] == [
        ("write", "software-shared memory, 17.3x"),
        ("write", "uniform, 1.30x"),
    ]
    assert all(one.measured.startswith("uniform, 1.02x [1.0") for one in found)


def answer_of(question: Question, source: PublishedSource) -> str:
    (one,) = answers_of_source(question, source, None)
    return one.published


ANYTHING = Selector()
BANDS = (Band(0.0, "little"), Band(2.0, "much"))
QUOTIENT = PublishedRatio(
    "scalemp", over={"scalemp/stream-bound": 1}, under={"scalemp/stream-default": 1}
)


def made_up_question(rule: Rule, *sources: PublishedSource) -> Question:
    return Question("?", "memory.stream", "stream_bandwidth", rule, published=sources)


BETTER = made_up_question(BetterRule(ANYTHING, ANYTHING))


def test_a_quotient_is_named_by_the_question_s_rule() -> None:
    banded = made_up_question(CostRule(ANYTHING, ANYTHING, BANDS))
    shares = made_up_question(EfficiencyRule(ANYTHING, ANYTHING, BANDS))
    assert answer_of(BETTER, QUOTIENT) == "yes, 2.11x"
    assert answer_of(banded, QUOTIENT) == "much, 2.11x"
    assert answer_of(shares, QUOTIENT) == "much, 211 %"
    turned = PublishedRatio("scalemp", over=QUOTIENT.under, under=QUOTIENT.over)
    assert answer_of(BETTER, turned) == "no, 0.47x"
    same = PublishedRatio("scalemp", over=QUOTIENT.over, under=QUOTIENT.over)
    assert answer_of(BETTER, same) == "no difference, 1.00x"


@pytest.mark.parametrize(
    "source",
    [
        PublishedResults("nowhere"),
        PublishedRatio("scalemp", over={"scalemp/nothing": 1}),
        PublishedStatement("scalemp", "{scalemp/nothing} at all"),
        PublishedRatio("scalemp", over={"scalemp/cores": 1}, under={"nowhere/cores": 1}),
    ],
)
def test_a_plan_of_another_version_is_answered_without_what_is_not_there(
    source: PublishedSource,
) -> None:
    with pytest.raises(MachmeterError):
        answers_of_source(BETTER, source, None)
    found = published_answers(Answer(made_up_question(BETTER.rule, source, QUOTIENT)))
    assert [one.published for one in found] == ["yes, 2.11x"]


def test_totals_of_a_study_are_printed_figures_and_what_they_come_to() -> None:
    plain, by_core, codes = answers_of_study(EDISON)
    assert "1.14x of one rank a core, by 1.6x and 1.4x" in plain.published
    # 2.2 x 16 / 24, beside what is printed.
    assert "that is 1.47x of its node, where 1.4x is printed" in by_core.published
    assert codes.published.startswith("6 codes do most")
    assert "A reserved core has no effect on MILC" in codes.flag
    for one in (plain, by_core, codes):
        assert (one.machine, one.measured) == ("edison", "")
        assert "Austin et al., CUG 2013" in one.source


def test_totals_that_this_version_does_not_have_are_left_out() -> None:
    gone = replace(EDISON.published[0], over={"edison/nothing": 1})
    assert len(answers_of_study(replace(EDISON, published=(gone, *EDISON.published[1:])))) == 2


def test_what_is_said_of_all_codes_is_no_figure_of_one() -> None:
    own = published("CAM (proxies.fvcore): do ranks on the second")
    assert own == {"edison": "yes for 6 codes, of 8 codes in all; not said of this one"}
    of_applications = [q for one in EDISON.applications for q in one.questions]
    assert not any(question.published for question in of_applications)


def test_a_statement_is_no_program() -> None:
    source = PublishedStatement("scalemp", "{scalemp.__class__} {0} {scalemp/boards!r}")
    with pytest.raises(MachmeterError):
        answers_of_source(BETTER, source, None)
    harmless = PublishedStatement("scalemp", "{__class__} and {scalemp/boards} boards")
    assert answer_of(BETTER, harmless) == "{__class__} and 13 boards"
