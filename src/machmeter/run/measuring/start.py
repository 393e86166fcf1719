"""From a request to a run in its folder: build what it needs, then measure."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from machmeter import __version__
from machmeter.benchmarks.programs import find_program
from machmeter.build.sources import SIMULATION, read_sources
from machmeter.launch.command import startup_spec
from machmeter.launch.environment import launch_environment, thread_settings
from machmeter.launch.files.given_files import COPIES
from machmeter.launch.launcher import Launcher, ProgramLauncher
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.libraries import Libraries, linked_runtime
from machmeter.launch.ready import Ready
from machmeter.layout.elsewhere import NodeCpus
from machmeter.layout.libraries import can_serve
from machmeter.model.errors import MachineLacksError, UsageError, storage_error
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec, LostHost, Verdict
from machmeter.model.program import Starter
from machmeter.model.results.curves import EarlierCache
from machmeter.model.results.run import Baseline, Plan, Request, RunHeader
from machmeter.model.written.text import readable
from machmeter.run.measuring.hosts.lost import without_hosts
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ProgressListener
from machmeter.run.measuring.quiet import QuietWatch
from machmeter.run.planning.needed_memory import refuse_beyond_memory
from machmeter.run.planning.pairing import devices_of, plan_of
from machmeter.run.planning.sizing import (
    NO_SIZES,
    Sizes,
    choose_sizes,
    needs_sizes,
    sizing_spec,
)
from machmeter.run.planning.within_budget import within_budget, without
from machmeter.run.programs.cached import cached_programs
from machmeter.run.programs.compiled import (
    BuildContext,
    Notify,
    compiled_programs,
)
from machmeter.run.programs.fetched import with_runtimes
from machmeter.store.folders import remove_tree
from machmeter.store.run_folder import RunFolder, holds_run

_NO_WORD = re.compile(r"[^A-Za-z0-9]+")


class Prepared(NamedTuple):
    """What starts the launches, and the machine with the OpenMP runtimes they can have."""

    launcher: Launcher
    machine: Machine
    cpus_of_hosts: Callable[[], tuple[NodeCpus, ...]] = tuple
    """Asks each host of the run."""


def prepare_programs(
    request: Request,
    plan: Plan,
    machine: Machine,
    context: BuildContext,
    notify: Notify,
    against: Baseline | None = None,
) -> Prepared:
    """Everything compiled and fetched that `plan` needs, for each of its variants.

    Raises MachineLacksError when compiler or MPI is missing or fails, or when programs of the
    baseline are gone.
    """
    candidate, baseline = (
        replace(plan, specs=tuple(one for one in plan.specs if one.variant.is_baseline is old))
        for old in (False, True)
    )
    sized = any(needs_sizes(one.study) for one in requests_of(request, against))
    # Which hosts are lost is seen by what starts up on them; of a program that is not ours, by what
    # needs no MPI.
    starts = bool(request.layout_options.hosts) and any(map(_starts_mpi, candidate.specs))
    to_compile = (
        *candidate.specs,
        *[sizing_spec(machine)] * sized,
        *[startup_spec(Layout(nodes=2))] * starts,
    )
    machine, ready = _compiled(
        request, replace(candidate, specs=to_compile), machine, context, notify
    )
    machine = with_servable_runtimes(candidate, machine, ready, context.environment)
    if against is not None:
        if against.programs:
            notify(f"the baseline has the programs that run {against.run} was measured with")
            of_baseline = cached_programs(against, machine, context)
        else:
            notify("the baseline is compiled again")
            of_baseline = compiled_programs(against.request, baseline, machine, context, notify)
        machine = with_servable_runtimes(baseline, machine, of_baseline, context.environment)
        ready = {**ready, **of_baseline}
    options, software = request.layout_options, machine.software
    programs = ProgramLauncher(
        ready,
        context.environment,
        Libraries(context.cache, software.openmp_runtimes, software.allocators, software.blas),
        hosts=Hosts(options.hosts, options.remote_shell, options.launcher),
        devices={
            one is not request: devices_of(one, machine) for one in requests_of(request, against)
        },
        notify=notify,
    )
    return Prepared(programs, machine, programs.cpus_of_hosts)


def _starts_mpi(spec: LaunchSpec) -> bool:
    """Whether it is a program of machmeter's with ranks of MPI."""
    return spec.is_ours and find_program(spec.program).starter is Starter.MPIEXEC


def _compiled(
    request: Request, plan: Plan, machine: Machine, context: BuildContext, notify: Notify
) -> tuple[Machine, Ready]:
    """As `compiled_programs`; where what fails is another MPI library that was not requested, the
    machine is one without it."""
    requested = tuple(spec for spec in plan.specs if not spec.of_other_library)
    try:
        return machine, compiled_programs(request, plan, machine, context, notify)
    except MachineLacksError as error:
        if len(requested) == len(plan.specs):
            raise
        ready = compiled_programs(request, replace(plan, specs=requested), machine, context, notify)
        notify(f"without a comparison with the MPI in {machine.software.other_mpi}: {error}")
    return replace(machine, software=replace(machine.software, other_mpi="")), ready


def with_servable_runtimes(
    plan: Plan, machine: Machine, ready: Ready, environment: Mapping[str, str]
) -> Machine:
    """The machine with those OpenMP runtimes that the programs of a plan can run on.

    Where no layout names a runtime, no program is looked into, and all are kept.
    """
    runtimes = machine.software.openmp_runtimes
    naming = (spec for spec in plan.specs if spec.layout.openmp)
    wanted = next(((spec.variant.name, spec.program) for spec in naming), None)
    if wanted is None or wanted not in ready:
        return machine
    program = ready[wanted]
    linked = linked_runtime(program.path, launch_environment(environment, program.mpi))
    return with_runtimes(
        machine, {name: path for name, path in runtimes.items() if can_serve(name, linked)}
    )


def plan_before_sizing(
    request: Request,
    machine: Machine,
    against: Baseline | None = None,
    earlier: Sequence[EarlierCache] = (),
) -> Plan:
    """The plan as far as it is known now: sizes come from the system's own description and from
    earlier runs, as `choose_sizes` takes them; what the budget is too short for is left out.

    Raises MachineLacksError where nothing requested can run on this machine, UsageError where a
    value has no meaning, needs more memory than there is, or baseline and candidate have nothing
    in common.
    """
    sized = any(needs_sizes(one.study) for one in requests_of(request, against))
    sizes = choose_sizes(machine, (), earlier) if sized else NO_SIZES
    plan = plan_of(request, machine, sizes, against)
    if not plan.points:
        reasons = "; ".join(dict.fromkeys(skipped.reason for skipped in plan.skipped))
        raise MachineLacksError(f"nothing requested can run on this machine: {reasons}")
    if request.origin.is_quoted:
        return plan
    refuse_beyond_memory(plan, machine.memory, machine.devices or ())
    # Of an A/B run nothing is left out: its pairs were chosen by the baseline.
    return plan if against else within_budget(plan, request, machine)


def requests_of(request: Request, against: Baseline | None) -> tuple[Request, ...]:
    """That of a run, and of an A/B run that of its baseline."""
    return (request, against.request) if against else (request,)


def refuse_other_build(folder: RunFolder) -> None:
    """Raise UsageError where the programs are not those that measured what is in `folder`.

    Compared are machmeter's version and the native sources; a change of compiler or MPI shows in
    the records, and the run warns of it.
    """
    header = folder.header()
    began, now = f"version {header.version}", f"version {__version__}"
    if began == now:
        differing = next(_other_sources(folder), None)
        if differing is None:
            return
        began, now = differing
    raise UsageError(
        f"run {header.id} began with machmeter's {began}, and this is {now}: launches of both "
        "cannot be taken together",
        "start a new run, or resume with the machmeter it began with",
    )


def _other_sources(folder: RunFolder) -> Iterator[tuple[str, str]]:
    """Of each benchmark measured in `folder` that has other native sources now, then and now."""
    today = read_sources()
    seen = set()
    for outcome in folder.outcomes():
        spec = folder.launch(outcome.launch).spec
        if outcome.verdict is not Verdict.ACCEPTED or spec.variant.is_baseline:
            continue
        header = None if spec.benchmark in seen else folder.record(outcome.launch).header
        if header is None or header.toolchain is None:
            continue
        seen.add(spec.benchmark)
        part = SIMULATION if spec.simulated else spec.benchmark
        then, now = header.toolchain.sources, today.of_benchmark(part)
        if then != now:
            yield f"sources of {spec.benchmark} {'+'.join(then)}", "+".join(now)


def refuse_output(path: Path) -> None:
    """Refuse now a folder that could not take a run after minutes of compiling.

    Raises UsageError where it holds a run or is no folder, MachineLacksError where it cannot be
    written.
    """
    if holds_run(path):
        raise UsageError(f"{path} holds a run already", "name another folder, or use --resume")
    nearest = path.absolute()
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    if not nearest.is_dir():
        raise UsageError(f"{nearest} is no folder: {path} cannot hold a run", "name another folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        read_only = os.statvfs(nearest).f_flag & os.ST_RDONLY
        number = errno.EROFS if read_only else errno.EACCES
        raise storage_error(OSError(number, os.strerror(number)), path)


def new_run_id(name: str) -> str:
    """A name that sorts by time: `20261121-203400-host-3f2a`; name: of the machine."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    word = _NO_WORD.sub("-", name)[:40].strip("-")
    return f"{moment}-{word or 'machine'}-{secrets.token_hex(2)}"


def create_run(
    path: Path,
    run_id: str,
    request: Request,
    machine: Machine,
    command: tuple[str, ...],
    against: Baseline | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> RunFolder:
    """The folder of a new run, with its header on disk; environment: the caller's."""
    header = RunHeader(
        id=run_id,
        started=datetime.now(UTC).isoformat(),
        version=__version__,
        command=tuple(map(readable, command)),
        request=request,
        machine=machine,
        seed=int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:4]),
        baseline=against,
        thread_settings={k: readable(v) for k, v in thread_settings(environment).items()},
    )
    return RunFolder.create(path, header)


def ending_in(seconds: float | None, request: Request, folder: RunFolder) -> Request:
    """The request with a budget that leaves a run so much time beside what it took before; None: as
    it is."""
    if seconds is None:
        return request
    before = max(folder.state().wall_seconds, sum(one.wall_seconds for one in folder.outcomes()))
    budget = min(request.precision.budget_seconds, before + seconds)
    return replace(request, precision=replace(request.precision, budget_seconds=budget))


def measure_run(  # noqa: PLR0913 - as of `measure`
    folder: RunFolder,
    launcher: Launcher,
    listener: ProgressListener,
    likely: Plan | None = None,
    earlier: Sequence[EarlierCache] = (),
    quiet: QuietWatch | None = None,
    *,
    request: Request | None = None,
    lost: Sequence[LostHost] = (),
    nodes: Sequence[NodeCpus] = (),
) -> None:
    """Measure the run in `folder`, new or interrupted; likely, earlier, quiet, lost, nodes: as
    `measure` takes them; request: with another precision or other hosts than that of the run.

    The caller holds the measuring lock (`run.measuring.lock.machine_to_ourselves`).
    """
    header = folder.header()
    now = request or header.request
    old = header.baseline
    if old and lost:
        old = replace(old, request=without_hosts(old.request, lost))

    def planner(sizes: Sizes) -> Plan:
        plan = plan_of(now, header.machine, sizes, old)
        if likely:
            return without(plan, likely.skipped)
        # On fewer hosts, other layouts are what the budget is enough for.
        return within_budget(plan, now, header.machine) if lost and not old else plan

    try:
        measure(
            *(folder, launcher, now.precision, planner, listener, likely, quiet, earlier),
            lost=lost,
            nodes=nodes,
        )
    finally:
        remove_tree(folder.path / "launches" / COPIES)
