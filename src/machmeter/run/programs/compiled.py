"""Everything compiled and fetched that a run launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.build.compiler import Compiler, find_compiler
from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.build.programs import Programs, build_programs, build_shmem_programs
from machmeter.build.progress import BuildListener, ignore_build
from machmeter.build.shmem import find_shmem
from machmeter.launch.toolset import Ready, Toolset
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.results.run import Plan, Request

Notify = Callable[[str], None]


class BuildContext(Struct, frozen=True):
    """Where a run happens: the caller's environment, the cache, and who is told of compiling."""

    environment: Mapping[str, str]
    cache: Path
    on_build: BuildListener = ignore_build


def compiled_programs(
    asked: Request, plan: Plan, machine: Machine, around: BuildContext, tell: Notify
) -> Ready:
    """The programs of every variant in `plan`: compiled, their MPIs fetched.

    Raises MachineLacksError when compiler or MPI is missing or fails.
    """
    compiler = find_compiler(asked.compiler, around.environment)
    mpis = mpis_of(asked, plan, around, tell)
    tell(f"compiling for this machine with {compiler.version} (once; kept in {around.cache})")
    build = partial(_programs, compiler, machine, around, flags=asked.flags)
    first, *others = mpis or [""]
    tools = {first: Toolset(build(mpis.get(first)), mpis.get(first))}
    tools |= {name: Toolset(build(mpis[name], of_node=False), mpis[name]) for name in others}
    shmem = _shmem(compiler, plan, machine, around, asked.flags)
    return {
        (spec.variant.name, spec.executable): shmem
        if shmem and spec.executable is Executable.SHMEM
        else tools[spec.variant.mpi or first]
        for spec in plan.specs
    }


def with_shmem(asked: Request, machine: Machine, environment: Mapping[str, str]) -> Machine:
    """The machine with the OpenSHMEM that is found on it, where OpenSHMEM is asked for."""
    if not any(find(e.benchmark).executable is Executable.SHMEM for e in asked.study.experiments):
        return machine
    try:
        prefix = find_shmem(environment).prefix
    except MachineLacksError:
        return machine
    return replace(machine, software=replace(machine.software, shmem=prefix))


def _programs(
    compiler: Compiler,
    machine: Machine,
    around: BuildContext,
    mpi: MpiInstall | None,
    *,
    of_node: bool = True,
    flags: tuple[str, ...] = (),
) -> Programs:
    features = _features(machine)
    return build_programs(
        around.cache,
        compiler,
        mpi,
        features,
        around.environment,
        of_node=of_node,
        flags=flags,
        listener=around.on_build,
    )


def _shmem(
    compiler: Compiler,
    plan: Plan,
    machine: Machine,
    around: BuildContext,
    flags: tuple[str, ...],
) -> Toolset | None:
    if not any(spec.executable is Executable.SHMEM for spec in plan.specs):
        return None
    install = find_shmem(around.environment, machine.software.shmem)
    programs = build_shmem_programs(
        around.cache,
        compiler,
        install,
        _features(machine),
        around.environment,
        flags,
        around.on_build,
    )
    return Toolset(programs, install.as_mpi)


def _features(machine: Machine) -> str:
    """What `-march=native` depends on."""
    return f"{machine.cpu_model}\0{' '.join(machine.features)}"


def mpis_of(
    asked: Request, plan: Plan, around: BuildContext, tell: Notify
) -> dict[str, MpiInstall]:
    """The MPIs that launches need, by the name that layouts call them by.

    Raises MachineLacksError where one can be neither fetched nor found.
    """
    if not any(spec.executable is Executable.MPI for spec in plan.specs):
        return {}
    names = asked.mpi.split(",")
    tell(f"looking for MPI {' and '.join(names)} (fetched once from PyPI where it is embedded)")
    return {name: resolve_mpi(name, around.cache, around.environment) for name in names}
