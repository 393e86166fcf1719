"""The lines that explore ends with, run by a shell: they place a program as its launches did."""

from __future__ import annotations

import os
import subprocess

import pytest
from msgspec.structs import replace

from machmeter.build.mpi import MpiInstall
from machmeter.launch.job_lines import NOT_USED, UsedLauncher, job_lines
from machmeter.layout.assign import assign
from machmeter.machine.detect import detect_machine
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch
from tests.support.fake_launcher import small_spec
from tests.support.processes.native_programs import two_cpus
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
    named = f"with {of}" + ", not tried" * (used is NOT_USED)
    meant = {"", named if of else "on a node of your own"}
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
