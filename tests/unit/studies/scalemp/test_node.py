"""Study `scalemp`: the paper's own table through the study's questions gives its conclusions."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.answer import selectors_of
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.benchmarks.catalogue import find
from machmeter.model.layout import Layout
from machmeter.model.plan.question import CostRule, EfficiencyRule, Question, WaveRule
from machmeter.model.results.finding import Confidence, Finding
from machmeter.published.estimates import published_estimates
from machmeter.published.load import published_machine
from machmeter.studies.scalemp.node import SCALEMP
from tests.support import questions

SYMBOLS = ("threads", "split")


def findings_of(name: str) -> dict[str, Finding]:
    machine = published_machine(name)
    facts = TopologyFacts(machine.kind_ranks, {})
    found = questions.findings(SCALEMP.questions, published_estimates(machine), facts)
    return {finding.question: finding for finding in found}


def about(findings: dict[str, Finding], words: str) -> Finding:
    (finding,) = (finding for question, finding in findings.items() if words in question)
    return finding


SHARED = findings_of("scalemp")
PLAIN = findings_of("tigerton")


def test_the_paper_s_machine_is_software_shared_memory_and_the_plain_one_uniform() -> None:
    shared, plain = (about(found, "uniform, NUMA") for found in (SHARED, PLAIN))
    assert shared.answer.startswith("write: software-shared memory, 17.3x: ")
    assert plain.answer.startswith("write: uniform, 1.30x: ")


def test_threads_are_to_be_bound() -> None:
    finding = about(SHARED, "bandwidth over time")
    assert finding.answer.startswith("yes, 2.11x: bind threads")
    assert "about 95 GB/s against about 45 GB/s" in finding.cases[0].evidence


def test_huge_pages_pay_on_the_shared_machine_and_lose_once_on_the_plain_one() -> None:
    shared, plain = (about(found, "pool of 2 MiB pages") for found in (SHARED, PLAIN))
    verdicts = {case.label: case.answer[:9] for case in shared.cases}
    assert verdicts == {
        "1 thread": "yes, 1.08",
        "8 threads": "yes, 2.26",
        "16 threads": "yes, 2.50",
        "104 threads": "yes, 3.55",
    }
    assert "no, 0.82x" in {case.answer for case in plain.cases if case.label == "8 threads"}
    assert "no for 8 threads" in plain.answer


@pytest.mark.parametrize(
    ("construct", "ratio"), [("parallel", "157x"), ("for", "451x"), ("reduction", "175x")]
)
def test_synchronization_across_boards_is_answered_construct_by_construct(
    construct: str, ratio: str
) -> None:
    answers = {case.label: case.answer for case in about(SHARED, "distant threads").cases}
    assert answers[construct].startswith(f"far more, {ratio}")
    assert about(PLAIN, "distant threads").answer.startswith("not answered")


def test_allocating_does_not_scale() -> None:
    assert about(SHARED, "allocation scale").answer.startswith("hardly for base pages and huge")


def test_the_speed_up_is_at_the_wave_model() -> None:
    finding = about(SHARED, "wave model")
    assert finding.answer.startswith("at the model, 97 % of the model's speedup (")
    assert "speedup 41.5x, model 42.8x" in finding.answer
    assert "8 at once on one domain run at 46 %" in finding.answer


def test_no_question_on_a_published_machine_pretends_to_an_interval() -> None:
    for finding in (*SHARED.values(), *PLAIN.values()):
        assert "[" not in finding.answer
        published = finding.confidence is Confidence.PUBLISHED
        assert published or finding.answer.startswith("not answered")


def names_of(question: Question) -> set[str]:
    rule = question.rule
    named = {name for of in selectors_of(rule) for name in of.parameters}
    return named | {*question.each, *getattr(rule, "axes", ()), getattr(rule, "unit", "")} - {""}


@pytest.mark.parametrize("question", SCALEMP.questions, ids=lambda question: question.text)
def test_questions_name_what_there_is(question: Question) -> None:
    benchmark = find(question.benchmark)
    assert benchmark.metric(question.metric)
    parameters = {parameter.name for parameter in benchmark.parameters}
    fields = {*Layout.__struct_fields__, *SYMBOLS}
    assert names_of(question) <= parameters | fields
    assert all(name in fields for of in selectors_of(question.rule) for name in of.layout)
    assert question.benchmark in {experiment.benchmark for experiment in SCALEMP.experiments}
    if isinstance(question.rule, CostRule | EfficiencyRule | WaveRule):
        leasts = [band.least for band in question.rule.bands]
        assert leasts == sorted(set(leasts))
        assert leasts[0] == 0


def test_experiments_set_parameters_that_there_are_to_values_they_take() -> None:
    for experiment in SCALEMP.experiments:
        known = {p.name: p for p in find(experiment.benchmark).parameters}
        for name, values in experiment.parameters.items():
            assert [known[name].refusal(value) for value in values] == [""] * len(values)
