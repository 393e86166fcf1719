"""The questions of the studies, put to machines that were not measured here."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.importing.machine import import_files, machine_of_file
from machmeter.model.results.finding import AnswerStatus, Confidence
from machmeter.model.results.machine import MachineResults
from machmeter.published.load import machine_names, published_machine
from machmeter.published.machine import machine_results, published_results
from machmeter.run.compare.machine_findings import MachineFinding, machine_findings
from machmeter.studies.select import STUDIES
from tests.support.importing_data import FOLDER as DATA

QUESTIONS = [question for study in STUDIES for question in study.questions]


def of_published(name: str) -> tuple[MachineFinding, ...]:
    ranks = published_machine(name).kind_ranks
    return machine_findings(QUESTIONS, published_results(name), ranks, published=True)


def answers_of(name: str) -> dict[str, str]:
    return {one.finding.question: one.finding.answer for one in of_published(name)}


@pytest.mark.parametrize("name", machine_names())
def test_what_is_decided_says_where_it_is_printed(name: str) -> None:
    for one in of_published(name):
        assert one.finding.status is AnswerStatus.DECIDED
        assert one.finding.confidence is Confidence.PUBLISHED
        assert one.finding.answer
        assert one.sources


def test_a_study_s_conclusions_lead_its_machine() -> None:
    edison = answers_of("edison")
    assert edison["Which socket has lower MPI latency?"].startswith("16 ranks: package 0, 1.60x")
    assert (
        edison["At which message sizes does the protocol switch, and what does the switch cost?"]
        == "it switches at 8 KiB"
    )
    shared = "Is memory uniform, NUMA or software-shared (pages last written by another core)?"
    assert answers_of("scalemp")[shared].startswith("write: software-shared memory")
    assert answers_of("tigerton")[shared].startswith("write: uniform")


def test_a_question_that_is_put_to_another_program_names_it() -> None:
    asked = "Which MPI library has lower latency? (by the wall time of neuron)"
    assert answers_of("gordon")[asked].startswith("MVAPICH2")


def test_a_decision_on_a_contradicted_figure_carries_its_flag() -> None:
    flagged = [one for one in of_published("scalemp") if one.flags]
    assert len(flagged) == 3
    assert all("which its own figures contradict" in flag for d in flagged for flag in d.flags)


def test_a_question_of_two_studies_is_asked_once() -> None:
    twice = machine_findings(
        [*QUESTIONS, *QUESTIONS], published_results("comet"), {}, published=True
    )
    assert twice == of_published("comet")


def test_only_the_published_machine_itself_is_asked_as_its_study_would() -> None:
    """A file of one's own may have the name of a published machine, but none of its figures."""
    empty = MachineResults("edison", "Mine", published_results("edison").origin, "me")
    assert machine_findings(QUESTIONS, empty, {}, published=False) == ()


def test_output_of_another_tool_decides_with_its_interval(tmp_path: Path) -> None:
    again = tmp_path / "again.txt"
    again.write_text((DATA / "osu/osu_latency.txt").read_text().replace("1.0", "1.1"))
    machine, _ = import_files([DATA / "osu/osu_latency.txt", again])
    found = machine_findings(QUESTIONS, machine_results(machine), {}, published=False)
    (switch,) = (one for one in found if "protocol switch" in one.finding.question)
    assert switch.finding.confidence is Confidence.LIKELY
    assert "[" in switch.finding.answer
    assert switch.sources


def test_a_machine_is_known_by_its_file() -> None:
    machine, _ = import_files([DATA / "osu/osu_latency.txt"])
    assert machine_of_file(machine, DATA / "osu/osu_latency.txt").id == "osu_latency.txt"
