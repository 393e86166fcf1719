"""The studies' questions, put to the published machines, give the studies' conclusions."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.plan.study import Question
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding
from machmeter.published.load import machine_names, published_machine
from machmeter.published.machine import published_known
from machmeter.run.compare.published_answers import asked_of_published
from machmeter.studies.select import STUDIES

QUESTIONS = [question for study in STUDIES for question in study.questions]


def asked(words: str, machine: str, number: int = 0) -> Finding:
    """The finding of the rule that a question names, on a machine's own figures."""
    (question,) = (one for one in QUESTIONS if words in one.text)
    sides = [side for side in question.published if side.machine == machine]
    return asked_of_published(question, sides[number])[0]


def cases(finding: Finding) -> dict[str, str]:
    """The first word of each case, by its label."""
    return {ground.label: ground.answer.partition(",")[0] for ground in finding.grounds}


def test_edison_s_first_socket_is_the_one_that_should_talk() -> None:
    finding = asked("Which socket should talk", "edison")
    assert finding.answer.startswith("package 0 for 16 ranks, 1.60x, as printed, without interval")
    assert "1.5 µs against 2.4 µs" in finding.evidence


def test_on_edison_latency_suffers_when_all_pairs_talk() -> None:
    finding = asked("all pairs talk at once", "edison")
    assert finding.answer.startswith("some, 1.60x, as printed, without interval: let fewer ranks")


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
    finding = asked("MPI library has the lower latency", "gordon", number)
    assert cases(finding) == {str(count): "MVAPICH2" for count in cores}
    ratios = [ground.comparison.ratio for ground in finding.grounds if ground.comparison]
    assert len(ratios) == len(cores)
    assert least < min(ratios) < max(ratios) < most


def test_on_comet_putting_is_quicker_than_getting_and_atomics_are_all_alike() -> None:
    put = asked("than getting one, by OpenSHMEM", "comet")
    assert put.answer.startswith("yes, 1.24x, as printed")
    atomics = asked("OpenSHMEM atomic operation is quickest", "comet")
    (ground,) = atomics.grounds
    assert ground.comparison is not None
    assert 1.05 < ground.comparison.ratio < 1.10
    assert atomics.answer.startswith("inc (not told apart from add)")


def test_scalemp_is_software_shared_and_tigerton_uniform() -> None:
    shared, plain = (asked("uniform, NUMA", name) for name in ("scalemp", "tigerton"))
    assert cases(shared) == {"write": "software-shared memory"}
    assert cases(plain) == {"write": "uniform"}


def test_synchronization_explodes_on_scalemp_and_not_on_a_plain_machine() -> None:
    shared, plain = (asked("with all cores over two", name) for name in ("scalemp", "tigerton"))
    assert set(cases(shared).values()) == {"far more"}
    assert set(cases(plain).values()) == {"more"}


@pytest.mark.parametrize("name", machine_names())
def test_nothing_is_said_of_a_published_machine_that_is_not_printed(name: str) -> None:
    machine = published_machine(name)
    places = TopologyFacts(machine.kind_ranks, {})
    for finding in answers(QUESTIONS, published_known(name).estimates, places):
        assert "[" not in finding.answer
        if finding.standing is AnswerStatus.UNDECIDABLE:
            continue
        assert finding.confidence in {Confidence.PRINTED, Confidence.OPEN}
        assert not finding.would_change


def test_hopper_louhi_and_murska_print_too_little_for_the_rules_themselves() -> None:
    """Single figures and plots without numbers: their conclusions stand beside, as printed."""
    for name in ("hopper", "louhi", "murska"):
        places = TopologyFacts(published_machine(name).kind_ranks, {})
        found = answers(QUESTIONS, published_known(name).estimates, places)
        assert all(finding.standing is not AnswerStatus.DECIDED for finding in found)


def test_questions_stand_in_the_studies_only_once() -> None:
    asked_by: dict[str, Question] = {}
    for question in QUESTIONS:
        assert asked_by.setdefault(question.text, question) == question
