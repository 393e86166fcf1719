"""From experiments to launch specs: points x layouts, for one machine. Pure."""

from __future__ import annotations

from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import LayoutError, assign
from machmeter.model.benchmark import AUTO, Benchmark, Parameter, Value
from machmeter.model.errors import UsageError
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.machine import Machine
from machmeter.model.point import make_point
from machmeter.model.run import Skipped
from machmeter.model.study import Experiment, LayoutWish
from machmeter.model.units import format_bytes


class Expansion(Struct, frozen=True):
    """What can be launched, and what cannot, with the reason."""

    specs: tuple[LaunchSpec, ...]
    skipped: tuple[Skipped, ...]


def expand(
    experiments: tuple[Experiment, ...],
    machine: Machine,
    wish: LayoutWish,
    sizes: dict[str, tuple[int, ...]],
) -> Expansion:
    """Launch specs for `experiments`; `sizes` gives the values of `auto` by benchmark name.

    One spec holds every point that shares a layout: one launch measures them all. Values that a
    benchmark cannot take are skipped there. Raises UsageError for parameters that a benchmark does
    not have, and for ranks that it does not take.
    """
    specs: list[LaunchSpec] = []
    skipped: list[Skipped] = []
    for experiment in experiments:
        benchmark = find(experiment.benchmark)
        for layout in layouts_for(benchmark, machine, wish, experiment.all_threads):
            name = f"{benchmark.name} ({layout.label()})"
            reason = _cannot_run(layout, machine)
            if reason:
                skipped.append(Skipped(name, reason))
                continue
            axes, refused = _axes(benchmark, experiment, sizes, layout, machine)
            skipped += refused
            if not all(axes):
                continue
            combinations = _combinations(benchmark, axes)
            specs.append(
                LaunchSpec(
                    name=name,
                    executable=benchmark.executable,
                    benchmark=benchmark.name,
                    layout=layout,
                    points=tuple(make_point(benchmark.name, c, layout) for c in combinations),
                    seconds_per_point=experiment.seconds_per_point or benchmark.seconds_per_point,
                )
            )
    return Expansion(tuple(specs), tuple(dict.fromkeys(skipped)))


def layouts_for(
    benchmark: Benchmark, machine: Machine, wish: LayoutWish, all_threads: bool
) -> tuple[Layout, ...]:
    """Every layout a benchmark runs under on this machine, as far as the wish leaves it open.

    Raises UsageError for ranks that an MPI benchmark does not take.
    """
    if benchmark.ranks > 1 and wish.ranks not in (None, benchmark.ranks):
        raise UsageError(
            f"--ranks {wish.ranks}: {benchmark.name} takes exactly {benchmark.ranks} ranks in this "
            "version",
            "leave --ranks out",
        )
    pages = wish.page_bytes or _page_sizes(benchmark, machine)
    return tuple(
        Layout(
            ranks_per_node=benchmark.ranks,
            threads_per_rank=threads,
            smt=wish.smt,
            reserved_cores=wish.reserved_cores,
            binding=Binding(wish.binding),
            page_bytes=page_bytes,
            wait_policy=policy,
            oversubscribe=wish.oversubscribe,
        )
        for threads in _thread_counts(benchmark, machine, wish, all_threads)
        for page_bytes in pages
        for policy in _wait_policies(benchmark, wish, threads)
    )


def quota_note(machine: Machine, wish: LayoutWish) -> str:
    """In words where a cgroup's CPU time bounds the default thread counts; empty where not."""
    most = _threads_of_all_cores(machine, wish)
    if wish.threads or not machine.cpu_quota or int(machine.cpu_quota) >= most:
        return ""
    return (
        f"thread counts up to {_most_threads(machine, wish)} of {most}: a cgroup allows "
        f"{machine.cpu_quota:g} CPUs of time (--threads measures others)"
    )


def _thread_counts(
    benchmark: Benchmark, machine: Machine, wish: LayoutWish, all_threads: bool
) -> tuple[int, ...]:
    if not benchmark.sweep_threads:
        return (1,)
    if wish.threads:
        return wish.threads
    most = _most_threads(machine, wish)
    if not all_threads:
        return tuple(sorted({1, most}))
    powers = [2**power for power in range(most.bit_length()) if 2**power < most]
    return (*powers, most)


def _most_threads(machine: Machine, wish: LayoutWish) -> int:
    most = _threads_of_all_cores(machine, wish)
    # More threads than CPU time would be stopped in the middle.
    return min(most, max(1, int(machine.cpu_quota))) if machine.cpu_quota else most


def _threads_of_all_cores(machine: Machine, wish: LayoutWish) -> int:
    """What all cores hold that are not reserved, however many hardware threads each has."""
    every = Layout(
        threads_per_rank=max(1, len(machine.topology.usable)),
        smt=wish.smt,
        reserved_cores=wish.reserved_cores,
        oversubscribe=True,
    )
    try:
        assignment = assign(every, machine.topology)
    except LayoutError:
        return 1
    return len({cpus for rank in assignment.cpus for cpus in rank})


def _page_sizes(benchmark: Benchmark, machine: Machine) -> tuple[int, ...]:
    base, huge = machine.memory.base_page_bytes, machine.memory.huge_page_bytes
    return (base, huge) if benchmark.sweep_pages and huge > base else (base,)


def _wait_policies(benchmark: Benchmark, wish: LayoutWish, threads: int) -> tuple[WaitPolicy, ...]:
    # One thread never waits for another: the policy would be measured twice.
    if not benchmark.sweep_wait_policies or threads == 1:
        return (WaitPolicy(wish.wait_policies[0]),) if wish.wait_policies else (WaitPolicy.ACTIVE,)
    if wish.wait_policies:
        return tuple(WaitPolicy(name) for name in wish.wait_policies)
    return tuple(WaitPolicy)


def has_huge_pages(machine: Machine) -> bool:
    """Whether data get the machine's huge pages when they ask for them with madvise."""
    memory = machine.memory
    larger = memory.huge_page_bytes > memory.base_page_bytes
    return larger and memory.transparent_huge_pages in ("always", "madvise")


def _cannot_run(layout: Layout, machine: Machine) -> str:
    try:
        assign(layout, machine.topology)
    except LayoutError as error:
        return str(error)
    return _cannot_have_pages(layout.page_bytes, machine)


def _cannot_have_pages(page_bytes: int, machine: Machine) -> str:
    memory = machine.memory
    pages = f"pages of {format_bytes(page_bytes)} cannot be had"
    if page_bytes == memory.base_page_bytes:
        return ""
    if page_bytes != memory.huge_page_bytes:
        sizes = dict.fromkeys((memory.base_page_bytes, memory.huge_page_bytes))
        offered = " and ".join(format_bytes(size) for size in sizes if size)
        return f"{pages}: this machine gives a program pages of {offered}"
    if has_huge_pages(machine):
        return ""
    if memory.transparent_huge_pages == "never":
        return (
            f"{pages}: transparent huge pages are set to never; as root: echo madvise > "
            "/sys/kernel/mm/transparent_hugepage/enabled"
        )
    return f"{pages}: this kernel has no transparent huge pages; take one that was built with them"


def _axes(
    benchmark: Benchmark,
    experiment: Experiment,
    sizes: dict[str, tuple[int, ...]],
    layout: Layout,
    machine: Machine,
) -> tuple[list[tuple[Value, ...]], list[Skipped]]:
    """The values of each parameter, and those that it cannot take under this layout."""
    unknown = set(experiment.parameters) - {parameter.name for parameter in benchmark.parameters}
    if unknown:
        raise UsageError(f"{benchmark.name} has no parameter {', '.join(sorted(unknown))}")
    axes: list[tuple[Value, ...]] = []
    skipped: list[Skipped] = []
    for parameter in benchmark.parameters:
        asked = experiment.parameters.get(parameter.name) or parameter.values
        values = sizes[benchmark.name] if asked == (AUTO,) else asked
        bounds = _under(layout, parameter, machine)
        taken = []
        for value in values:
            what = f"{parameter.name}={value}"
            if reason := parameter.refusal(value):
                skipped.append(Skipped(f"{benchmark.name} with {what}", reason))
            elif reason := bounds.refusal(value, layout.threads_per_rank):
                skipped.append(Skipped(f"{benchmark.name} ({layout.label()}) with {what}", reason))
            else:
                taken.append(value)
        axes.append(tuple(taken))
    return axes, skipped


def _under(layout: Layout, parameter: Parameter, machine: Machine) -> Parameter:
    """On several NUMA domains threads may not share a huge page: one domain alone would hold it."""
    huge = layout.page_bytes > machine.memory.base_page_bytes
    if not (parameter.least_per_thread and huge and _domains(layout, machine) > 1):
        return parameter
    return replace(parameter, least_per_thread=layout.page_bytes)


def _domains(layout: Layout, machine: Machine) -> int:
    assignment = assign(layout, machine.topology)
    bound = {number for rank in assignment.cpus for cpus in rank for number in cpus}
    usable = machine.topology.usable
    return len({cpu.numa for cpu in usable if not bound or cpu.number in bound})


def _combinations(benchmark: Benchmark, axes: list[tuple[Value, ...]]) -> list[dict[str, Value]]:
    names = [parameter.name for parameter in benchmark.parameters]
    every = [dict(zip(names, values, strict=True)) for values in product(*axes)]
    kept = [combination for combination in every if not _skips(benchmark, combination)]
    if not kept:
        raise UsageError(f"nothing of {benchmark.name} is left to measure with these values")
    return kept


def _skips(benchmark: Benchmark, combination: dict[str, Value]) -> bool:
    return any(all(combination[name] == value for name, value in skip) for skip in benchmark.skips)
