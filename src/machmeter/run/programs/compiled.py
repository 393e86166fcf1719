"""Everything compiled and fetched that a run launches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.programs import find_program
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import EMBEDDED, MpiInstall, resolve_mpi
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
    """The programs of every variant in `plan`, with the benchmarks requested: compiled, their MPIs
    fetched.

    Raises MachineLacksError when compiler or MPI is missing or fails.
    """
    compiler = find_compiler(request.compiler, context.environment)
    wanted = dict.fromkeys((spec.variant, find_program(spec.program)) for spec in plan.specs)
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    ready = {}
    with _Libraries(request, machine, context, notify, {program for _, program in wanted}) as found:
        notify(f"compiling for this machine with {compiler.version} (kept in {context.cache})")
        # What needs no MPI first: one that is fetched comes in the meantime.
        for variant, program in sorted(wanted, key=lambda one: one[1].has_ranks):
            install = found.started_by(variant, program)
            shmem = install if isinstance(install, ShmemInstall) else None
            mpi = install if isinstance(install, MpiInstall) else None
            path = build_program(
                context.cache,
                program,
                BuildTools(compiler, features, mpi, shmem),
                context.environment,
                benchmarks=_benchmarks(program, request, plan),
                flags=request.flags,
                listener=context.on_build,
            )
            ready[variant.name, program.name] = ReadyProgram(path, shmem.as_mpi if shmem else mpi)
    return ready


def _benchmarks(program: Program, request: Request, plan: Plan) -> set[str]:
    """What a program has to hold: sizes that are measured first may let more of a study be
    measured than was planned."""
    requested = {one.benchmark for one in request.study.experiments}
    planned = {spec.benchmark for spec in plan.specs}
    return {name for name in requested | planned if find(name).program == program}


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


class _Libraries:
    """What starts the ranks of programs: embedded MPIs are fetched while others compile."""

    def __init__(
        self,
        request: Request,
        machine: Machine,
        context: BuildContext,
        notify: Notify,
        programs: Collection[Program],
    ) -> None:
        self._machine = machine
        self._environment = context.environment
        self._pool = ThreadPoolExecutor(1)
        self._names = request.mpi.split(",")
        self._fetched: dict[str, Future[MpiInstall]] = {}
        if any(program.starter is Starter.MPIEXEC for program in programs):
            listed = " and ".join(self._names)
            notify(f"looking for MPI {listed} (fetched once from PyPI where it is embedded)")
            self._fetched = {
                name: self._pool.submit(resolve_mpi, name, context.cache, context.environment)
                for name in self._names
            }
            # One that is or is not there is known at once: nothing is compiled in vain.
            for name, future in self._fetched.items():
                if name not in EMBEDDED:
                    future.result()

    def __enter__(self) -> _Libraries:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def started_by(self, variant: Variant, program: Program) -> MpiInstall | ShmemInstall | None:
        """None for a program that is started by itself; waits for one that is being fetched."""
        match program.starter:
            case Starter.NONE:
                return None
            case Starter.MPIEXEC:
                return self._fetched[variant.mpi or self._names[0]].result()
            case Starter.OSHRUN:
                return find_shmem(self._environment, self._machine.software.shmem)
