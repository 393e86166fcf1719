"""Which MPIs a run looks for."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event, Thread, main_thread
from typing import cast

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM
from machmeter.benchmarks.reference import REFERENCE
from machmeter.build.compiler import Compiler
from machmeter.build.mpi import MpiInstall
from machmeter.build.process import raise_if_ended, run_tool
from machmeter.build.progress import BuildListener, BuildStep
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.program import Program
from machmeter.model.results.run import Request
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.programs import compiled as compiled_module
from machmeter.run.programs.compiled import BuildContext, compiled_programs
from machmeter.store.locks import exclusive
from tests.support.fake_launcher import PRECISION, STUDY, synthetic_machine
from tests.support.processes.machmeter_command import wait_until
from tests.support.sysfs_tree import Shape
from tests.unit.build.test_process import alive

MPI = MpiInstall("mpich", "/mpi", "/mpi/bin/mpicxx", "/mpi/bin/mpiexec", "5.0.2")
ASKED = Request((STUDY.name,), STUDY, LayoutOptions(), PRECISION, "/no/such/mpi", "")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that are compiled, by a compiler that is not there."""
    found: list[Program] = []

    def build(_cache: Path, program: Program, *_: object, **_more: object) -> str:
        found.append(program)
        return f"/built/{program.name}"

    monkeypatch.setattr(compiled_module, "find_compiler", lambda *_: Compiler("/c++", "c++ 1"))
    monkeypatch.setattr(compiled_module, "build_program", build)
    return found


def programs_of(machine: Machine, folder: Path, asked: Request = ASKED) -> Ready:
    plan = plan_before_sizing(asked, machine)
    return compiled_programs(asked, plan, machine, BuildContext({}, folder), print)


def test_no_mpi_is_looked_for_where_no_launch_would_use_it(
    tmp_path: Path, compiled: list[Program]
) -> None:
    ready = programs_of(synthetic_machine(Shape(1, 1, 1, 1)), tmp_path)
    assert ready == {("", NODE_PROGRAM.name): ReadyProgram("/built/machmeter-node")}
    assert compiled == [NODE_PROGRAM]
    with pytest.raises(MachineLacksError, match="/no/such/mpi"):
        programs_of(synthetic_machine(), tmp_path)


def test_nothing_is_compiled_in_vain_where_the_second_mpi_is_not_there(
    tmp_path: Path, compiled: list[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_module, "resolve_mpi", resolve_all_but("/nor/this"))
    two = replace(ASKED, mpi="/is/there,/nor/this")
    with pytest.raises(MachineLacksError, match="/nor/this"):
        programs_of(synthetic_machine(), tmp_path, two)
    assert not compiled


def resolve_all_but(missing: str) -> Callable[..., MpiInstall]:
    def resolve(name: str, *_: object) -> MpiInstall:
        if name == missing:
            raise MachineLacksError(f"there is no MPI in {name}", "")
        return MPI

    return resolve


@pytest.mark.parametrize("steps", [0, 3])
def test_that_programs_are_compiled_is_said_once_and_only_where_they_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    compiled: list[Program],
    steps: int,
) -> None:
    def build(
        _cache: Path, program: Program, *_: object, listener: BuildListener, **__: object
    ) -> str:
        compiled.append(program)
        for done in range(steps):
            listener(BuildStep(done, steps, 0.0, -1.0))
        return f"/built/{program.name}"

    monkeypatch.setattr(compiled_module, "build_program", build)
    programs_of(synthetic_machine(Shape(1, 1, 1, 1)), tmp_path)
    said = capsys.readouterr().out
    assert said.count("compiling for this machine") == min(steps, 1)
    # How long it takes is known before it begins.
    assert bool(re.search(r": about \d+ s on \d+ CPUs?\n", said)) == bool(steps)
    assert "MPI" not in said


def test_programs_are_compiled_at_once_with_the_benchmarks_that_are_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[Program]
) -> None:
    both = Barrier(2)
    held: dict[str, set[str]] = {}

    def build(_cache: Path, program: Program, *_: object, **more: object) -> str:
        both.wait(timeout=60)
        held[program.name] = set(cast("set[str]", more["benchmarks"]))
        return f"/built/{program.name}"

    monkeypatch.setattr(compiled_module, "build_program", build)
    monkeypatch.setattr(compiled_module, "resolve_mpi", lambda *_: MPI)
    ready = programs_of(synthetic_machine(), tmp_path)
    assert set(held) == {NODE_PROGRAM.name, MPI_PROGRAM.name}
    requested = {one.benchmark for one in STUDY.experiments}
    assert set.union(*held.values()) == requested | {REFERENCE.name}
    assert all(find(name).program.name == p for p, names in held.items() for name in names)
    assert {one.mpi for (_, p), one in ready.items() if p == MPI_PROGRAM.name} == {MPI}


def test_one_build_that_fails_ends_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[Program]
) -> None:
    begun = Event()

    def build(_cache: Path, program: Program, *_: object, **__: object) -> str:
        if program is MPI_PROGRAM:
            begun.wait(timeout=60)
            raise MachineLacksError("it does not compile")
        begun.set()
        return run_tool(["sleep", "600"], doing="compiling", remedy="", timeout=600)

    monkeypatch.setattr(compiled_module, "build_program", build)
    monkeypatch.setattr(compiled_module, "resolve_mpi", lambda *_: MPI)
    with pytest.raises(MachineLacksError, match="it does not compile"):
        programs_of(synthetic_machine(), tmp_path)


def test_one_build_that_fails_ends_another_that_waits_for_a_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[Program]
) -> None:
    begun = Event()

    def build(_cache: Path, program: Program, *_: object, **__: object) -> str:
        if program is MPI_PROGRAM:
            begun.wait(timeout=60)
            raise MachineLacksError("it does not compile")
        begun.set()
        with exclusive(tmp_path / "lock", raise_if_ended):
            return "the lock of another process"

    monkeypatch.setattr(compiled_module, "build_program", build)
    monkeypatch.setattr(compiled_module, "resolve_mpi", lambda *_: MPI)
    with (
        exclusive(tmp_path / "lock"),
        pytest.raises(MachineLacksError, match="it does not compile"),
    ):
        programs_of(synthetic_machine(), tmp_path)


def test_a_second_interrupt_leaves_no_compiler_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[Program]
) -> None:
    pid = tmp_path / "pid"
    stubborn = f"trap '' TERM; echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 600 & wait; wait"

    def build(*_: object, **__: object) -> str:
        return run_tool(["sh", "-c", stubborn], doing="compiling", remedy="", timeout=600)

    over = Event()

    def interrupt_twice() -> None:
        wait_until(pid.exists, "it compiles")
        for pause in (0.0, 0.5):
            # One that comes too late would interrupt all tests.
            if over.wait(pause):
                return
            signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)

    monkeypatch.setattr(compiled_module, "build_program", build)
    monkeypatch.setattr(compiled_module, "resolve_mpi", lambda *_: MPI)
    monkeypatch.setattr("machmeter.build.process._GRACE_SECONDS", 2.0)
    person = Thread(target=interrupt_twice)
    person.start()
    with pytest.raises(KeyboardInterrupt):
        programs_of(synthetic_machine(Shape(1, 1, 1, 1)), tmp_path)
    over.set()
    person.join()
    assert not alive(int(pid.read_text()))


def test_compilers_are_no_more_than_a_cgroup_has_cpus_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[Program]
) -> None:
    jobs: list[str] = []

    def build(
        _cache: Path, _program: Program, _tools: object, environment: dict[str, str], **_: object
    ) -> str:
        jobs.append(environment["CMAKE_BUILD_PARALLEL_LEVEL"])
        return ""

    monkeypatch.setattr(compiled_module, "build_program", build)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(128)))
    for quota in (0.0, 1.5):
        programs_of(replace(synthetic_machine(Shape(1, 1, 1, 1)), cpu_quota=quota), tmp_path)
    assert jobs == ["129", "3"]
