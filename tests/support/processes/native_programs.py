"""The compiled programs, and launches of them, for tests that need no whole run."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec import Struct

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM, PROGRAMS
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import WRAPPER, build_program
from machmeter.build.shmem import ShmemInstall
from machmeter.build.toolchains import BuildTools
from machmeter.launch.launcher import Attempt, Launcher, ProgramLauncher
from machmeter.launch.launchers.hosts import THIS_HOST, Hosts
from machmeter.launch.libraries import Libraries
from machmeter.launch.ready import ReadyProgram
from machmeter.layout.assign import assign
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import AUTO, Value
from machmeter.model.device import NamedDevice
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import layout_label
from machmeter.model.plan.launch import Launch, LaunchOutcome, LaunchSpec, Record
from machmeter.model.point import make_point
from machmeter.model.program import Program
from machmeter.run.measuring.judge import judge_attempt
from machmeter.store.records import read_record

LIMIT_SECONDS = 60.0
# Of ranks that hang once they measure, and spin until they are ended: the next where they had not
# begun to measure within one, as on a busy machine.
LIMITS_OF_HANGS = (2.5, 6.0, 20.0)
# What tests outside `full` measure with other libraries than MPICH: each benchmark of a library
# costs seconds of compiling.
OFTEN = ("network.latency", "network.bandwidth", "network.collective", "network.onesided")


class Programs(Struct, frozen=True):
    """Every compiled program in one folder with the wrapper, so that one can be replaced."""

    folder: str

    def path(self, program: Program) -> str:
        return str(Path(self.folder) / program.name)

    @property
    def wrapper(self) -> str:
        return str(Path(self.folder) / WRAPPER)


def launcher_of(
    programs: Programs,
    mpi: MpiInstall | None,
    environment: Mapping[str, str],
    libraries: Libraries | None = None,
    hosts: Hosts = THIS_HOST,
    devices: Sequence[NamedDevice] = (),
) -> ProgramLauncher:
    """What starts the programs of a run of one variant, those of OpenSHMEM where `mpi` is one."""
    ready = {
        ("", one.name): ReadyProgram(programs.path(one), mpi if one.has_ranks else None)
        for one in PROGRAMS.values()
    }
    return ProgramLauncher(ready, environment, libraries, hosts=hosts, devices={False: devices})


def build_tools(mpi: MpiInstall | None = None, shmem: ShmemInstall | None = None) -> BuildTools:
    """This machine's compiler, as a run of this user would find it."""
    machine = detect_machine()
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    return BuildTools(find_compiler("", os.environ), features, mpi, shmem)


def built_with(
    mpi: MpiInstall, cache: Path, benchmarks: Collection[str] | None = OFTEN
) -> Programs:
    """The programs as a run of this user would build them; `benchmarks`: what that of the ranks
    must hold (None: all). With MPICH it always holds all, since some test needs each of them."""
    held = None if mpi.family == "mpich" else benchmarks
    of_node = build_program(cache, NODE_PROGRAM, build_tools(), os.environ)
    of_mpi = build_program(cache, MPI_PROGRAM, build_tools(mpi), os.environ, benchmarks=held)
    folder = cache / "together" / Path(of_mpi).parent.name
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(Path, (of_node, of_mpi, str(Path(of_mpi).with_name(WRAPPER)))):
        # At once: other workers of a test session make the same links.
        unfinished = folder / f"{path.name}.{os.getpid()}"
        unfinished.unlink(missing_ok=True)
        unfinished.symlink_to(path)
        unfinished.replace(folder / path.name)
    return Programs(str(folder))


def with_script(programs: Programs, folder: Path, name: str, script: str) -> Programs:
    """The same programs, that of `name` replaced by a shell script; the real one is `$REAL`."""
    folder.mkdir()
    for program in ("machmeter-node", "machmeter-mpi", "machmeter-bind"):
        if program != name and (Path(programs.folder) / program).exists():
            shutil.copy(Path(programs.folder) / program, folder / program)
    executable(folder / name, f"REAL='{Path(programs.folder) / name}'\n{script}\n")
    return Programs(str(folder))


def when_it_measures(rank: int, command: str) -> str:
    """A script in the place of machmeter-mpi that runs `command` once that rank measures; there
    `$$` is the rank's process."""
    itself = f'[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = {rank} ]'
    measures = 'until grep -q begun "$3.partial" 2> /dev/null; do sleep 0.05; done'
    return f'{itself} && ({measures}; sleep 0.2; {command}) &\nexec "$REAL" "$@"'


def executable(path: Path, script: str) -> Path:
    """A shell script that can be started."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def launch_of(
    benchmark: str,
    points: list[dict[str, Value]],
    layout: Layout,
    number: int = 1,
    seed: int = 7,
) -> Launch:
    """A launch of those points on this machine; what a point of a network benchmark does not name
    is at the parameter's first value."""
    known = find(benchmark)
    of_ranks = known.program.has_ranks
    firsts = {p.name: p.values[0] for p in known.parameters if of_ranks and p.values[0] != AUTO}
    spec = LaunchSpec(
        name=f"{benchmark} ({layout_label(layout)})",
        program=known.program.name,
        benchmark=benchmark,
        layout=layout,
        points=tuple(make_point(benchmark, firsts | parameters, layout) for parameters in points),
        seconds_per_point=0.02,
        samples=50,
    )
    return Launch(number, spec, seed, assign(layout, detect_machine().topology))


def start(
    launcher: Launcher, launch: Launch, folder: Path, limit_seconds: float = LIMIT_SECONDS
) -> tuple[LaunchOutcome, Record]:
    """Start a launch and judge it, as a run does."""
    path = folder / f"{launch.number:05d}.jsonl"
    attempt = launcher.start(launch, path, limit_seconds)
    record = read_record(path)
    return judged(launch, attempt, record), record


def judged(launch: Launch, attempt: Attempt, record: Record) -> LaunchOutcome:
    # Tests run beside others.
    return judge_attempt(launch, attempt, record, among_others=True)


def two_cpus() -> tuple[int, int]:
    """Two CPUs of this machine; skips the test where it has not as many cores."""
    topology = detect_machine().topology
    if len(topology.usable_cores) < 2:
        pytest.skip("needs two cores")
    return topology.usable[0].number, topology.usable[-1].number
