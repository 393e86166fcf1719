"""Applications as parts of a study: what is installed is measured, what is not says how to."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.programs.applications import with_applications
from machmeter.api.requests import inherit
from machmeter.api.requests import request as request_of
from machmeter.apps.benchmark import benchmark_of
from machmeter.apps.builtin import app_file
from machmeter.apps.read import read_description
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import RankSweep
from machmeter.model.layout import Binding, ProgressMode
from machmeter.model.plan.command import Command
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import RunHeader
from machmeter.model.variant import ONLY
from machmeter.run.ab.baseline import without_applications
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.planning.layouts import Configuration, configurations_for
from machmeter.run.planning.plan import expected_launch_seconds
from machmeter.studies.comet.applications import COMET
from machmeter.studies.roofline import ROOFLINE
from tests.support.fake_launcher import synthetic_machine
from tests.support.processes.native_programs import executable

APP = "app.hpcc"
TWO_LIBRARIES = LayoutOptions(mpis=("mpich", "openmpi"))


@pytest.fixture
def installed(tmp_path: Path) -> Context:
    """A folder on the PATH with a program of that name, which is linked with no MPI."""
    executable(tmp_path / "hpcc", "exit 0")
    return Context(environment={"PATH": f"{tmp_path}:/usr/bin:/bin"})


@pytest.fixture
def bare(tmp_path: Path) -> Context:
    return Context(environment={"PATH": str(tmp_path)})


def study_in(context: Context) -> Study:
    return with_applications(ROOFLINE, 180.0, context)


def test_an_installed_application_is_an_experiment_with_its_question(installed: Context) -> None:
    study = study_in(installed)
    (experiment,) = (one for one in study.experiments if one.benchmark == APP)
    assert experiment.command is not None
    assert experiment.command.words[0].endswith("/hpcc")
    assert experiment.command.own_folder
    assert experiment.lacks == ""
    assert find(APP, study.benchmarks).metrics[0].name == "hpl"
    assert study.applications == ()
    assert {q.benchmark for q in study.questions} > {APP}
    # What is resolved already stays as it is.
    assert with_applications(study, 180.0, installed) == study


def test_one_that_is_missing_is_left_out_with_what_installs_it(bare: Context) -> None:
    asked = request_of("roofline", context=bare)
    plan = plan_before_sizing(asked, synthetic_machine())
    assert APP not in {spec.benchmark for spec in plan.specs}
    (reason,) = (one.reason for one in plan.skipped if one.what == APP)
    assert "apt install hpcc" in reason


def test_a_study_with_an_application_measures_more_than_programs(installed: Context) -> None:
    asked = request_of("roofline", context=installed)
    plan = plan_before_sizing(asked, synthetic_machine())
    assert {spec.benchmark for spec in plan.specs} >= {APP, "compute.fma"}
    assert not asked.explores


def test_a_script_has_ranks_by_its_description_under_every_mpi_of_the_run(tmp_path: Path) -> None:
    executable(tmp_path / "nrniv", "exit 0")
    context = Context(environment={"PATH": f"{tmp_path}:/usr/bin:/bin"}, cache=tmp_path)
    study = with_applications(COMET, 180.0, context)
    (ring,) = (one for one in study.experiments if one.benchmark == "app.neuron-ring")
    assert ring.command is not None
    assert ring.command.mpi == ""
    assert ring.ranks is RankSweep.EVERY
    assert find("app.neuron-ring", study.benchmarks).program.has_ranks


@pytest.mark.parametrize(
    ("mpis", "starter"),
    [
        ((), "mpich"),
        (("mpich",), "mpich"),
        (("openmpi", "mpich"), "mpich"),
        (("openmpi",), None),
    ],
)
def test_a_program_of_one_mpi_is_started_by_a_requested_one_of_its_family(
    mpis: tuple[str, ...], starter: str | None, tmp_path: Path
) -> None:
    executable(tmp_path / "lmp", "exit 0")
    context = Context(environment={"PATH": str(tmp_path)}, cache=tmp_path)
    study = with_applications(COMET, 180.0, context, mpis)
    (liquid,) = (one for one in study.experiments if one.benchmark == "app.lammps-liquid")
    assert (liquid.command.mpi if liquid.command else None) == starter
    assert ("--mpi openmpi is not" in liquid.lacks) is (starter is None)


def test_a_plan_takes_the_time_that_a_description_names(tmp_path: Path) -> None:
    executable(tmp_path / "nrniv", "exit 0")
    context = Context(environment={"PATH": f"{tmp_path}:/usr/bin:/bin"}, cache=tmp_path)
    plan = plan_before_sizing(request_of("comet", context=context), synthetic_machine())
    rings = [one for one in plan.specs if one.benchmark == "app.neuron-ring"]
    assert {expected_launch_seconds(one, {}) for one in rings} == {4.0}


def test_a_launch_is_limited_by_the_budget_that_was_requested(installed: Context) -> None:
    asked = request_of("roofline", budget_seconds=600, context=installed)
    assert [one.command.limit_seconds for one in asked.study.experiments if one.command] == [600]


def layouts_of(
    experiment: Experiment, options: LayoutOptions = TWO_LIBRARIES
) -> tuple[Configuration, ...]:
    """Of an application with ranks, by default in a run with two MPI libraries."""
    benchmark = benchmark_of(read_description(app_file("hpcc")), of_ranks=True)
    return configurations_for(benchmark, experiment, synthetic_machine(), options).every


def test_in_a_study_only_its_own_ranks_are_measured_with_its_own_mpi() -> None:
    """The layout of who sets nothing is a contestant where a program is explored alone."""
    command = Command(("/usr/bin/hpcc",), "/", 60.0, mpi="/usr")
    (found,) = layouts_of(Experiment(APP, ranks=RankSweep.ALL, command=command))
    assert found.layout.ranks_per_node == len(synthetic_machine().topology.usable_cores)
    assert found.layout.binding is Binding.CLOSE
    assert found.variant == ONLY
    alone = layouts_of(Experiment(APP, command=replace(command, mpi="")))
    assert {one.layout.binding for one in alone} == {Binding.CLOSE, Binding.DEFAULT}
    assert {one.variant.mpi for one in alone} >= {"mpich", "openmpi"}


def test_what_only_our_benchmarks_take_does_not_change_its_layouts() -> None:
    command = Command(("/usr/bin/hpcc",), "/", 60.0, mpi="/usr")
    application = Experiment(APP, ranks=RankSweep.ALL, command=command)
    ours = LayoutOptions(openmp=("libgomp",), page_bytes=(2**21,), progress=(ProgressMode.THREAD,))
    assert layouts_of(application, ours) == layouts_of(application, LayoutOptions())


@pytest.mark.parametrize("context", ["installed", "bare"])
@pytest.mark.parametrize("given", [set(), {"names"}])
def test_an_a_b_run_leaves_applications_and_their_questions_out(
    context: str, given: set[str], request: pytest.FixtureRequest
) -> None:
    asked = request_of("roofline", context=request.getfixturevalue(context))
    old = RunHeader("before", "", "", (), asked, synthetic_machine(), 1)
    new = inherit(asked, old, given)
    assert APP not in {one.benchmark for one in new.study.questions}
    plan = plan_before_sizing(new, synthetic_machine())
    assert APP not in {spec.benchmark for spec in plan.specs}
    (reason,) = (one.reason for one in plan.skipped if one.what == APP)
    assert reason == "an A/B run measures machmeter's own benchmarks only"


def test_programs_alone_stay_in_what_is_refused_as_a_whole() -> None:
    alone = Study("explore", "", "", (Experiment(APP, command=Command(("/app",), "/", 60.0)),))
    assert without_applications(alone) == alone
