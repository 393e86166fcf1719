"""The programs that an earlier run was measured with: which they were, and whether they are there.

A run's own outcomes tell: each keeps the command that started its launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.build.mpi import MpiInstall, inspect_prefix
from machmeter.build.programs import Programs
from machmeter.launch.hosts import Hosts
from machmeter.launch.libraries import Libraries
from machmeter.launch.local import LocalLauncher
from machmeter.launch.toolset import Toolset
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError
from machmeter.model.launch import OLD, LaunchSpec, Outcome, Toolchain, Verdict
from machmeter.model.machine import Machine
from machmeter.model.run import Against, KeptProgram
from machmeter.run.toolchains import Surroundings
from machmeter.store.run_folder import RunFolder

_WRAPPER = "machmeter-bind"


def first_outcomes(folder: RunFolder) -> Iterator[tuple[LaunchSpec, Outcome]]:
    """Of every program that measured the run's own side, with each MPI library, the first launch
    that counts and whose command is known."""
    plan = folder.plan()
    specs = {spec.name: spec for spec in plan.specs if spec.side != OLD} if plan else {}
    seen = set()
    for outcome in folder.outcomes():
        spec = specs.get(outcome.spec)
        if spec is None or outcome.verdict is not Verdict.ACCEPTED or not outcome.command:
            continue
        if (spec.executable, spec.layout.mpi) not in seen:
            seen.add((spec.executable, spec.layout.mpi))
            yield spec, outcome


def program_of(spec: LaunchSpec, command: Sequence[str]) -> KeptProgram | None:
    """The program that a launch's command started, and its mpiexec (`launch.command`).

    None for a command of another form.
    """
    if "--" not in command:
        return None
    ends = [position for position, word in enumerate(command) if word == "--"]
    program = Path(*command[ends[-1] + 1 : ends[-1] + 2])
    if program.name != spec.executable.value or not program.is_absolute():
        return None
    started_by = command[ends[0] + 1] if len(ends) > 1 else ""
    return KeptProgram(spec.executable, spec.layout.mpi, str(program.parent), started_by)


def kept_programs(firsts: Sequence[tuple[LaunchSpec, Outcome]]) -> tuple[KeptProgram, ...]:
    """The programs of a run, where every one of them is still there; else none."""
    found = [program_of(spec, outcome.command) for spec, outcome in firsts]
    programs = tuple(program for program in found if program is not None)
    whole = len(programs) == len(found) and _in_one_folder(programs)
    return programs if whole and all(map(_is_there, programs)) else ()


def measured_with(
    folder: RunFolder, firsts: Sequence[tuple[LaunchSpec, Outcome]]
) -> Toolchain | None:
    """What the records say that a run's programs were built with; the MPI program says the most."""
    headers = (folder.record(outcome.launch).header for _, outcome in firsts)
    chains = [header.toolchain for header in headers if header is not None]
    return next(iter([*(chain for chain in chains if chain.mpi_library), *chains]), None)


def launcher_of_kept(against: Against, machine: Machine, around: Surroundings) -> LocalLauncher:
    """What starts the launches of an old side by the programs that measured it.

    Raises MachineLacksError where one of them, or an MPI, is not there any more.
    """
    gone = next((one for one in against.programs if not _is_there(one)), None)
    if gone is not None:
        raise MachineLacksError(
            f"{gone.executable.value} in {gone.folder}, which run {against.run} was measured with, "
            "is not there any more",
            "start a new run, with --rebuild where today's kernels will do",
        )
    source = against.toolchain.source_hash
    of_ranks = [one for one in against.programs if one.executable is Executable.MPI]
    tools = {one.mpi: _toolset(one, source, around) for one in of_ranks}
    shmem = [one for one in against.programs if one.executable is Executable.SHMEM]
    first = against.programs[0]
    node = next((one for one in against.programs if one.executable is Executable.NODE), first)
    only = tools.get("")
    wish, software = against.asked.wish, machine.software
    return LocalLauncher(
        Programs(node.folder, source, only is not None),
        only.mpi if only else None,
        around.environment,
        Libraries(around.cache, software.openmp_runtimes, software.allocators),
        hosts=Hosts(wish.hosts, wish.agent, wish.by_slurm),
        others=None if only else tools,
        shmem=_toolset(shmem[0], source, around) if shmem else None,
    )


def _toolset(program: KeptProgram, source: str, around: Surroundings) -> Toolset:
    programs = Programs(program.folder, source, has_mpi=True)
    prefix = Path(program.mpiexec).parent.parent
    if program.executable is Executable.SHMEM:
        # What starts programs of OpenSHMEM takes the options of Open MPI's mpiexec.
        return Toolset(programs, MpiInstall("openmpi", str(prefix), "", program.mpiexec, ""))
    return Toolset(
        programs, replace(inspect_prefix(prefix, around.environment), mpiexec=program.mpiexec)
    )


def _in_one_folder(programs: Sequence[KeptProgram]) -> bool:
    """Whether node programs lie beside those of the only MPI, as they are compiled."""
    plain = {p.folder for p in programs if not p.mpi and p.executable is not Executable.SHMEM}
    return len(plain) <= 1


def _is_there(program: KeptProgram) -> bool:
    folder = Path(program.folder)
    needed = [folder / program.executable.value, folder / _WRAPPER]
    needed += [Path(program.mpiexec)] if program.mpiexec else []
    return all(path.is_file() for path in needed)
