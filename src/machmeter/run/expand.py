"""From experiments to launch specs: points x layouts, for one machine. Pure."""

from __future__ import annotations

from itertools import product

from msgspec import Struct

from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import LayoutError, assign
from machmeter.model.benchmark import AUTO, Benchmark, Value
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

    One spec holds every point that shares a layout: one launch measures them all.
    Raises UsageError for parameters or values that a benchmark does not have.
    """
    specs: list[LaunchSpec] = []
    skipped: list[Skipped] = []
    for experiment in experiments:
        benchmark = find(experiment.benchmark)
        combinations = _combinations(benchmark, experiment, sizes)
        for layout in layouts_for(benchmark, machine, wish, experiment.all_threads):
            name = f"{benchmark.name} ({layout.label()})"
            reason = _cannot_run(layout, machine)
            if reason:
                skipped.append(Skipped(name, reason))
                continue
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
    return Expansion(tuple(specs), tuple(skipped))


def layouts_for(
    benchmark: Benchmark, machine: Machine, wish: LayoutWish, all_threads: bool
) -> tuple[Layout, ...]:
    """Every layout a benchmark runs under on this machine, as far as the wish leaves it open."""
    ranks = wish.ranks or benchmark.ranks
    if benchmark.ranks == 1:
        ranks = 1
    pages = wish.page_bytes or _page_sizes(benchmark, machine)
    return tuple(
        Layout(
            ranks_per_node=ranks,
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


def _thread_counts(
    benchmark: Benchmark, machine: Machine, wish: LayoutWish, all_threads: bool
) -> tuple[int, ...]:
    if not benchmark.sweep_threads:
        return (1,)
    if wish.threads:
        return wish.threads
    most = max(1, len(machine.topology.usable_cores) - wish.reserved_cores) * wish.smt
    if not all_threads:
        return tuple(sorted({1, most}))
    powers = [2**power for power in range(most.bit_length()) if 2**power < most]
    return (*powers, most)


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


def _cannot_run(layout: Layout, machine: Machine) -> str:
    try:
        assign(layout, machine.topology)
    except LayoutError as error:
        return str(error)
    memory = machine.memory
    huge = layout.page_bytes > memory.base_page_bytes
    if huge and memory.transparent_huge_pages == "never" and memory.huge_pages_free == 0:
        return (
            f"pages of {format_bytes(layout.page_bytes)} cannot be had: transparent huge pages are "
            "set to never; as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
        )
    return ""


def _combinations(
    benchmark: Benchmark, experiment: Experiment, sizes: dict[str, tuple[int, ...]]
) -> list[dict[str, Value]]:
    unknown = set(experiment.parameters) - {parameter.name for parameter in benchmark.parameters}
    if unknown:
        raise UsageError(f"{benchmark.name} has no parameter {', '.join(sorted(unknown))}")
    axes: list[tuple[Value, ...]] = []
    for parameter in benchmark.parameters:
        values = experiment.parameters.get(parameter.name) or parameter.values
        axes.append(sizes[benchmark.name] if values == (AUTO,) else values)
    names = [parameter.name for parameter in benchmark.parameters]
    every = [dict(zip(names, values, strict=True)) for values in product(*axes)]
    kept = [combination for combination in every if not _skips(benchmark, combination)]
    if not kept:
        raise UsageError(f"nothing of {benchmark.name} is left to measure with these values")
    return kept


def _skips(benchmark: Benchmark, combination: dict[str, Value]) -> bool:
    return any(all(combination[name] == value for name, value in skip) for skip in benchmark.skips)
