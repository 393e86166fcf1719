"""The compiled programs, and launches of them, for tests that need no whole run."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import find
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs, build_programs
from machmeter.launch.hosts import THIS_HOST, Hosts
from machmeter.launch.libraries import Libraries
from machmeter.launch.local import Attempt, Launcher, LocalLauncher
from machmeter.launch.toolset import Toolset
from machmeter.layout.assign import assign
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import AUTO, Executable, Value
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Launch, LaunchOutcome, LaunchSpec, Record
from machmeter.model.point import make_point
from machmeter.run.measuring.judge import judge
from machmeter.store.records import read_record

LIMIT_SECONDS = 60.0


def launcher_of(
    programs: Programs,
    mpi: MpiInstall | None,
    environment: Mapping[str, str] = os.environ,
    libraries: Libraries | None = None,
    hosts: Hosts = THIS_HOST,
) -> LocalLauncher:
    """What starts the programs of a run of one variant, those of OpenSHMEM where `mpi` is one."""
    tools = Toolset(programs, mpi)
    return LocalLauncher(
        {("", one): tools for one in Executable}, environment, libraries, hosts=hosts
    )


def built_with(mpi: MpiInstall, cache: Path) -> Programs:
    """The programs as a run of this user would build them, as for one that names MPICH first.

    Those that need no MPI, which are the same whatever MPI is beside them, come with MPICH alone.
    """
    machine = detect_machine()
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    compiler = find_compiler("", os.environ)
    first = mpi.embedded and mpi.family == "mpich"
    return build_programs(cache, compiler, mpi, features, os.environ, of_node=first)


def with_script(programs: Programs, folder: Path, name: str, script: str) -> Programs:
    """The same programs, that of `name` replaced by a shell script; the real one is `$REAL`."""
    folder.mkdir()
    for program in ("machmeter-node", "machmeter-mpi", "machmeter-bind"):
        if program != name and (Path(programs.folder) / program).exists():
            shutil.copy(Path(programs.folder) / program, folder / program)
    executable(folder / name, f"REAL='{Path(programs.folder) / name}'\n{script}\n")
    return Programs(str(folder), programs.source_hash, programs.has_mpi)


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
    of_ranks = known.executable is not Executable.NODE
    firsts = {p.name: p.values[0] for p in known.parameters if of_ranks and p.values[0] != AUTO}
    spec = LaunchSpec(
        name=f"{benchmark} ({layout.label()})",
        executable=known.executable,
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
    return judge(
        launch,
        record,
        command=attempt.command,
        exit_code=attempt.result.exit_code,
        timed_out=attempt.result.timed_out,
        started="",
        wall_seconds=attempt.result.wall_seconds,
        output=attempt.result.output,
    )


def two_cpus() -> tuple[int, int]:
    """Two CPUs of this machine; skips the test where it has not as many cores."""
    topology = detect_machine().topology
    if len(topology.usable_cores) < 2:
        pytest.skip("needs two cores")
    return topology.usable[0].number, topology.usable[-1].number
