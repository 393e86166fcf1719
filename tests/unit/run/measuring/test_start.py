"""What is refused before anything is compiled or measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter import __version__
from machmeter.benchmarks.network.system import STARTUP
from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.build.openmp import is_made_for_this_machine
from machmeter.build.sources import read_sources
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.command import Command
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Plan, Request, SkipCause, Skipped
from machmeter.run.measuring import start
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.start import (
    create_run,
    measure_run,
    plan_before_sizing,
    prepare_programs,
    refuse_other_build,
    refuse_output,
    with_servable_runtimes,
)
from machmeter.run.measuring.target import AMONG_OTHERS, Target, target_of
from machmeter.run.planning.within_budget import without
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.fetched import INTEL, as_if_fetched
from machmeter.simulation.as_machine import machine_of
from machmeter.store.files import write_json
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    PRECISION,
    STUDY,
    FakeLauncher,
    new_folder,
    run_to_end,
    synthetic_machine,
)
from tests.support.made_up.ab_runs import against
from tests.support.made_up.todays_sources import measured_today
from tests.support.made_up.twins import made_up_twin
from tests.support.sysfs_tree import Shape


def asked(study: Study = STUDY) -> Request:
    return Request((study.name,), study, LayoutOptions(), PRECISION, "/no/such/mpi", "")


def one_core() -> Machine:
    return synthetic_machine(Shape(1, 1, 1, 1))


def test_a_plan_without_points_is_refused_with_the_reasons() -> None:
    network = Study("network", "", "", (Experiment("network.latency"),))
    with pytest.raises(MachineLacksError, match="--oversubscribe"):
        plan_before_sizing(asked(network), one_core())
    assert plan_before_sizing(asked(network), synthetic_machine()).points


def test_a_run_records_what_its_caller_set_for_threads_and_nothing_else(tmp_path: Path) -> None:
    caller = {"OMP_WAIT_POLICY": "passive", "HOME": "/secret", "GOMP_SPINCOUNT": "0\udc80"}
    folder = create_run(tmp_path / "a", "a", asked(), one_core(), (), environment=caller)
    kept = folder.header().thread_settings
    assert kept.keys() == {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}
    assert kept["GOMP_SPINCOUNT"].encode().startswith(b"0")


def test_what_there_is_no_memory_for_is_refused() -> None:
    large = Study("large", "", "", (Experiment("memory.stream", {"size": (2**40,)}),))
    with pytest.raises(UsageError, match="needs 3 TiB of memory"):
        plan_before_sizing(asked(large), synthetic_machine())


def test_what_a_short_budget_left_out_stays_out_after_sizing(tmp_path: Path) -> None:
    two = Study("auto", "", "", (Experiment("memory.latency"), Experiment("memory.pages")))
    folder = new_folder(tmp_path / "run", two)
    plan = plan_before_sizing(asked(two), folder.header().machine)
    left = next(spec.name for spec in plan.specs if spec.benchmark == "memory.pages")
    likely = without(plan, [Skipped(left, "too short", SkipCause.BUDGET)])
    launcher = FakeLauncher()
    measure_run(folder, launcher, ignore_progress, likely)
    kept = folder.plan()
    assert kept is not None
    assert kept.sizes
    assert left not in [spec.name for spec in kept.specs]
    assert [one.what for one in kept.skipped] == [left]
    assert left not in {launch.spec.name for launch in launcher.started}


def with_openmp(machine: Machine, **runtimes: str) -> Machine:
    software = replace(machine.software, openmp_runtimes=runtimes)
    return replace(machine, software=software)


def test_programs_are_looked_into_only_where_a_layout_names_a_runtime(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its programs are linked with libomp, which GCC's runtime cannot stand in for."""
    looked_into: list[str] = []

    def linked(program: str, _environment: object) -> str:
        looked_into.append(program)
        return "libomp"

    monkeypatch.setattr(start, "linked_runtime", linked)
    machine = with_openmp(synthetic_machine(), libgomp="/a", libomp="/b")
    ready = {("", NODE_PROGRAM.name): ReadyProgram("/built/machmeter-node")}
    plan = plan_before_sizing(asked(), machine)
    assert with_servable_runtimes(plan, machine, ready, {}) is machine
    assert not looked_into
    compared = Study("c", "", "", (Experiment("threads.sync", runtimes=True),))
    plan = plan_before_sizing(asked(compared), machine)
    found = with_servable_runtimes(plan, machine, ready, {})
    assert looked_into == ["/built/machmeter-node"]
    assert found.software.openmp_runtimes == {"libomp": "/b"}


@pytest.mark.parametrize("present", [True, False])
def test_what_a_run_would_fetch_is_planned_for(present: bool) -> None:
    machine = with_openmp(synthetic_machine(), libgomp="/a", **({INTEL: "/i"} if present else {}))
    wish = LayoutOptions(openmp=(INTEL,))
    wanted = replace(asked(), layout_options=wish)
    complete = as_if_fetched(wanted, machine)
    assert (complete is not machine) == (not present and is_made_for_this_machine())
    assert as_if_fetched(asked(), machine) is machine
    plan = plan_before_sizing(wanted, complete)
    points = [spec for spec in plan.specs if spec.of_points]
    assert {spec.layout.openmp for spec in points} == {INTEL}


def of_this_version(folder: RunFolder) -> RunFolder:
    write_json(folder.path / "run.json", replace(folder.header(), version=__version__))
    return folder


def test_a_run_goes_on_only_with_the_programs_it_began_with(tmp_path: Path) -> None:
    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher())
    with pytest.raises(UsageError, match="version 1, and this is version"):
        refuse_other_build(folder)
    of_this_version(folder)
    with pytest.raises(UsageError, match=f"sources of .*{'0' * 16}, and this"):
        refuse_other_build(folder)
    measured_today(folder)
    refuse_other_build(folder)
    kernel = read_sources().of_benchmark("memory.latency")[0]
    for path in (folder.path / "launches").glob("*.jsonl"):
        path.write_text(path.read_text().replace(kernel, "1" * 16))
    with pytest.raises(UsageError, match=f"sources of memory.latency {'1' * 16}"):
        refuse_other_build(folder)


def test_a_run_that_measured_nothing_yet_goes_on_with_any_sources(tmp_path: Path) -> None:
    refuse_other_build(of_this_version(new_folder(tmp_path / "run")))


def test_a_folder_that_cannot_take_a_run_is_refused(tmp_path: Path) -> None:
    refuse_output(tmp_path)
    refuse_output(tmp_path / "to be" / "made")
    assert not (tmp_path / "to be").exists()
    folder = new_folder(tmp_path / "run")
    with pytest.raises(UsageError, match="holds a run already"):
        refuse_output(folder.path)
    with pytest.raises(UsageError, match="is no folder"):
        refuse_output(folder.path / "run.json" / "below")


def test_a_model_is_the_same_wherever_it_is_resumed_and_waits_for_nobody(tmp_path: Path) -> None:
    twin = made_up_twin()
    simulated = replace(asked(), twin=twin)
    context = BuildContext({AMONG_OTHERS: "1"}, tmp_path)
    model = target_of(simulated, None, context, print)
    elsewhere = replace(synthetic_machine(), host="elsewhere")
    assert model.again(elsewhere) == elsewhere
    assert model.watch() is None
    # Nothing else runs on a model.
    assert model.completed(None) == (simulated, machine_of(twin))
    with pytest.raises(UsageError, match="an A/B run measures two variants in turn"):
        target_of(simulated, against(), context, print)


def test_this_machine_is_looked_at_again_and_waited_for_where_it_is_seen(tmp_path: Path) -> None:
    def here(request: Request) -> Target:
        return target_of(request, None, BuildContext({}, tmp_path), print)

    elsewhere = replace(synthetic_machine(), host="elsewhere")
    assert here(asked()).again(elsewhere).host != "elsewhere"
    assert here(asked()).watch() is not None
    assert here(replace(asked(), among_others=True)).watch() is None
    on_hosts = replace(asked(), layout_options=LayoutOptions(hosts=("a", "b")))
    assert here(on_hosts).watch() is None


@pytest.mark.parametrize("is_ours", [True, False])
def test_only_programs_of_ours_over_hosts_have_one_compiled_that_starts_mpi_up(
    monkeypatch: pytest.MonkeyPatch, *, is_ours: bool
) -> None:
    """An MPI that only starts programs has no compiler."""
    compiled: set[str] = set()

    def built(_request: object, plan: Plan, *_: object) -> Ready:
        compiled.update(one.benchmark for one in plan.specs if one.is_ours)
        return {}

    monkeypatch.setattr(start, "compiled_programs", built)
    command = None if is_ours else Command(("/bin/true",), "/", 60.0)
    study = Study("one", "", "", (Experiment("network.barrier", command=command),))
    request = replace(asked(study), layout_options=LayoutOptions(hosts=("n1", "n2")))
    machine = synthetic_machine()
    plan = plan_before_sizing(request, machine)
    prepare_programs(request, plan, machine, BuildContext({}, Path("/none")), lambda _: None)
    assert (STARTUP.name in compiled) is is_ours
