"""From what was asked to a run in its folder: build what it needs, then measure."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from machmeter import __version__
from machmeter.benchmarks.catalogue import find
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.build.programs import build_programs
from machmeter.launch.local import LocalLauncher
from machmeter.model.benchmark import Executable
from machmeter.model.machine import Machine
from machmeter.model.run import Asked, Plan, RunHeader
from machmeter.run.lock import machine_to_ourselves
from machmeter.run.measure import measure
from machmeter.run.plan import make_plan
from machmeter.run.progress import ProgressListener
from machmeter.run.sizing import Sizes
from machmeter.store.run_folder import RunFolder

Tell = Callable[[str], None]


class Surroundings(Struct, frozen=True):
    """Where a run happens: the caller's environment and the cache."""

    environment: Mapping[str, str]
    cache: Path


def prepare(asked: Asked, machine: Machine, around: Surroundings, tell: Tell) -> LocalLauncher:
    """Everything compiled and fetched that the study needs.

    Raises MachineLacksError when compiler or MPI is missing or fails.
    """
    compiler = find_compiler(asked.compiler, around.environment)
    mpi = _mpi_for(asked, around, tell)
    tell(f"compiling for this machine with {compiler.version} (once; kept in {around.cache})")
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    programs = build_programs(around.cache, compiler, mpi, features, around.environment)
    return LocalLauncher(programs, mpi, around.environment)


def _mpi_for(asked: Asked, around: Surroundings, tell: Tell) -> MpiInstall | None:
    benchmarks = (find(experiment.benchmark) for experiment in asked.study.experiments)
    if not any(benchmark.executable is Executable.MPI for benchmark in benchmarks):
        return None
    tell(f"looking for MPI {asked.mpi} (fetched once from PyPI where it is embedded)")
    return resolve_mpi(asked.mpi, around.cache, around.environment)


def new_run_id(machine: Machine) -> str:
    """A name that sorts by time: `20261121-203400-host-3f2a`."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in machine.name)[:40]
    return f"{moment}-{name or 'machine'}-{secrets.token_hex(2)}"


def create_run(
    path: Path, run_id: str, asked: Asked, machine: Machine, command: tuple[str, ...]
) -> RunFolder:
    """The folder of a new run, with its header on disk."""
    header = RunHeader(
        id=run_id,
        started=datetime.now(UTC).isoformat(),
        version=__version__,
        command=command,
        asked=asked,
        machine=machine,
        seed=int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:4]),
    )
    return RunFolder.create(path, header)


def measure_run(
    folder: RunFolder,
    launcher: LocalLauncher,
    around: Surroundings,
    listener: ProgressListener,
) -> None:
    """Measure the run in `folder`, new or interrupted, with the machine to itself."""
    header = folder.header()
    asked = header.asked

    def planner(sizes: Sizes) -> Plan:
        return make_plan(asked.study, header.machine, asked.wish, asked.precision, sizes)

    with machine_to_ourselves(around.cache, header.id):
        measure(folder, launcher, asked.precision, planner, listener)
