"""Values of `auto` that come from the topology, the memory and the budget. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec import Struct

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.compute import OPENBLAS
from machmeter.benchmarks.lu import LU
from machmeter.layout.libraries import is_one_threaded_blas
from machmeter.layout.places import domain_pairs, ordered_pairs, unordered_pairs
from machmeter.layout.splits import domain_cores
from machmeter.machine.libraries import SYSTEM_BLAS
from machmeter.machine.page_kinds import page_kinds
from machmeter.machine.system_files import format_cpu_list
from machmeter.machine.vector_widths import vector_widths
from machmeter.model.benchmark import AutoRule, Benchmark, Value
from machmeter.model.machine import Machine, Memory, Topology
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.run import Skipped
from machmeter.run.planning.layouts import configurations_for, topology_of, topology_of_all_cores
from machmeter.run.planning.needed_memory import filling_memory
from machmeter.run.planning.rank_pairs import pairs_of_ranks
from machmeter.run.planning.sizing import Sizes, allocated_bytes
from machmeter.run.planning.sizing_network import choose_message_sizes

MOST_PAIRS = 64
# A pair of these takes a dozen points of 10 ms: with so many a launch stays below 3 s.
MOST_PAIRS_OF_PAGES = 24
BUDGET_SHARE_OF_TIMELINE = 30
LONGEST_TIMELINE = 60
SHORTEST_TIMELINE = 2
# The largest takes about a second on the fewest threads that it suits.
ORDERS = (64, 128, 256, 512, 1024, 2048, 4096)

_ORDER_OF_CORE = 1536
# No powers of two: columns that far apart share the sets of caches.
LU_ORDERS = (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)
_LU_RATE_OF_CORE = 2e10
"""Floating-point operations a second of a core in large factorizations, as it is guessed."""
_LU_LAUNCHES = 10
_BUDGET_SHARE_OF_LU = 10


class AutomaticValues(Struct, frozen=True):
    """Values of `auto` on one machine."""

    values: dict[str, dict[str, tuple[Value, ...]]]
    """By benchmark and parameter."""
    lacking: dict[tuple[str, str], tuple[Skipped, ...]]
    """What this machine lacks for others, by benchmark and parameter."""


def automatic_values(
    machine: Machine, sizes: Sizes, budget_seconds: float, options: LayoutOptions
) -> AutomaticValues:
    """Every value of `auto` on this machine, for a run with that budget, seconds, and layouts as
    far as `options` do not set them."""
    allocated = allocated_bytes(machine)
    cores = max(1, len(machine.topology.usable_cores))
    kinds, kinds_lacking = page_kinds(machine.memory, allocated, cores)
    widths, widths_lacking = vector_widths(
        machine.architecture, machine.features, machine.scalable_bits
    )
    blas, blas_lacking = _blas(machine)
    lacking = {
        AutoRule.PAGE_KINDS: kinds_lacking,
        AutoRule.VECTOR_WIDTHS: widths_lacking,
        AutoRule.BLAS: blas_lacking,
        AutoRule.DOMAIN_PAIRS: _without_domain(machine.topology),
    }
    chosen: dict[AutoRule | None, tuple[Value, ...]] = {
        AutoRule.PAGE_KINDS: kinds,
        AutoRule.VECTOR_WIDTHS: widths,
        AutoRule.BLAS: blas,
        AutoRule.ORDERS: ORDERS,
        AutoRule.ORDER_OF_NODE: (order_of_node(cores),),
        AutoRule.ORDERS_IN_BUDGET: lu_orders(cores, machine.memory, budget_seconds),
        AutoRule.ALLOCATION: (allocated,),
        AutoRule.SERIES_SECONDS: (timeline_seconds(budget_seconds),),
        AutoRule.WAVES: _derivatives(topology_of_all_cores(machine, options)),
        AutoRule.MESSAGES: choose_message_sizes(()).sizes,
    }
    values: dict[str, dict[str, tuple[Value, ...]]] = {}
    without: dict[tuple[str, str], tuple[Skipped, ...]] = {}
    for benchmark in BENCHMARKS:
        for one in benchmark.parameters:
            if one.auto in chosen:
                values.setdefault(benchmark.name, {})[one.name] = chosen[one.auto]
            elif one.auto in _PAIRS:
                pairs = _PAIRS[one.auto](benchmark, machine, options)
                values.setdefault(benchmark.name, {})[one.name] = pairs
            if one.auto in lacking:
                without[benchmark.name, one.name] = tuple(
                    Skipped(f"{benchmark.name} with {one.name}={value}", reason)
                    for value, reason in lacking[one.auto].items()
                )
    for name, found in sizes.values.items():
        values[name] = values.get(name, {}) | dict(found)
    return AutomaticValues(values, without)


def _without_domain(topology: Topology) -> dict[str, str]:
    """Pairs of CPUs with memory that no NUMA domain gives, and of memory that is not allowed."""
    alone = [cpu.number for cpu in topology.usable if cpu.numa < 0]
    found = {}
    if alone:
        cpus = f"CPU {alone[0]}" if len(alone) == 1 else f"CPUs {format_cpu_list(alone)}"
        has = "has" if len(alone) == 1 else "have"
        found[cpus] = f"{cpus} {has} no local memory domain"
    for domain in topology.domains:
        if not domain.allowed:
            found[f"domain {domain.number}"] = (
                f"this process may not allocate memory of NUMA domain {domain.number} "
                "(Mems_allowed)"
            )
    return found


def _blas(machine: Machine) -> tuple[tuple[str, ...], dict[str, str]]:
    """OpenBLAS where it is there, else the BLAS of the system unless that has one thread only; and
    why what is not taken is not."""
    known = machine.software.blas
    reasons = {
        OPENBLAS: "OpenBLAS of PyPI was not fetched",
        "system": f"this machine has no {SYSTEM_BLAS}",
    }
    if is_one_threaded_blas(path := known.get("system", "")):
        known = {name: one for name, one in known.items() if name != "system"}
        reasons["system"] = (
            f"{SYSTEM_BLAS} leads to {path}, which has one thread only and may take minutes for "
            "large orders: install another (Debian: libopenblas0-pthread), or measure it all the "
            "same with --set library=system"
        )
    chosen = next((name for name in reasons if name in known), "")
    missing = {} if chosen == OPENBLAS else {OPENBLAS: reasons[OPENBLAS]}
    return ((chosen,), missing) if chosen else ((), reasons)


def timeline_seconds(budget_seconds: float) -> int:
    """Length of a time series, seconds: a thirtieth of the budget, from two to sixty."""
    wanted = int(budget_seconds / BUDGET_SHARE_OF_TIMELINE)
    return min(max(wanted, SHORTEST_TIMELINE), LONGEST_TIMELINE)


def lu_orders(cores: int, memory: Memory, budget_seconds: float) -> tuple[int, ...]:
    """Orders of LU factorizations: at least three, of which a law can be fitted, and no more than
    fit into the memory and, on all cores, into a tenth of the budget."""
    seconds = budget_seconds / _BUDGET_SHARE_OF_LU / _LU_LAUNCHES
    by_time = math.cbrt(1.5 * seconds * cores * _LU_RATE_OF_CORE)
    by_memory = filling_memory(next(p for p in LU.parameters if p.name == "order"), memory, ())
    least = [n for n in LU_ORDERS[:3] if n <= by_memory] or [LU_ORDERS[0]]
    return (*least, *(n for n in LU_ORDERS[3:] if n <= min(by_time, by_memory)))


def order_of_node(cores: int) -> int:
    """Order of the products of matrices on all cores of a node: each has the same work, 7 Gflop."""
    return round(_ORDER_OF_CORE * math.cbrt(cores))


_PairsOf = Callable[[Benchmark, Machine, LayoutOptions], tuple[Value, ...]]


def _sampled(sample: Callable[[Topology, int], Sequence[tuple[int, int]]], most: int) -> _PairsOf:
    """At most `most` pairs, those of each layout's own CPUs the same share."""

    def pairs_of(benchmark: Benchmark, machine: Machine, options: LayoutOptions) -> tuple[str, ...]:
        return _shared_out(sample, topology_of(benchmark, machine, options), most)

    return pairs_of


def _shared_out(
    sample: Callable[[Topology, int], Sequence[tuple[int, int]]],
    topologies: Sequence[Topology],
    most: int,
) -> tuple[str, ...]:
    share = max(1, most // len(topologies))
    pairs = dict.fromkeys(pair for topology in topologies for pair in sample(topology, share))
    return tuple(f"{one}-{other}" for one, other in sorted(pairs))


def _pairs_of_places(
    benchmark: Benchmark, machine: Machine, options: LayoutOptions
) -> tuple[str, ...]:
    """Pairs of ranks that stand for nodes, of every rank count that is measured."""
    layouts = configurations_for(benchmark, Experiment(benchmark.name), machine, options).layouts
    counts = dict.fromkeys(layout.ranks for layout in layouts)
    return tuple(dict.fromkeys(pair for count in counts for pair in pairs_of_ranks(count)))


def _nodes(benchmark: Benchmark, machine: Machine, options: LayoutOptions) -> tuple[int, ...]:
    """Numbers of all nodes of its layouts."""
    layouts = configurations_for(benchmark, Experiment(benchmark.name), machine, options).layouts
    return tuple(range(max((layout.nodes for layout in layouts), default=1)))


_PAIRS: dict[AutoRule | None, _PairsOf] = {
    AutoRule.PAIRS_BOTH_WAYS: _sampled(ordered_pairs, MOST_PAIRS_OF_PAGES),
    AutoRule.PAIRS: _sampled(unordered_pairs, MOST_PAIRS),
    AutoRule.DOMAIN_PAIRS: _sampled(domain_pairs, MOST_PAIRS),
    AutoRule.RANK_PAIRS: _pairs_of_places,
    AutoRule.NODES: _nodes,
}


def _derivatives(topology: Topology) -> tuple[int, ...]:
    """One, a NUMA domain full of them, and two waves over all cores with one left over."""
    cores = len(topology.usable_cores)
    # Without a usable CPU nothing is launched at all, and says why.
    domain = domain_cores(topology) if cores else 1
    return tuple(sorted({1, domain, 2 * cores + 1}))
