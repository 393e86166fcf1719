"""A result as a share of the best that another benchmark measured."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.answer import Answer, answers
from machmeter.analysis.rules.outcome import BandOutcome
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.plan.question import Question, ShareRule
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus
from machmeter.studies.roofline import ROOFLINE
from machmeter.text.findings.answers import finding_of
from tests.support.made_up.estimates import made_up

ALL = Layout(threads_per_rank=4)
OF_LIBRARY = Layout(threads_per_rank=4, wait_policy=WaitPolicy.DEFAULT)
(QUESTION,) = (one for one in ROOFLINE.questions if isinstance(one.rule, ShareRule))


def peak(width: str, value: float, layout: Layout = ALL) -> Estimate:
    return made_up(
        "compute.fma", {"width": width, "precision": "double"}, layout, "flops", value * 1e9
    )


def product(library: str, order: int, value: float) -> Estimate:
    point = {"library": library, "order": order, "precision": "double"}
    return made_up("compute.gemm", point, OF_LIBRARY, "flops", value * 1e9)


PEAKS = [peak("scalar", 25), peak("256-bit", 100), peak("256-bit", 26, Layout())]


def answered(*estimates: Estimate, question: Question = QUESTION) -> Answer:
    (found,) = answers((question,), estimates)
    return found


@pytest.mark.parametrize(("rate", "name"), [(60, "no"), (85, "mostly"), (97, "yes")])
def test_the_largest_product_on_all_cores_is_a_share_of_the_highest_peak(
    rate: float, name: str
) -> None:
    found = answered(*PEAKS, product("openblas", 64, 20), product("openblas", 512, rate))
    (case,) = found.cases
    assert case.decided
    assert isinstance(case.outcome, BandOutcome)
    assert case.outcome.lowest.name == name
    assert case.ratio is not None
    assert case.ratio.ratio == pytest.approx(rate / 100, rel=1e-3)


def test_every_library_is_a_case_of_its_own() -> None:
    found = answered(*PEAKS, product("openblas", 512, 97), product("system", 512, 30))
    assert {dict(case.label)["library"] for case in found.cases} == {"openblas", "system"}
    assert {case.outcome.lowest.name for case in found.cases} == {"yes", "no"}  # type: ignore[union-attr]


def test_near_a_bound_it_stays_open() -> None:
    (case,) = answered(*PEAKS, product("openblas", 512, 80.01)).cases
    assert not case.decided


@pytest.mark.parametrize("estimates", [PEAKS, [product("openblas", 512, 97)]])
def test_without_one_of_both_there_is_no_answer(estimates: list[Estimate]) -> None:
    assert answered(*estimates).status is AnswerStatus.UNDECIDABLE


def test_a_library_on_fewer_cores_than_the_peak_is_no_share_of_it() -> None:
    wider = made_up(
        *("compute.fma", {"width": "256-bit", "precision": "double"}),
        *(Layout(threads_per_rank=8), "flops", 2e11),
    )
    assert answered(*PEAKS, wider, product("openblas", 512, 97)).status is AnswerStatus.UNDECIDABLE


def test_the_finding_says_the_share() -> None:
    found = finding_of(answered(*PEAKS, product("openblas", 512, 60)))
    assert "60 %" in found.answer
    assert any("--set library" in case.advice for case in found.cases)
