"""The headline of a run is what it shows to gain most over the defaults."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.plan.description import Description
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.best_advice import best_advice
from machmeter.report.pages.first_screen import first_screen
from tests.support.made_up.findings import made_up_finding
from tests.support.synthetic.explored import NONE_SET, SET, make_explored
from tests.support.synthetic.run import make_run

LIBRARY = Caveat(CaveatKind.FASTER_LIBRARY, "messages can be 5.00x faster", "compare them")


def gain(name: str, least: float, confidence: Confidence = Confidence.SURE) -> CaseEvidence:
    comparison = Comparison(
        1.1 * least, least, 1.2 * least, True, 9, 0.001, ComparisonVerdict.FASTER
    )
    return CaseEvidence(
        "yes",
        AnswerStatus.DECIDED,
        confidence,
        advice=f"set {name}",
        comparison=comparison,
        settings=(f"{name}=1",),
    )


def run_with(*cases: CaseEvidence, caveats: tuple[Caveat, ...] = ()) -> RunResult:
    finding = made_up_finding("Is it faster?", "yes", status=AnswerStatus.DECIDED)
    findings = tuple(replace(finding, cases=(case,)) for case in cases)
    return replace(make_run(), findings=findings, caveats=caveats)


def text_of(run: RunResult) -> str:
    found = best_advice(run)
    return found.text if found else ""


def test_the_setting_that_surely_gains_most_is_the_headline() -> None:
    likely = gain("LIKELY", 9.0, Confidence.LIKELY)
    text = text_of(run_with(gain("LITTLE", 1.2), gain("MUCH", 3.0), likely))
    assert "MUCH" in text
    assert "3.30x [3.00, 3.60]" in text


@pytest.mark.parametrize(
    "case",
    [
        gain("LIKELY", 9.0, Confidence.LIKELY),
        replace(gain("NO_SETTING", 9.0), settings=()),
    ],
)
def test_what_is_not_sure_or_no_setting_is_no_headline(case: CaseEvidence) -> None:
    assert best_advice(run_with(case)) is None


def test_a_faster_library_is_the_headline_and_no_caveat_beside_it() -> None:
    noise = Caveat(CaveatKind.NOISE, "noise")
    run = run_with(gain("MUCH", 3.0), caveats=(LIBRARY, noise))
    screen = first_screen(run, [], [], lambda _: "")
    assert screen.advice == text_of(run)
    assert "5.00x faster" in screen.advice
    assert screen.caveats == ("Noise",)


def test_a_layout_is_the_headline_where_it_is_faster_than_nothing_set() -> None:
    assert "2.00x" in text_of(make_explored({SET: 1.0, NONE_SET: 2.0}))
    assert best_advice(make_explored({SET: 1.0, NONE_SET: 1.0})) is None
    assert best_advice(make_explored({SET: 2.0, NONE_SET: 1.0})) is None


def test_a_described_program_has_a_headline_too() -> None:
    run = make_explored({SET: 1.0, NONE_SET: 2.0})
    described = Description(name="solver", title="Solver", command=("./solver",))
    specs = tuple(
        replace(one, command=replace(one.command, description=described)) if one.command else one
        for one in run.plan.specs
    )
    assert "2.00x" in text_of(replace(run, plan=replace(run.plan, specs=specs)))
