"""Study `scalemp`: the paper's own table through the study's questions gives its conclusions."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.benchmarks.catalogue import find
from machmeter.model.layout import Layout
from machmeter.model.plan.study import Question, Rule, Selector
from machmeter.model.results.finding import Finding
from machmeter.published.estimates import published_estimates
from machmeter.published.load import published_machine
from machmeter.studies.scalemp.node import SCALEMP

SYMBOLS = ("threads", "split")


def findings_of(name: str) -> dict[str, Finding]:
    machine = published_machine(name)
    found = answers(
        SCALEMP.questions, published_estimates(machine), TopologyFacts(machine.kind_ranks, {})
    )
    return {finding.question: finding for finding in found}


def about(findings: dict[str, Finding], words: str) -> Finding:
    (finding,) = (finding for question, finding in findings.items() if words in question)
    return finding


SHARED = findings_of("scalemp")
PLAIN = findings_of("tigerton")


def test_the_paper_s_machine_is_software_shared_memory_and_the_plain_one_uniform() -> None:
    shared, plain = (about(found, "uniform, NUMA") for found in (SHARED, PLAIN))
    assert shared.answer.startswith("software-shared memory for write, 17.3x, as printed, without")
    assert plain.answer.startswith("uniform for write, 1.30x, as printed, without interval")


def test_threads_are_to_be_bound() -> None:
    finding = about(SHARED, "bound, over time")
    assert finding.answer.startswith("yes, 2.11x, as printed, without interval: bind threads")
    assert "about 95 GB/s against about 45 GB/s" in finding.evidence


def test_huge_pages_pay_on_the_shared_machine_and_lose_once_on_the_plain_one() -> None:
    shared, plain = (about(found, "pool of huge pages") for found in (SHARED, PLAIN))
    verdicts = {part.partition(":")[0]: part.partition(": ")[2][:9] for part in shared.parts}
    assert verdicts == {
        "1 thread": "yes, 1.08",
        "8 threads": "yes, 2.26",
        "16 threads": "yes, 2.50",
        "104 threads": "yes, 3.55",
    }
    assert "8 threads: no, 0.82x" in " ".join(plain.parts)
    assert "no for 8 threads" in plain.answer


@pytest.mark.parametrize(
    ("construct", "ratio"), [("parallel", "157x"), ("for", "451x"), ("reduction", "175x")]
)
def test_synchronization_across_boards_is_told_construct_by_construct(
    construct: str, ratio: str
) -> None:
    parts = dict(part.split(": ", 1) for part in about(SHARED, "between far threads").parts)
    assert parts[construct].startswith(f"far more, {ratio}")
    assert about(PLAIN, "between far threads").answer.startswith("not decided")


def test_allocating_does_not_scale() -> None:
    assert about(SHARED, "allocating scale").answer.startswith("hardly for base and hugetlb-2m")


def test_the_speed_up_is_at_the_wave_model() -> None:
    finding = about(SHARED, "wave model")
    assert finding.answer.startswith("at it, 97 % of the wave model, as printed")
    assert "speed-up 41.48x against 42.75x" in finding.answer
    assert "8 at once on one domain run at 46 %" in finding.answer


def test_no_question_on_a_published_machine_pretends_to_an_interval() -> None:
    for finding in (*SHARED.values(), *PLAIN.values()):
        assert "[" not in finding.answer
        assert "without interval" in finding.answer or finding.answer.startswith("not decided")


def names_of(question: Question) -> set[str]:
    sides = (question.candidate, question.baseline or Selector())
    return {name for side in sides for name in side.parameters} | (
        {question.each, *question.axes} - {""}
    )


@pytest.mark.parametrize("question", SCALEMP.questions, ids=lambda question: question.text)
def test_questions_name_what_there_is(question: Question) -> None:
    benchmark = find(question.benchmark)
    assert benchmark.metric(question.metric)
    parameters = {parameter.name for parameter in benchmark.parameters}
    fields = {*Layout.__struct_fields__, *SYMBOLS}
    assert names_of(question) <= parameters | fields
    sides = (question.candidate, question.baseline or Selector())
    assert all(name in fields for side in sides for name in side.layout)
    assert question.benchmark in {experiment.benchmark for experiment in SCALEMP.experiments}
    if question.rule in (Rule.BANDS, Rule.EFFICIENCY, Rule.WAVES):
        leasts = [band.least for band in question.bands]
        assert leasts == sorted(set(leasts))
        assert leasts[0] == 0


def test_experiments_set_parameters_that_there_are_to_values_they_take() -> None:
    for experiment in SCALEMP.experiments:
        known = {p.name: p for p in find(experiment.benchmark).parameters}
        for name, values in experiment.parameters.items():
            assert [known[name].refusal(value) for value in values] == [""] * len(values)
