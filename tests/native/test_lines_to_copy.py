"""The lines that explore ends with, run by a shell: they place a program as its launches did."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.programs.trying import problems_of
from machmeter.benchmarks.programs import USER_COPIES, USER_PROCESS
from machmeter.build.mpi import MpiInstall
from machmeter.launch.job_lines import NOT_USED, UsedLauncher, job_lines, lines_to_try, words_of
from machmeter.launch.launcher import ProgramLauncher
from machmeter.layout.assign import assign
from machmeter.machine.detect import detect_machine
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch
from machmeter.model.point import make_point
from machmeter.model.program import Program
from machmeter.store.records import read_record
from tests.support.fake_launcher import small_spec
from tests.support.processes.native_programs import Programs, launcher_of, two_cpus
from tests.support.processes.slurm_of_processes import in_job, why_not

WITNESS = (
    "/bin/sh",
    "-c",
    'echo "${OMP_NUM_THREADS:-unset} $(grep Cpus_allowed_list /proc/self/status)"',
)
OF = {"mpich": "MPICH", "openmpi": "Open MPI"}


@pytest.fixture(params=["mpich", "openmpi"])
def mpi(request: pytest.FixtureRequest) -> MpiInstall:
    install: MpiInstall = request.getfixturevalue(request.param)
    return install


def used_of(mpi: MpiInstall) -> UsedLauncher:
    return UsedLauncher(mpi.mpiexec, mpi.family, as_root=os.geteuid() == 0)


def launch_in(layout: Layout) -> Launch:
    braced = tuple(word.replace("{", "{{").replace("}", "}}") for word in WITNESS)
    spec = replace(small_spec(layout=layout), command=Command(braced, "/", 60.0))
    return Launch(1, spec, 1, assign(layout, detect_machine().topology))


def seen(
    launch: Launch, of: str, used: UsedLauncher = NOT_USED, under: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    """Threads and CPUs of each rank that the lines of one launcher start; used: what started the
    launches; under: what the shell runs in."""
    lines = job_lines(launch, of_ranks=of != "", used=used)
    meant = {"", f"with {of}", f"with {of}, not tried"} if of else {"", "on a node of your own"}
    script = "\n".join(line.command for line in lines if line.note in meant)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    # Another MPI is found first: it starts copies of one rank.
    path = f"/usr/bin:{os.environ['PATH']}"
    done = subprocess.run(
        [*under, "/bin/sh", "-c", script],
        env={**kept, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    words = [line.split() for line in done.stdout.splitlines() if "Cpus" in line]
    return sorted((threads, cpus) for threads, _, cpus in words)


def listed(cpus: tuple[tuple[int, ...], ...]) -> str:
    """As the kernel writes the CPUs of a rank, of which there are one or two."""
    numbers = sorted({cpu for one in cpus for cpu in one})
    return "-".join(map(str, numbers)) if len(numbers) < 3 else ""


@pytest.mark.parametrize(("ranks", "threads"), [(1, 2), (2, 1), (1, 1)])
def test_ranks_are_on_the_cpus_of_the_layout(mpi: MpiInstall, ranks: int, threads: int) -> None:
    two_cpus()
    layout = Layout(ranks_per_node=ranks, threads_per_rank=threads, wait_policy=WaitPolicy.DEFAULT)
    launch = launch_in(layout)
    expected = sorted((str(threads), listed(rank)) for rank in launch.assignment.cpus)
    assert seen(launch, OF[mpi.family], used_of(mpi)) == expected


@pytest.mark.parametrize("of", ["Slurm, MPICH", "Slurm, Open MPI"])
@pytest.mark.parametrize(("ranks", "threads"), [(1, 2), (2, 1)])
def test_a_step_of_slurm_is_on_the_cpus_of_the_layout(
    of: str, ranks: int, threads: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In a job of more nodes than the layout has."""
    two_cpus()
    if reason := why_not():
        pytest.skip(reason)
    layout = Layout(ranks_per_node=ranks, threads_per_rank=threads, wait_policy=WaitPolicy.DEFAULT)
    launch = launch_in(layout)
    expected = sorted((str(threads), listed(rank)) for rank in launch.assignment.cpus)
    job = in_job(tmp_path_factory.mktemp("slurm"), ("node-a", "node-b"))
    assert seen(launch, of, under=job) == expected


def test_nothing_is_set_where_nothing_was(mpi: MpiInstall) -> None:
    layout = Layout(ranks_per_node=2, binding=Binding.DEFAULT, wait_policy=WaitPolicy.DEFAULT)
    found = seen(launch_in(layout), OF[mpi.family], used_of(mpi))
    assert [threads for threads, _ in found] == ["unset", "unset"]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_process_is_on_the_cpus_of_the_layout(threads: int) -> None:
    two_cpus()
    launch = launch_in(Layout(threads_per_rank=threads, wait_policy=WaitPolicy.DEFAULT))
    expected = [(str(threads), listed(launch.assignment.cpus[0]))]
    assert seen(launch, "") == expected


def tried(
    launch: Launch,
    used: UsedLauncher,
    launcher: ProgramLauncher,
    folder: Path,
    meant: Launch | None = None,
) -> list[str]:
    """What is not as the layout says where its lines are taken apart and started; meant: in the
    place of what they are made for."""
    lines = lines_to_try(job_lines(launch, of_ranks=used is not NOT_USED, used=used))
    record, of = folder / "tried.jsonl", meant or launch
    attempt = launcher.start(of, record, 60.0, words_of(lines))
    topology = detect_machine().topology
    return list(problems_of(of, topology, read_record(record), attempt.result))


def of_program(launch: Launch, program: Program) -> Launch:
    point = make_point("explore.process", {"command": "witness"}, launch.spec.layout)
    spec = replace(launch.spec, program=program.name, benchmark="explore.process", points=(point,))
    return replace(launch, spec=spec)


def test_lines_taken_apart_start_a_process_where_they_say(
    programs: Programs, tmp_path: Path
) -> None:
    """Without a shell what starts it is looked for on the PATH all the same."""
    launcher = launcher_of(programs, None, os.environ)
    layout = Layout(wait_policy=WaitPolicy.DEFAULT)
    launch = of_program(launch_in(layout), USER_PROCESS)
    assert tried(launch, NOT_USED, launcher, tmp_path) == []
    first, second = two_cpus()
    elsewhere = replace(launch, assignment=replace(launch.assignment, cpus=(((second,),),)))
    (problem,) = tried(launch, NOT_USED, launcher, tmp_path, elsewhere)
    assert f"{second} requested, {first} given" in problem


def test_lines_taken_apart_start_ranks_where_they_say(
    mpi: MpiInstall, programs: Programs, tmp_path: Path
) -> None:
    two_cpus()
    launcher = launcher_of(programs, mpi, os.environ)
    layout = Layout(ranks_per_node=2, wait_policy=WaitPolicy.DEFAULT)
    launch = of_program(launch_in(layout), USER_COPIES)
    command = launch.spec.command
    assert command is not None
    copies = replace(launch, spec=replace(launch.spec, command=replace(command, copies=True)))
    assert tried(copies, used_of(mpi), launcher, tmp_path) == []
