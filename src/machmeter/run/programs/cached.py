"""The programs that an earlier run was measured with: which they were, and whether they are there.

A run's own outcomes say: each keeps the command that started its launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.programs import find_program
from machmeter.build.mpi import EMBEDDED, MpiInstall, inspect_prefix, named_prefix
from machmeter.build.programs import WRAPPER
from machmeter.build.wheels import started_files
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.model.benchmark import AUTO, Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import (
    Header,
    LaunchOutcome,
    LaunchSpec,
    Toolchain,
    Verdict,
)
from machmeter.model.point import Point
from machmeter.model.program import Starter
from machmeter.model.results.run import Baseline, CachedBinary, ObservedBuild, Request
from machmeter.model.variant import Variant
from machmeter.run.programs.compiled import BuildContext
from machmeter.store.cache_trust import refuse_untrusted
from machmeter.store.run_folder import RunFolder


class CacheLocations(NamedTuple):
    """Where programs of this user are: their cache, prefixes of MPIs that were requested by their
    path, and the OpenSHMEM of this machine (empty: it has none)."""

    cache: Path
    prefixes: tuple[Path, ...] = ()
    shmem: str = ""


def locations_of(request: Request, cache: Path, shmem: str) -> CacheLocations:
    """Where programs for a request may be. Raises UsageError as `named_prefix` does."""
    names = (name for name in request.mpi.split(",") if name and name not in EMBEDDED)
    return CacheLocations(cache, tuple(map(named_prefix, names)), shmem)


def first_outcomes(folder: RunFolder) -> Iterator[tuple[LaunchSpec, LaunchOutcome]]:
    """Of every benchmark on the run's own side, with each MPI library and each choice of OpenMP
    runtime and allocator, the first launch that counts and whose command is known."""
    plan = folder.plan()
    specs = {spec.name: spec for spec in plan.own_specs} if plan else {}
    seen = set()
    for outcome in folder.outcomes():
        spec = specs.get(outcome.spec)
        if spec is None or not spec.is_ours:
            continue
        if outcome.verdict is not Verdict.ACCEPTED or not outcome.command:
            continue
        layout = spec.layout
        key = spec.benchmark, spec.variant.mpi, layout.openmp, layout.allocator
        if key not in seen:
            seen.add(key)
            yield spec, outcome


def program_of(spec: LaunchSpec, command: Sequence[str]) -> CachedBinary | None:
    """The program that a launch's command started, and its mpiexec (`launch.command`).

    None for a command of another form.
    """
    if "--" not in command:
        return None
    ends = [position for position, word in enumerate(command) if word == "--"]
    program = Path(*command[ends[-1] + 1 : ends[-1] + 2])
    if program.name != spec.program or not program.is_absolute():
        return None
    started_by = command[ends[0] + 1] if len(ends) > 1 else ""
    return CachedBinary(spec.program, spec.variant.mpi, str(program.parent), started_by)


def cached_binaries(
    firsts: Sequence[tuple[LaunchSpec, LaunchOutcome]], places: CacheLocations
) -> tuple[CachedBinary, ...]:
    """The programs of a run, where every one of them is still there; else none.

    What is elsewhere than programs of this user is none of them, whatever a file says.
    """
    found = {
        (spec.program, spec.variant.mpi): program_of(spec, outcome.command)
        for spec, outcome in reversed(firsts)
    }
    programs = tuple(program for program in found.values() if program is not None)
    kept = all(_is_there(one) and _is_ours(one, places) for one in programs)
    return programs if len(programs) == len(found) and kept else ()


def has_all(programs: Sequence[CachedBinary], specs: Sequence[LaunchSpec]) -> bool:
    """Whether every one of these specs has its program, with its MPI, among those kept."""
    return {(spec.program, spec.variant.mpi) for spec in specs} <= {
        (program.program, program.mpi) for program in programs
    }


def what_ran(
    folder: RunFolder, firsts: Sequence[tuple[LaunchSpec, LaunchOutcome]]
) -> tuple[ObservedBuild, ...]:
    """What the records of a run say of the programs that measured it."""
    ran = (ran_by(spec, folder.record(outcome.launch).header) for spec, outcome in firsts)
    return tuple(filter(None, ran))


def ran_by(spec: LaunchSpec, header: Header | None) -> ObservedBuild | None:
    """What a launch of `spec` ran; None where its record does not say."""
    if header is None or header.toolchain is None:
        return None
    layout = spec.layout
    return ObservedBuild(
        spec.program,
        header.toolchain,
        spec.variant.mpi,
        layout.openmp,
        layout.allocator,
        header.libraries,
        spec.benchmark,
    )


def fullest(ran: Sequence[ObservedBuild]) -> Toolchain | None:
    """Of what programs were built with, that of the first MPI program: it says the most."""
    known = [one.toolchain for one in ran]
    of_mpi = [one for one in known if one.mpi_library]
    return next(iter([*of_mpi, *known]), None)


def planned_parameters(folder: RunFolder) -> dict[str, tuple[dict[str, Value], ...]]:
    """The parameters that a run was planned with, by benchmark, as `Baseline.known` keeps them."""
    plan = folder.plan()
    found: dict[str, list[dict[str, Value]]] = {}
    for spec in plan.own_specs if plan else ():
        known = found.setdefault(spec.benchmark, [])
        known += [one for one in map(as_chosen, spec.points) if one not in known]
    return {benchmark: tuple(every) for benchmark, every in found.items()}


def as_chosen(point: Point) -> dict[str, Value]:
    """The parameters of a point, with `auto` in the place of what the machine chooses: that may
    come out otherwise today, and any value of it is as good."""
    parameters = (one.parameters for one in BENCHMARKS if one.name == point.benchmark)
    automatic = {parameter.name for one in parameters for parameter in one if parameter.automatic}
    return {name: AUTO if name in automatic else value for name, value in point.parameters}


def cached_programs(against: Baseline, machine: Machine, context: BuildContext) -> Ready:
    """The programs that measured a baseline, for its variants.

    Raises MachineLacksError where one of them, or an MPI, is not there any more, and as
    `refuse_untrusted` does.
    """
    places = locations_of(against.request, context.cache, machine.software.shmem)
    gone = next((p for p in against.programs if not (_is_there(p) and _is_ours(p, places))), None)
    if gone is not None:
        raise MachineLacksError(
            f"{gone.program} in {gone.folder}, which run {against.run} was measured with, "
            "is not there any more",
            "start a new run, with --rebuild where today's kernels will do",
        )
    started = [path for one in against.programs for path in _started_of(one, context.cache)]
    refuse_untrusted(started, context.cache, context.environment)
    return {
        (Variant(one.mpi).as_baseline().name, one.program): ReadyProgram(
            str(Path(one.folder) / one.program), _started_by(one, context)
        )
        for one in against.programs
    }


def _started_by(binary: CachedBinary, context: BuildContext) -> MpiInstall | None:
    if not binary.mpiexec:
        return None
    prefix = Path(binary.mpiexec).parent.parent
    if find_program(binary.program).starter is Starter.OSHRUN:
        # What starts programs of OpenSHMEM takes the options of Open MPI's mpiexec.
        return MpiInstall("openmpi", str(prefix), "", binary.mpiexec, "")
    return replace(inspect_prefix(prefix, context.environment), mpiexec=binary.mpiexec)


def _started_of(binary: CachedBinary, cache: Path) -> Iterator[Path]:
    """What is started of it from the cache."""
    folder = Path(binary.folder)
    yield from (folder / binary.program, folder / WRAPPER)
    prefix = Path(binary.mpiexec).parent.parent
    if binary.mpiexec and _is_directly_in(prefix, cache.absolute() / "mpi"):
        yield from (prefix, *started_files(prefix))


def _is_there(program: CachedBinary) -> bool:
    folder = Path(program.folder)
    needed = [folder / program.program, folder / WRAPPER]
    needed += [Path(program.mpiexec)] if program.mpiexec else []
    return all(path.is_file() for path in needed)


def _is_ours(program: CachedBinary, places: CacheLocations) -> bool:
    """Whether program and mpiexec are where machmeter puts them, or where the request says.

    Names are compared as they stand: `..` behind a link leads elsewhere than it reads, and a link
    itself may be a site's own.
    """
    cache = places.cache.absolute()
    if not _is_directly_in(Path(program.folder), cache / "build"):
        return False
    started_by = Path(program.mpiexec)
    prefix = started_by.parent.parent
    if find_program(program.program).starter is Starter.OSHRUN:
        return bool(places.shmem) and started_by == Path(places.shmem) / "bin" / "oshrun"
    if not program.mpiexec:
        return True
    named = prefix in places.prefixes or _is_directly_in(prefix, cache / "mpi")
    return named and started_by == prefix / "bin" / "mpiexec"


def _is_directly_in(path: Path, folder: Path) -> bool:
    return path.parent == folder and path.name not in ("", "..")
