"""The layouts that a benchmark runs under on one machine. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.layout.assign import assign, hardware_threads
from machmeter.layout.errors import LayoutError
from machmeter.layout.splits import domain_cores, splits
from machmeter.model.benchmark import Benchmark, ThreadSweep
from machmeter.model.errors import UsageError
from machmeter.model.layout import LINKED, Binding, LaunchMode, Layout, ProgressMode, WaitPolicy
from machmeter.model.machine import Machine, Topology
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.run import Skipped
from machmeter.model.variant import ONLY, Variant
from machmeter.run.planning.ranks import RankCount, rank_counts

_WITHOUT_INNER_TEAMS = (
    "it has no inner teams to leave free; binding its threads spread is an equivalent "
    "placement, and is measured unless other bindings were named"
)


class Configuration(NamedTuple):
    """A layout, and the variant that is run under it."""

    layout: Layout
    variant: Variant = ONLY


class Configurations(Struct, frozen=True):
    """The layouts and variants of a benchmark."""

    every: tuple[Configuration, ...]
    """Each placement once."""
    skipped: tuple[Skipped, ...] = ()
    """What is left out, and why."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts, each once."""
        return tuple(dict.fromkeys(one.layout for one in self.every))


class _Team(Struct, frozen=True):
    """Outer and inner threads; `together`: on neighboring cores, whatever the sweep of bindings."""

    outer: int
    inner: int = 1
    together: bool = False


def configurations_for(
    benchmark: Benchmark, experiment: Experiment, machine: Machine, options: LayoutOptions
) -> Configurations:
    """Every layout and variant of `experiment` on this machine, as far as `options` do not set it.

    Of equivalent placements only the first is kept. Raises UsageError for nodes that
    were not named as hosts.
    """
    if experiment.command is not None:
        # What programs that are not ours do not take.
        options = replace(options, openmp=(), page_bytes=(), progress=())
    kept: dict[tuple[object, ...], Configuration] = {}
    skipped: dict[Skipped, None] = {}
    if experiment.smt > 1 and _usual_cpus(options):
        if hardware_threads(machine.topology) < experiment.smt:
            return Configurations((), ())
        options = replace(options, smt=experiment.smt)
    options, lacking = _with_modes_of(experiment, machine, options)
    requested = options.modes
    options, of_launcher = _without_default_of_model(machine, options)
    skipped |= dict.fromkeys((*lacking, *of_launcher))
    if requested and not options.modes:
        return Configurations((), tuple(skipped))
    one_thread = (experiment.threads or benchmark.threads) is ThreadSweep.ONE
    if options.modes and one_thread and not options.threads:
        # It takes no number of threads: half as many ranks would leave cores idle.
        options = replace(options, threads=(1,))
    for mode in _without_threads(options) if benchmark.program.has_ranks else ():
        counts = " or ".join(map(str, options.threads))
        lacks = f"it has {counts} {'thread' if counts == '1' else 'threads'} a rank"
        skipped[Skipped(f"{benchmark.name} as {mode.value}", lacks)] = None
    usable = options if benchmark.program.has_ranks else replace(options, modes=())
    for one in single_modes(usable, machine):
        found = _of_one_mode(benchmark, experiment, machine, one)
        for configuration in found.every:
            kept.setdefault(placement_key(configuration, machine), configuration)
        skipped |= dict.fromkeys(found.skipped)
    if benchmark.program.observed and experiment.ranks is None:
        nodes = options.nodes or (len(options.hosts) or 1,)
        usual = [_of_default(benchmark, machine, options, count) for count in nodes]
        first = {placement_key(one, machine): one for one in usual}
        # First, and in the place of an unbound one that comes to the same.
        kept = first | kept | first
    return Configurations(tuple(kept.values()), tuple(skipped))


def _with_modes_of(
    experiment: Experiment, machine: Machine, options: LayoutOptions
) -> tuple[LayoutOptions, tuple[Skipped, ...]]:
    """The options with the launch modes of an experiment, unless layouts were requested; where
    cores have one hardware thread, those without a second one in their place."""
    if not experiment.modes or not _usual_cpus(options):
        return options, ()
    if hardware_threads(machine.topology) > 1:
        return replace(options, modes=experiment.modes), ()
    lacking = tuple(
        Skipped(
            f"launch mode {mode.value}",
            f"cores have one hardware thread: measured as {mode.without_smt.value}",
        )
        for mode in experiment.modes
        if mode.smt > 1
    )
    modes = tuple(dict.fromkeys(mode.without_smt for mode in experiment.modes))
    return replace(options, modes=modes), lacking


def _without_default_of_model(
    machine: Machine, options: LayoutOptions
) -> tuple[LayoutOptions, tuple[Skipped, ...]]:
    """The options without what a launcher does by itself, where no launcher starts anything."""
    if not machine.topology.is_simulated or LaunchMode.DEFAULT not in options.modes:
        return options, ()
    modes = tuple(mode for mode in options.modes if mode is not LaunchMode.DEFAULT)
    what = f"launch mode {LaunchMode.DEFAULT.value}"
    return replace(options, modes=modes), (Skipped(what, "a model has no launcher"),)


def _usual_cpus(options: LayoutOptions) -> bool:
    """Whether no other CPUs are requested than an experiment takes."""
    usual = LayoutOptions()
    names = ("modes", "threads", "rank_counts", "smt", "reserved_cores")
    return all(getattr(options, name) == getattr(usual, name) for name in names)


def single_modes(options: LayoutOptions, machine: Machine) -> Iterator[LayoutOptions]:
    """The options with one number of hardware threads a core and of reserved cores, each in turn.

    A launch mode has so many ranks on each node as the cores hold, unless ranks are requested.
    """
    left_out = _without_threads(options)
    for mode in options.modes:
        if mode in left_out:
            continue
        one = replace(
            options,
            modes=(),
            smt=mode.smt,
            reserved_cores=mode.reserved_cores,
            threads=(mode.threads_per_rank,),
        )
        if mode is LaunchMode.DEFAULT:
            nothing = (WaitPolicy.DEFAULT,)
            one = replace(one, bindings=(Binding.DEFAULT,), wait_policies=nothing)
        ranks = max(1, _most_threads(machine, one) // mode.threads_per_rank)
        for nodes in options.nodes or (len(options.hosts) or 1,):
            counts = options.rank_counts or (ranks * nodes,)
            yield replace(one, nodes=(nodes,), rank_counts=counts)
    for smt, reserved in product(options.smts, options.reserves) if not options.modes else ():
        yield replace(options, smt=smt, reserved_cores=reserved)


def _without_threads(options: LayoutOptions) -> list[LaunchMode]:
    """The modes of other numbers of threads than those that the program can have."""
    threads = options.threads
    return [mode for mode in options.modes if threads and mode.threads_per_rank not in threads]


def _of_one_mode(
    benchmark: Benchmark, experiment: Experiment, machine: Machine, options: LayoutOptions
) -> Configurations:
    smt, reserved_cores = options.smts[0], options.reserves[0]
    kept: dict[tuple[object, ...], Configuration] = {}
    skipped: list[Skipped] = []
    libraries, lacking = _libraries(benchmark, experiment, machine, options)
    ranks = rank_counts(benchmark, experiment, _most_threads(machine, options), options)
    teams = tuple(
        (count, team)
        for count in ranks.counts
        for team in _teams(benchmark, experiment, machine, options, count)
    )
    if Binding.OUTER in options.bindings and all(team.inner == 1 for _, team in teams):
        what = f"{benchmark.name} with only its outer threads bound"
        skipped.append(Skipped(what, _WITHOUT_INNER_TEAMS))
    for count, team in teams:
        if team.outer * team.inner < benchmark.least_threads:
            reason = f"it needs {benchmark.least_threads} threads, and as many cores to run them"
            skipped.append(Skipped(f"{benchmark.name} with one thread", reason))
            continue
        for binding, policy, pages, device, (openmp, allocator), (
            variant,
            package,
            progress,
        ) in product(
            _bindings(benchmark, experiment, options, team),
            _wait_policies(benchmark, experiment, options, team),
            options.page_bytes or _page_sizes(benchmark, experiment, machine),
            _devices(benchmark, machine),
            libraries,
            _of_ranks(benchmark, experiment, machine, options, count.ranks_per_node * team.outer),
        ):
            layout = Layout(
                nodes=count.nodes,
                ranks_per_node=count.ranks_per_node,
                threads_per_rank=team.outer,
                inner_threads=team.inner,
                smt=smt,
                reserved_cores=max(reserved_cores, int(progress is ProgressMode.RESERVED)),
                binding=binding,
                page_bytes=pages,
                wait_policy=policy,
                oversubscribe=options.oversubscribe or count.oversubscribed,
                openmp=openmp,
                allocator=allocator,
                progress=progress,
                package=package,
                device=device,
            )
            one = Configuration(layout, variant)
            kept.setdefault(placement_key(one, machine), one)
    return Configurations(tuple(kept.values()), (*skipped, *ranks.skipped, *lacking))


def _devices(benchmark: Benchmark, machine: Machine) -> tuple[str | UnsetType, ...]:
    named = machine.devices if benchmark.program == DEVICE_PROGRAM else UNSET
    return tuple(one.name for one in named or ()) or (UNSET,)


def _of_separate_devices(benchmark: Benchmark, machine: Machine) -> bool:
    """Whether it measures devices none of which is the CPUs of the host."""
    return benchmark.program == DEVICE_PROGRAM and machine.has_separate_devices


def _of_default(
    benchmark: Benchmark, machine: Machine, options: LayoutOptions, nodes: int
) -> Configuration:
    """What people have who set nothing: one process, whose OpenMP runtime takes every CPU, or ranks
    on all cores."""
    most = _most_threads(machine, replace(options, smt=1, reserved_cores=0))
    cpus = max(1, len(machine.topology.usable))
    return Configuration(
        Layout(
            nodes=nodes if benchmark.program.has_ranks else 1,
            ranks_per_node=most if benchmark.program.has_ranks else 1,
            threads_per_rank=1 if benchmark.program.has_ranks else cpus,
            binding=Binding.DEFAULT,
            page_bytes=machine.memory.base_page_bytes,
            wait_policy=WaitPolicy.DEFAULT,
        )
    )


def _of_ranks(
    benchmark: Benchmark,
    experiment: Experiment,
    machine: Machine,
    options: LayoutOptions,
    cores: int,
) -> list[tuple[Variant, int, ProgressMode]]:
    """Variants and means of progress, which only benchmarks of ranks differ in, and packages, in
    which those of devices do too: one is near the device, others are far.

    Of packages those with that many cores, by their position.
    """
    if not (benchmark.program.has_ranks or _of_separate_devices(benchmark, machine)):
        return [(ONLY, -1, ProgressMode.LIBRARY)]
    of_mpi = benchmark.program.chooses_mpi
    # A program that is linked with one library is not measured under others.
    of_one = experiment.command is not None and experiment.command.mpi
    mpis = options.mpis if of_mpi and not of_one else ()
    cores_of: dict[int, set[int]] = {}
    for cpu in machine.topology.usable:
        cores_of.setdefault(cpu.package, set()).add(cpu.core)
    roomy = [i for i, package in enumerate(sorted(cores_of)) if len(cores_of[package]) >= cores]
    sweep = benchmark.sweep_packages if experiment.packages is None else experiment.packages
    progress = (options.progress or experiment.progress or benchmark.progress) if of_mpi else ()
    # Threads that feed a device fit into one package, and are there near it or far.
    packages = (-1, *roomy) if benchmark.program.has_ranks or not roomy else tuple(roomy)
    return list(
        product(
            [Variant(mpi) for mpi in (mpis if experiment.mpis else mpis[:1])] or [ONLY],
            packages if sweep and len(cores_of) > 1 else (-1,),
            progress or (ProgressMode.LIBRARY,),
        )
    )


def topology_of(
    benchmark: Benchmark, machine: Machine, options: LayoutOptions
) -> tuple[Topology, ...]:
    """The topology as far as each layout of a benchmark reaches, CPUs of the others not allowed.

    Each set of CPUs once, where threads are bound; the whole topology where none are.
    """
    layouts = configurations_for(benchmark, Experiment(benchmark.name), machine, options).layouts
    reached = dict.fromkeys(cpus_of(layout, machine) for layout in layouts)
    return tuple(_within(machine.topology, cpus) for cpus in reached if cpus) or (machine.topology,)


def cpus_of(layout: Layout, machine: Machine) -> frozenset[int]:
    """The CPUs that threads of the layout are bound to; empty where it is not bound, or too large
    for this machine."""
    try:
        assignment = assign(layout, machine.topology)
    except LayoutError:
        return frozenset()
    return frozenset(number for rank in assignment.cpus for cpus in rank for number in cpus)


def topology_of_all_cores(machine: Machine, options: LayoutOptions) -> Topology:
    """The topology as far as the layouts of all cores reach: without reserved cores, within what a
    cgroup's CPU time allows, or as many threads as were requested by number."""
    most = Layout(
        threads_per_rank=max(options.threads, default=_most_threads(machine, options)),
        smt=max(options.smts),
        reserved_cores=min(options.reserves),
        oversubscribe=True,
    )
    return _within(machine.topology, cpus_of(most, machine))


def _within(topology: Topology, cpus: frozenset[int]) -> Topology:
    within = (replace(cpu, allowed=cpu.allowed and cpu.number in cpus) for cpu in topology.cpus)
    return replace(topology, cpus=tuple(within))


def quota_note(machine: Machine, options: LayoutOptions) -> str:
    """The note where a cgroup's CPU time bounds the default thread counts; empty where not."""
    most = _threads_of_all_cores(machine, options)
    if options.threads or not machine.cpu_quota or int(machine.cpu_quota) >= most:
        return ""
    return (
        f"thread counts up to {_most_threads(machine, options)} of {most}: a cgroup allows "
        f"{machine.cpu_quota:g} CPUs of time (--threads measures others)"
    )


def placement_key(one: Configuration, machine: Machine) -> tuple[object, ...]:
    """Equal for those that put every thread on the same CPUs, whatever the binding's name."""
    try:
        assignment = assign(one.layout, machine.topology)
    except LayoutError:
        return one
    return (assignment, replace(one.layout, binding=Binding.CLOSE), one.variant)


def _teams(
    benchmark: Benchmark,
    experiment: Experiment,
    machine: Machine,
    options: LayoutOptions,
    ranks: RankCount,
) -> Iterator[_Team]:
    sweep = experiment.threads or benchmark.threads
    one_is_enough = _of_separate_devices(benchmark, machine) and not options.threads
    if sweep is ThreadSweep.ONE or one_is_enough:
        yield _Team(1)
        return
    if sweep is ThreadSweep.SPLITS:
        yield from _splits(machine, options)
        return
    most = max(1, _most_threads(machine, options) // ranks.ranks_per_node)
    counts = {
        ThreadSweep.TWO: (min(2, most),),
        ThreadSweep.ENDS: tuple(sorted({1, most})),
        ThreadSweep.POWERS: (*(2**power for power in range((most - 1).bit_length())), most),
        ThreadSweep.ALL: (most,),
    }
    for count in options.threads or counts[sweep]:
        yield _Team(count)


def _splits(machine: Machine, options: LayoutOptions) -> Iterator[_Team]:
    """One thread, one NUMA domain full of outer threads, and every split of all cores."""
    most = _most_threads(machine, options)
    if not options.threads:
        yield _Team(1, together=True)
        cores = topology_of_all_cores(machine, options)
        # Without a usable CPU nothing is launched at all, and says why.
        domain = domain_cores(cores) if cores.usable else 1
        if 1 < domain < most:
            yield _Team(domain, together=True)
    for count in options.threads or (most,):
        for outer, inner in splits(count):
            yield _Team(outer, inner)


def _most_threads(machine: Machine, options: LayoutOptions) -> int:
    most = _threads_of_all_cores(machine, options)
    # More threads than CPU time would be stopped in the middle.
    return min(most, max(1, int(machine.cpu_quota))) if machine.cpu_quota else most


def _threads_of_all_cores(machine: Machine, options: LayoutOptions) -> int:
    """What all cores hold that are not reserved, however many hardware threads each has."""
    every = Layout(
        threads_per_rank=max(1, len(machine.topology.usable)),
        smt=max(options.smts),
        reserved_cores=min(options.reserves),
        oversubscribe=True,
    )
    try:
        assignment = assign(every, machine.topology)
    except LayoutError:
        return 1
    return len({cpus for rank in assignment.cpus for cpus in rank})


def _bindings(
    benchmark: Benchmark, experiment: Experiment, options: LayoutOptions, team: _Team
) -> tuple[Binding, ...]:
    requested = options.bindings or experiment.bindings or benchmark.bindings
    bound = (Binding.CLOSE,) if team.together else (Binding.SPREAD, Binding.CLOSE)
    if team.together:
        return bound
    # Without inner teams there is nothing that binding the outer threads alone could leave free.
    usable = requested if team.inner > 1 else tuple(b for b in requested if b is not Binding.OUTER)
    return usable or bound[:1]


def _page_sizes(benchmark: Benchmark, experiment: Experiment, machine: Machine) -> tuple[int, ...]:
    base, huge = machine.memory.base_page_bytes, machine.memory.huge_page_bytes
    sweep = benchmark.sweep_pages if experiment.pages is None else experiment.pages
    return (base, huge) if sweep and huge > base else (base,)


def _wait_policies(
    benchmark: Benchmark, experiment: Experiment, options: LayoutOptions, team: _Team
) -> tuple[WaitPolicy, ...]:
    requested = options.wait_policies or experiment.wait_policies or benchmark.wait_policies
    # One thread never waits for another: the policy would be measured twice.
    return requested if team.outer * team.inner > 1 else requested[:1]


def _libraries(
    benchmark: Benchmark, experiment: Experiment, machine: Machine, options: LayoutOptions
) -> tuple[list[tuple[str, str]], list[Skipped]]:
    """Each OpenMP runtime with each allocator; empty names are those the programs link."""
    runtimes, few_runtimes = _swept(
        benchmark.sweep_runtimes if experiment.runtimes is None else experiment.runtimes,
        machine.software.openmp_runtimes,
        options.openmp,
        "OpenMP runtimes",
        "install libomp (Debian: libomp5) or let machmeter fetch Intel's from PyPI",
    )
    allocators, few_allocators = _swept(
        benchmark.sweep_allocators if experiment.allocators is None else experiment.allocators,
        machine.software.allocators,
        options.allocators,
        "allocators",
        "install jemalloc, tcmalloc or mimalloc (Debian: libjemalloc2, libtcmalloc-minimal4, "
        "libmimalloc2.0)",
    )
    return list(product(runtimes, allocators)), few_runtimes + few_allocators


def _swept(
    sweep: bool, found: dict[str, str], requested: tuple[str, ...], what: str, remedy: str
) -> tuple[tuple[str, ...], list[Skipped]]:
    if requested:
        for name in requested:
            if name not in (*found, LINKED):
                known = ", ".join(found) or "none"
                raise UsageError(f"this machine has no {name} among its {what} ({known})", remedy)
        return tuple("" if name == LINKED else name for name in requested), []
    if not sweep:
        return ("",), []
    if len(found) > 1:
        return tuple(found), []
    only = next(iter(found), "the one the programs are linked with")
    return ("",), [Skipped(f"other {what} than {only}", f"none was found: {remedy}")]
