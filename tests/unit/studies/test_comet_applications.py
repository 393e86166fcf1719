"""Study `comet`: up to how many ranks programs improve, and by which library, is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.analysis.rules.select import select
from machmeter.api.context import Context
from machmeter.api.programs import finding
from machmeter.api.programs.applications import with_applications
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.plan.question import BestRule, PublishedRatio, PublishedResults, Question
from machmeter.model.plan.study import Study
from machmeter.model.point import Point
from machmeter.run.compare.published_answers import answer_of_results, answers_of_source
from machmeter.studies.applications import scaling_questions
from machmeter.studies.comet.applications import COMET
from machmeter.text.findings.answers import finding_of
from tests.support.made_up.estimates import made_up
from tests.support.made_up.network_studies import (
    TWO_CORES,
    TWO_PACKAGES,
    about,
    found_in,
    machine_of,
    plan_of,
    problems_of,
    undecided,
)
from tests.support.processes.native_programs import executable


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """NEURON is a script here, which every MPI starts, LAMMPS one of MPICH's; the others are
    missing, whatever this machine has."""
    monkeypatch.setattr(finding, "read_cpuinfo", dict)
    for name in ("nrniv", "lmp"):
        executable(tmp_path / name, "exit 0")
    context = Context(environment={"PATH": str(tmp_path)}, cache=tmp_path)
    return with_applications(COMET, 420.0, context)


def rate(point: Point, metric: str) -> float:
    """Twice as fast on two ranks; Open MPI is faster by a half."""
    faster = 1.5 if point.variant.mpi == "openmpi" else 1.0
    seconds = 8.0 / point.layout.ranks / faster
    return seconds if metric in ("time", "wall") else 100 / seconds


def stuck(point: Point, metric: str) -> float:
    """More ranks than four take longer."""
    seconds = 8.0 / min(point.layout.ranks, 4) + 0.1 * point.layout.ranks
    return seconds if metric in ("time", "wall") else 100 / seconds


def question(words: str) -> Question:
    every = [one for app in COMET.applications for one in app.questions]
    (found,) = (one for one in every if words in one.text)
    return found


def test_an_application_of_one_mpi_is_measured_under_that_alone(study: Study) -> None:
    points = plan_of(study, machine_of(TWO_CORES)).points
    mpis = {
        name: {point.variant.mpi for point in points if point.benchmark == name}
        for name in ("app.neuron-ring", "app.lammps-liquid", "proxies.plf")
    }
    assert mpis["app.neuron-ring"] == mpis["proxies.plf"] == {"mpich", "openmpi"}
    assert len(mpis["app.lammps-liquid"]) == 1


def test_the_proxy_of_an_application_is_measured_under_every_mpi_too(study: Study) -> None:
    points = plan_of(study, machine_of(TWO_CORES)).points
    proxies = [one for one in points if one.benchmark == "proxies.ring"]
    assert {one.variant.mpi for one in proxies} == {"mpich", "openmpi"}
    assert {one.layout.ranks for one in proxies} == {1, 2}
    assert {one.layout.threads_per_rank for one in proxies} == {1}


def test_questions_and_experiments_name_what_there_is(study: Study) -> None:
    assert problems_of(study) == []


def test_a_liquid_on_a_device_is_beside_that_of_all_cores(study: Study) -> None:
    def eight_times(point: Point, metric: str) -> float:
        return 400.0 if point.benchmark == "device.liquid" else rate(point, metric)

    machine = machine_of(TWO_CORES, gpu=True)
    found = found_in(plan_of(study, machine), machine, eight_times, study.benchmarks)
    assert about(found, "has a device").startswith("device cuda:0: more, 10.7x")


def test_scaling_and_library_are_found_out(study: Study) -> None:
    machine = machine_of(TWO_CORES)
    found = found_in(plan_of(study, machine), machine, rate, study.benchmarks)
    missing = ("ExaML", "OpenFOAM", "Quantum ESPRESSO", "has a device")
    assert all(any(name in one for name in missing) for one in undecided(found))
    assert about(found, "how many ranks is NEURON").startswith("2")
    assert about(found, "Does NEURON scale").startswith("yes")
    assert "openmpi" in about(found, "faster for NEURON")
    assert about(found, "ranks is the liquid of LAMMPS").startswith("2")
    assert "openmpi" in about(found, "Phylogenetic likelihood: which MPI library")


def test_up_to_how_many_ranks_it_improves_is_found_out(study: Study) -> None:
    machine = machine_of(TWO_PACKAGES)
    found = found_in(plan_of(study, machine), machine, stuck, study.benchmarks)
    assert about(found, "how many ranks is NEURON").startswith("4")
    assert about(found, "Does NEURON scale").startswith("hardly")


@pytest.mark.parametrize(
    ("words", "machine", "efficiencies"),
    [
        ("Does NEURON scale", "gordon", {"Open MPI": 0.747, "MVAPICH2": 0.859}),
        ("Does NEURON scale", "comet", {"MVAPICH2": 0.898}),
        ("Does OpenFOAM scale", "gordon", {"Open MPI": 1.582, "MVAPICH2": 1.427}),
        ("Does OpenFOAM scale", "comet", {"MVAPICH2": 1.652}),
        ("Does Quantum ESPRESSO scale", "gordon", {"Open MPI": 0.486, "MVAPICH2": 0.659}),
        ("Does Quantum ESPRESSO scale", "comet", {"MVAPICH2": 0.686}),
    ],
)
def test_programs_of_the_paper_scale(
    words: str, machine: str, efficiencies: dict[str, float]
) -> None:
    asked = question(words)
    (source,) = (one for one in asked.published if one.machine == machine)
    assert isinstance(source, PublishedResults)
    finding = finding_of(answer_of_results(asked, source))
    found = {case.label: case.comparison.ratio for case in finding.cases if case.comparison}
    assert found == pytest.approx(efficiencies, abs=1e-3)


def test_the_library_of_gordon_is_the_paper_s() -> None:
    asked = question("faster for NEURON")
    (source,) = asked.published
    assert isinstance(source, PublishedResults)
    finding = finding_of(answer_of_results(asked, source))
    assert {case.label for case in finding.cases} == {
        f"{48 * 2**power} cores" for power in range(5)
    }
    assert all(case.answer.startswith("MVAPICH2") for case in finding.cases)


@pytest.mark.parametrize(
    ("words", "machine", "text"),
    [
        ("Does ExaML scale", "gordon", "2.06x"),
        ("Does ExaML scale", "comet", "2.01x"),
        ("the liquid of LAMMPS scale", "comet", "1.17x as fast on four GPUs"),
    ],
)
def test_what_raxml_and_the_liquid_of_the_paper_gain(words: str, machine: str, text: str) -> None:
    asked = question(words)
    (source,) = (one for one in asked.published if one.machine == machine)
    assert isinstance(source, PublishedRatio)
    (answer,) = answers_of_source(asked, source, None)
    assert answer.published.startswith(text)


def test_ranks_of_one_thread_are_compared_where_others_have_several() -> None:
    """GROMACS is measured in both: 1 x 2 differs from 1 x 1 in no number of ranks."""
    (fastest, _) = scaling_questions("gromacs-water", "GROMACS", "rate", "a source")
    assert isinstance(fastest.rule, BestRule)
    layouts = [Layout(ranks_per_node=r, threads_per_rank=t) for r, t in ((1, 1), (1, 2), (2, 1))]
    point: dict[str, Value] = {"width": "256-bit", "precision": "double"}
    pool = [made_up("compute.fma", point, one, "flops", 1e9 * one.ranks) for one in layouts]
    found = select(fastest.rule.candidate, pool, {})
    assert [one.point.layout.ranks for one in found] == [1, 2]
