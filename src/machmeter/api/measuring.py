"""Measure: plan a run, start it, resume it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.curves.last_cache import MOST_RUNS
from machmeter.analysis.matching.compare_machines import is_undecided, regressions
from machmeter.api.context import Context
from machmeter.api.jobs.shared_cache import refuse_unseen_cache
from machmeter.api.jobs.time_left import seconds_in_job, within_job
from machmeter.api.loading import Run, RunName, find_run, indexed
from machmeter.api.programs.fitting import refuse_layouts_that_do_not_fit
from machmeter.api.programs.trying import try_lines
from machmeter.api.requests import is_own
from machmeter.apps.inputs import refuse_changed_inputs
from machmeter.build.compiler import find_compiler
from machmeter.launch.launchers.hosts import Hosts
from machmeter.machine.detect import detect_machine
from machmeter.machine.topology.another import other_machine_text, refuse_other_machine
from machmeter.model.errors import (
    MachmeterError,
    RunInterruptedError,
    UsageError,
)
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.curves import EarlierCache
from machmeter.model.results.run import Baseline, Plan, Request, RunResult, RunState
from machmeter.model.written.text import check_text, shell_text
from machmeter.run.measuring.hosts.continued import hosts_to_continue
from machmeter.run.measuring.hosts.lost import lost_in, without_hosts
from machmeter.run.measuring.lock import machine_to_ourselves
from machmeter.run.measuring.start import (
    Prepared,
    create_run,
    ending_in,
    new_run_id,
    plan_before_sizing,
    refuse_other_build,
    refuse_output,
    requests_of,
)
from machmeter.run.measuring.target import Target, ThisMachine, measured, prepare, target_of
from machmeter.run.planning.plan import expected
from machmeter.run.planning.sizing import is_same_for_sizing, needs_sizes
from machmeter.run.planning.within_budget import budget_remark, refuse_short_budget
from machmeter.run.programs.fetched import fetch_mpi, with_fetched
from machmeter.run.programs.startable import with_startable
from machmeter.run.programs.trust import refuse_unsound_flags, untrusted
from machmeter.store.remembered_runs import remember_folders, runs_by_id, runs_home
from machmeter.store.run_folder import RunFolder
from machmeter.studies.explore import NAME as EXPLORATION

_FETCHED_LATER = (
    "Intel's OpenMP runtime (libiomp5), where runtimes are compared, and OpenBLAS, for products of "
    "matrices, are fetched from PyPI when the run begins, unless the cache holds them; without "
    "them the others are measured"
)


class DryRun(Struct, frozen=True):
    """What a run would launch: what `run --dry-run --json` prints."""

    machine: Machine
    """This machine, with the libraries that the run would have."""
    request: Request
    """What would be measured."""
    plan: Plan
    """As far as it is known before sizing; sizes that are `auto` come from the system's own
    description."""
    launches_at_least: int
    """Launches that the run would make at least."""
    expected_seconds: float
    """Expected measuring time, seconds: at most the budget, or what two launches of each take."""
    needed_seconds: float
    """Expected time of `launches_at_least` whatever the budget, seconds."""
    baseline: Baseline | None = None
    """Of an A/B run."""


class PreparedCache(Struct, frozen=True):
    """A cache that a run needs nothing else for: what `prepare --json` prints."""

    cache: str
    """Its folder, which can be copied."""
    programs: tuple[str, ...]
    """Names of the programs that are compiled."""
    fetched: tuple[str, ...]
    """Names of the libraries of PyPI."""
    bytes: int
    """Size of all that is in the folder, of earlier runs too."""


def this_machine(name: str = "", *, hwloc_xml: Path | None = None) -> Machine:
    """This machine as the system describes it.

    Args:
        name: What it is called; empty is its host name.
        hwloc_xml: A file of `lstopo` to take the topology from.

    Raises:
        MachmeterError: That file cannot be used.
    """
    return detect_machine(check_text(name), hwloc_xml=hwloc_xml)


def plan(
    request: Request,
    *,
    machine: Machine | None = None,
    baseline: Baseline | None = None,
    context: Context | None = None,
) -> DryRun:
    """What `measure` would launch; launches nothing.

    Args:
        request: What to measure.
        machine: This machine (`this_machine`); None detects it.
        baseline: Of an A/B run.
        context: Folders and listeners.

    Raises:
        MachineLacksError: Nothing requested can run on this machine, or the compiler that was
            requested is not there.
        UsageError: The baseline has nothing in common with the request, a size needs more memory
            than there is, the fewest launches clearly exceed the budget and are not forced, or no
            device has a name that was requested.
    """
    context = context or Context()
    if request.compiler:
        find_compiler(request.compiler, context.environment)
    target = target_of(request, baseline, context.for_builds, context.notify)
    machine, complete = target.described(machine)
    _refuse_what_cannot_fit(request, machine, baseline)
    earlier = _earlier_caches(request, machine, baseline, context)
    planned = plan_before_sizing(request, complete, baseline, earlier)
    if complete is not machine:
        planned = replace(planned, notes=(*planned.notes, _FETCHED_LATER))
    if other := other_machine_text(machine):
        planned = replace(planned, notes=(*planned.notes, other))
    refuse_short_budget(planned, request, machine)
    needed = expected(planned, request.study, machine)
    seconds = max(needed.fewest_seconds, min(needed.seconds, request.precision.budget_seconds))
    return DryRun(machine, request, planned, needed.launches, seconds, needed.seconds, baseline)


def measure(
    request: Request,
    *,
    machine: Machine | None = None,
    baseline: Baseline | None = None,
    folder: Path | None = None,
    command: Sequence[str] = ("machmeter.api.measure",),
    context: Context | None = None,
) -> Run:
    """Measure this machine: build what the request needs, launch it, judge and index the run.

    On hosts, the budget ends before the job around this process does.

    Launches that fail are a part of the result; an index that cannot be written is a warning.

    Args:
        request: What to measure.
        machine: This machine (`this_machine`); None detects it.
        baseline: Makes it an A/B run.
        folder: Of the run; None is one among this user's runs.
        command: What is recorded as having started the run.
        context: Folders and listeners.

    Raises:
        MachineLacksError: A compiler, an MPI or disk space is missing, nothing requested can run on
            this machine, another run is measuring, or the job has no time left.
        UsageError: The folder holds a run, the topology file is of another machine; and as in
            `plan`.
        RunInterruptedError: The run was interrupted; `resume` continues it.
    """
    context = context or Context()
    if machine is not None:
        refuse_other_machine(machine)
    request = within_job(request, context)
    refuse_unseen_cache(request, context)
    target = target_of(request, baseline, context.for_builds, context.notify)
    request, machine = target.completed(machine)
    target = target._replace(request=request)
    _refuse_what_cannot_fit(request, machine, baseline)
    earlier = _earlier_caches(request, machine, baseline, context)
    plan = plan_before_sizing(request, machine, baseline, earlier)
    refuse_short_budget(plan, request, machine)
    if remark := budget_remark(plan, request, machine):
        context.notify(remark)
    home = runs_home(context.data)
    # A folder among this user's runs is named after its run.
    run_id = folder.name if folder and folder.parent == home else new_run_id(machine.name)
    path = folder or home / run_id
    refuse_output(path)
    # Compiling disturbs a run that measures, and one that is refused shall leave no folder behind.
    with machine_to_ourselves(context.cache, run_id):
        ready = prepare(target, plan, machine)
        if ready.machine != machine:
            plan = plan_before_sizing(request, ready.machine, baseline, earlier)
        # First: a run that is killed in between is still known as this user's.
        if folder is not None:
            _remember(folder, context)
        created = create_run(
            *(path, run_id, request, ready.machine, tuple(command), baseline),
            context.environment,
        )
        _measure(created, ready, target, context, plan, earlier)
    return indexed(created, context)


def fetch(
    request: Request, *, machine: Machine | None = None, context: Context | None = None
) -> Machine:
    """Fetch what `measure` needs for the request; compile and launch nothing.

    Args:
        request: What to measure, here or on a machine of this kind that sees the same cache.
        machine: This machine (`this_machine`); None detects it.
        context: Folders and listeners.

    Returns:
        The machine with what was fetched.

    Raises:
        MachineLacksError: A library cannot be fetched.
    """
    context = context or Context()
    builds, notify = context.for_builds, context.notify
    fetch_mpi(request, builds, notify)
    return with_fetched(request, machine or this_machine(), builds, notify, needed=True)


def prepare_cache(
    request: Request, *, machine: Machine | None = None, context: Context | None = None
) -> PreparedCache:
    """Fetch and compile what `measure` needs for the request; launch nothing.

    Args:
        request: What to measure, on this machine.
        machine: This machine (`this_machine`); None detects it.
        context: Folders and listeners.

    Raises:
        MachineLacksError: As in `measure`, and where a library cannot be fetched.
    """
    context = context or Context()
    builds, notify = context.for_builds, context.notify
    machine = with_fetched(request, machine or this_machine(), builds, notify, needed=True)
    machine = ThisMachine(request, None, builds, notify).with_installed(machine)
    request = with_startable(request, builds, notify)
    # Neither a budget nor the cores of this machine leave out what another one measures.
    shared = replace(request.layout_options, oversubscribe=True)
    request = replace(request, force=True, layout_options=shared)
    plan = plan_before_sizing(request, machine)
    with machine_to_ourselves(context.cache, "prepare"):
        ready = prepare(target_of(request, None, builds, notify), plan, machine)
    return PreparedCache(
        str(context.cache),
        tuple(dict.fromkeys(one.program for one in plan.specs if one.is_ours)),
        tuple(sorted(ready.machine.software.fetched)),
        _bytes_in(context.cache),
    )


def resume(
    run: RunName = "last",
    *,
    hosts: Hosts | None = None,
    trust: bool = False,
    context: Context | None = None,
) -> Run:
    """Continue an interrupted run with what it was requested to measure; one that ended stays so.

    Args:
        run: As in `load`.
        hosts: Other hosts in the place of those that it began on, of the same hardware; None are
            the same.
        trust: Whether what the run names is used though it is not known to be this user's.
        context: Folders and listeners.

    Raises:
        UsageError: The machine or machmeter's programs are not those it began with, or the run is
            not known to be this user's and not trusted.
        MachineLacksError: Hosts are fewer than layouts of its plan have, or others than those that
            results are of, or the job has no time left.
        MachmeterError: As in `measure`.
    """
    context = context or Context()
    folder = find_run(run, context)
    header = folder.header()
    request = without_hosts(header.request, lost_in(folder.outcomes()))
    if hosts is not None:
        began_on = request.layout_options.hosts
        hosts = hosts_to_continue(folder.plan(), began_on, hosts, request.study.benchmarks)
        request = on_hosts(request, hosts)
    if folder.state().state is not RunState.FINISHED:
        request = ending_in(seconds_in_job(request, context), request, folder)
        refuse_unseen_cache(request, context)
    target = target_of(request, header.baseline, context.for_builds, context.notify)
    here, before = target.again(header.machine), header.machine
    same = _hardware(here) == _hardware(before) if hosts else _identity(here) == _identity(before)
    if not same:
        raise UsageError(
            f"run {header.id} was started on {header.machine.host} with other CPUs",
            "resume it there, or start a new run",
        )
    if folder.state().state is not RunState.FINISHED:
        _resume(folder, target, context, trust=trust)
    else:
        context.notify(f"run {header.id} has ended: nothing is left to measure")
    return indexed(folder, context)


def _bytes_in(folder: Path) -> int:
    """Of all files below a folder, without those that vanish meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            size += 0 if path.is_symlink() or not path.is_file() else path.stat().st_size
    return size


def is_clean(result: RunResult) -> bool:
    """Whether a run has results and every launch could be used, all its points included.

    A launch in which the run was interrupted was launched again and has not failed, nor has one
    that others disturbed, where a later one was accepted.
    """
    last_accepted = {o.spec: o.launch for o in result.outcomes if o.verdict is Verdict.ACCEPTED}
    usable = all(
        (o.verdict is Verdict.ACCEPTED and not o.dropped_points)
        or o.interrupted
        or (o.disturbed and not o.dropped_points and o.launch < last_accepted.get(o.spec, 0))
        for o in result.outcomes
    )
    return usable and bool(result.estimates)


def has_regression(result: RunResult) -> bool:
    """Whether an A/B run has a result that is slower, or none that could show it."""
    comparison = result.baseline.comparison if result.baseline else None
    return comparison is None or not comparison.results or bool(regressions(comparison))


def decides_nothing(result: RunResult) -> bool:
    """Whether every result of an A/B run is inconclusive."""
    comparison = result.baseline.comparison if result.baseline else None
    return comparison is not None and is_undecided(comparison)


def _resume(folder: RunFolder, target: Target, context: Context, *, trust: bool) -> None:
    header = folder.header()
    refuse_other_build(folder)
    for one in requests_of(header.request, header.baseline):
        refuse_unsound_flags(header.id, one)
    # The caller has seen that it is of this host.
    if not (trust or is_own(folder, context, of_this_host=True)):
        raise untrusted(header.id)
    refuse_changed_inputs(header.request.study)
    with machine_to_ourselves(context.cache, header.id):
        # As it was when the run began: its libraries too.
        earlier = _earlier_caches(header.request, header.machine, header.baseline, context)
        plan = folder.plan() or _plan_on_hosts_left(folder, target.request, earlier)
        ready = prepare(target, plan, header.machine)
        _measure(folder, ready, target, context, plan, earlier)


def _plan_on_hosts_left(folder: RunFolder, now: Request, earlier: Sequence[EarlierCache]) -> Plan:
    """The plan before sizing of a run that has none yet, on the hosts of the request `now`."""
    header = folder.header()
    request, old = replace(header.request, layout_options=now.layout_options), header.baseline
    if old:
        old = replace(old, request=without_hosts(old.request, lost_in(folder.outcomes())))
    return plan_before_sizing(request, header.machine, old, earlier)


def _refuse_what_cannot_fit(request: Request, machine: Machine, baseline: Baseline | None) -> None:
    """Raise UsageError for threads that were named, and for any layout of an exploration, where
    none of them fits; ranks alone are what the machine lacks."""
    placed = baseline is None and not request.origin.is_quoted
    if placed and (request.layout_options.threads or request.study.name == EXPLORATION):
        refuse_layouts_that_do_not_fit(request, machine)


def _identity(machine: Machine) -> tuple[str, tuple[int, ...]]:
    """What must not change within a run; the rest may come from sysfs or from a file of hwloc's."""
    return machine.host, tuple(sorted(cpu.number for cpu in machine.topology.usable))


def _hardware(machine: Machine) -> tuple[object, ...]:
    """What hosts have in common on which a run may go on; a kernel keeps a bit more or less of the
    memory to itself."""
    topology = machine.topology
    domains = tuple((one.number, one.allowed) for one in topology.domains)
    return machine.cpu_model, topology.cpus, topology.caches, domains


def on_hosts(request: Request, hosts: Hosts) -> Request:
    """The request, on these hosts."""
    layout = replace(
        request.layout_options,
        hosts=hosts.names,
        launcher=hosts.launcher,
        remote_shell=hosts.remote_shell,
    )
    return replace(request, layout_options=layout)


def _earlier_caches(
    request: Request, machine: Machine, baseline: Baseline | None, context: Context
) -> tuple[EarlierCache, ...]:
    """The last caches of the newest of this user's runs of this machine, where sizes follow them"""
    sized = any(needs_sizes(one.study) for one in requests_of(request, baseline))
    if request.fresh_sizes or request.origin.is_quoted or not sized:
        return ()
    return tuple(islice(_caches_of(machine, context), MOST_RUNS))


def _caches_of(machine: Machine, context: Context) -> Iterator[EarlierCache]:
    """Of this user's finished runs of a machine, the newest first, back to one with fresh sizes.

    A copy of a run is not another one. Runs that cannot be read are left out.
    """
    try:
        found = runs_by_id(context.data, lambda _error: None)
    except MachmeterError:
        return
    for name in sorted(found, reverse=True):
        with suppress(MachmeterError, OSError):
            header = found[name].header()
            here = header.machine.host == machine.host
            if header.id != name or not is_same_for_sizing(header.machine, machine):
                continue
            if not is_own(found[name], context, of_this_host=here):
                continue
            finished = found[name].state().state is RunState.FINISHED
            plan = found[name].plan() if finished else None
            cache = plan.last_cache if plan is not None else None
            # A run that saw no cache has nothing to say.
            if cache is not None and (cache.measured or cache.settled):
                yield EarlierCache(name, cache)
            if cache is not None and header.request.fresh_sizes:
                return


def _measure(
    folder: RunFolder,
    ready: Prepared,
    target: Target,
    context: Context,
    likely: Plan,
    earlier: Sequence[EarlierCache],
) -> None:
    try:
        launcher = measured(folder, ready, target, context.on_progress, likely, earlier)
        if target.request.explores:
            try_lines(folder, launcher, context)
    except KeyboardInterrupt as error:
        again = shell_text(("machmeter", "run", "--resume", str(folder.path)))
        raise RunInterruptedError(
            "the run was interrupted; completed launches are kept", f"continue with `{again}`"
        ) from error


def _remember(folder: Path, context: Context) -> None:
    try:
        remember_folders(context.data, [folder])
    except MachmeterError as error:
        context.warn(error)
