"""Everything compiled and fetched that a run launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.programs import find_program
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.build.programs import build_program
from machmeter.build.progress import BuildListener, ignore_build
from machmeter.build.shmem import ShmemInstall, find_shmem
from machmeter.build.toolchains import BuildTools
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.program import Program, Starter
from machmeter.model.results.run import Plan, Request
from machmeter.model.variant import Variant

Notify = Callable[[str], None]


class BuildContext(Struct, frozen=True):
    """Where a run happens."""

    environment: Mapping[str, str]
    """The caller's variables."""
    cache: Path
    """Where builds and fetched libraries are kept."""
    on_build: BuildListener = ignore_build
    """Is notified of the steps of compiling."""


def compiled_programs(
    request: Request, plan: Plan, machine: Machine, context: BuildContext, notify: Notify
) -> Ready:
    """The programs of every variant in `plan`: compiled, their MPIs fetched.

    Raises MachineLacksError when compiler or MPI is missing or fails.
    """
    compiler = find_compiler(request.compiler, context.environment)
    wanted = dict.fromkeys((spec.variant, find_program(spec.program)) for spec in plan.specs)
    installs = _installs(tuple(wanted), request, machine, context, notify)
    notify(f"compiling for this machine with {compiler.version} (once; kept in {context.cache})")
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    ready = {}
    for (variant, program), install in installs.items():
        shmem = install if isinstance(install, ShmemInstall) else None
        mpi = install if isinstance(install, MpiInstall) else None
        path = build_program(
            context.cache,
            program,
            BuildTools(compiler, features, mpi, shmem),
            context.environment,
            flags=request.flags,
            listener=context.on_build,
        )
        ready[variant.name, program.name] = ReadyProgram(path, shmem.as_mpi if shmem else mpi)
    return ready


def with_shmem(request: Request, machine: Machine, environment: Mapping[str, str]) -> Machine:
    """The machine with the OpenSHMEM that is found on it, where the request needs one."""
    programs = (find(one.benchmark).program for one in request.study.experiments)
    if not any(program.starter is Starter.OSHRUN for program in programs):
        return machine
    try:
        prefix = find_shmem(environment).prefix
    except MachineLacksError:
        return machine
    return replace(machine, software=replace(machine.software, shmem=prefix))


def _installs(
    wanted: tuple[tuple[Variant, Program], ...],
    request: Request,
    machine: Machine,
    context: BuildContext,
    notify: Notify,
) -> dict[tuple[Variant, Program], MpiInstall | ShmemInstall | None]:
    """What the ranks of each program are started by (None: it has none), found and fetched."""
    mpis: dict[str, MpiInstall] = {}
    names = request.mpi.split(",")
    if any(program.starter is Starter.MPIEXEC for _, program in wanted):
        listed = " and ".join(names)
        notify(f"looking for MPI {listed} (fetched once from PyPI where it is embedded)")
        mpis = {name: resolve_mpi(name, context.cache, context.environment) for name in names}
    found: dict[tuple[Variant, Program], MpiInstall | ShmemInstall | None] = {}
    for variant, program in wanted:
        match program.starter:
            case Starter.NONE:
                found[variant, program] = None
            case Starter.MPIEXEC:
                found[variant, program] = mpis[variant.mpi or names[0]]
            case Starter.OSHRUN:
                shmem = find_shmem(context.environment, machine.software.shmem)
                found[variant, program] = shmem
    return found
