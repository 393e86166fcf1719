"""The studies' questions, put to the published machines, give the studies' conclusions."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.plan.question import PublishedResults, Question
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding
from machmeter.published.load import machine_names, published_machine
from machmeter.published.machine import published_results
from machmeter.run.compare.published_answers import answer_of_results
from machmeter.studies.select import STUDIES
from machmeter.text.findings.answers import finding_of
from tests.support import questions

QUESTIONS = [question for study in STUDIES for question in study.questions]


def put(words: str, machine: str, number: int = 0) -> Finding:
    """The finding of the rule that a question names, on a machine's own figures."""
    (question,) = (one for one in QUESTIONS if words in one.text)
    sources = [one for one in question.published if one.machine == machine]
    source = sources[number]
    assert isinstance(source, PublishedResults)
    return finding_of(answer_of_results(question, source))


def cases(finding: Finding) -> dict[str, str]:
    """The first word of each case, by its label."""
    return {case.label: case.answer.partition(",")[0] for case in finding.cases}


def test_edison_s_first_socket_is_the_one_that_should_talk() -> None:
    finding = put("Which socket", "edison")
    assert finding.answer.startswith("16 ranks: package 0, 1.60x over package 1: place")
    assert "1.5 µs against 2.4 µs" in finding.cases[0].evidence


def test_on_edison_latency_suffers_when_all_pairs_talk() -> None:
    finding = put("all pairs communicate at once", "edison")
    assert finding.answer.startswith("some, 1.60x: let fewer ranks")


@pytest.mark.parametrize(
    ("number", "cores", "least", "most"),
    [
        (0, {48, 96, 192, 384, 768}, 1.29, 1.58),
        (1, {96, 144, 192, 384}, 1.08, 1.27),
        (2, {96, 192, 384, 768}, 1.18, 1.62),
    ],
    ids=["NEURON", "OpenFOAM", "Quantum ESPRESSO"],
)
def test_mvapich2_is_ahead_of_open_mpi_on_gordon_at_every_size(
    number: int, cores: set[int], least: float, most: float
) -> None:
    finding = put("MPI library has lower latency", "gordon", number)
    assert cases(finding) == {f"{count} cores": "MVAPICH2" for count in cores}
    ratios = [case.comparison.ratio for case in finding.cases if case.comparison]
    assert len(ratios) == len(cores)
    assert least < min(ratios) < max(ratios) < most


def test_on_comet_putting_is_quicker_than_getting_and_atomics_are_all_alike() -> None:
    found = put("OpenSHMEM put faster", "comet")
    assert found.answer.startswith("yes, 1.24x: ")
    atomics = put("OpenSHMEM atomic operation is fastest", "comet")
    (case,) = atomics.cases
    assert case.comparison is not None
    assert 1.05 < case.comparison.ratio < 1.10
    assert atomics.answer.startswith("inc (tied with add)")


def test_scalemp_is_software_shared_and_tigerton_uniform() -> None:
    shared, plain = (put("uniform, NUMA", name) for name in ("scalemp", "tigerton"))
    assert cases(shared) == {"write": "software-shared memory"}
    assert cases(plain) == {"write": "uniform"}


def test_synchronization_explodes_on_scalemp_and_not_on_a_plain_machine() -> None:
    shared, plain = (put("on all cores than on two", name) for name in ("scalemp", "tigerton"))
    assert set(cases(shared).values()) == {"far more"}
    assert set(cases(plain).values()) == {"more"}


@pytest.mark.parametrize("name", machine_names())
def test_nothing_is_said_of_a_published_machine_that_is_not_printed(name: str) -> None:
    machine = published_machine(name)
    facts = TopologyFacts(machine.kind_ranks, {})
    for finding in questions.findings(QUESTIONS, published_results(name).estimates, facts):
        assert "[" not in finding.answer
        if finding.status is AnswerStatus.UNDECIDABLE:
            continue
        assert finding.confidence in {Confidence.PUBLISHED, Confidence.OPEN}
        assert not finding.sensitivity


def test_hopper_louhi_and_murska_print_too_little_for_the_rules_themselves() -> None:
    """Single figures and plots without numbers: their conclusions are quoted."""
    for name in ("hopper", "louhi", "murska"):
        facts = TopologyFacts(published_machine(name).kind_ranks, {})
        found = questions.findings(QUESTIONS, published_results(name).estimates, facts)
        assert all(finding.status is not AnswerStatus.DECIDED for finding in found)


def test_questions_stand_in_the_studies_only_once() -> None:
    by_text: dict[str, Question] = {}
    for question in QUESTIONS:
        assert by_text.setdefault(question.text, question) == question
