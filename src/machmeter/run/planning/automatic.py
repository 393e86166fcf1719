"""Values of `auto` that come from the topology, the memory and the budget. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from machmeter.benchmarks.apps import HEATFLOW
from machmeter.benchmarks.memory.allocation import ALLOCATION
from machmeter.benchmarks.memory.load import TIMELINE
from machmeter.benchmarks.memory.places import MATRIX, PAGES
from machmeter.benchmarks.network.messages import BANDWIDTH
from machmeter.benchmarks.network.system import CONSISTENCY
from machmeter.benchmarks.threads import PAIRS
from machmeter.layout.places import domain_pairs, ordered_pairs, unordered_pairs
from machmeter.layout.splits import domain_cores
from machmeter.machine.page_kinds import page_kinds
from machmeter.model.benchmark import Value
from machmeter.model.machine import Machine, Topology
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.run import Skipped
from machmeter.run.planning.layouts import configurations_for, topology_of, topology_of_all_cores
from machmeter.run.planning.rank_pairs import pairs_of_ranks
from machmeter.run.planning.sizing import Sizes, allocated_bytes
from machmeter.run.planning.sizing_network import choose_message_sizes

MOST_PAIRS = 64
# A pair of these takes a dozen points of 10 ms: with so many a launch stays below 3 s.
MOST_PAIRS_OF_PAGES = 24
BUDGET_SHARE_OF_TIMELINE = 30
LONGEST_TIMELINE = 60
SHORTEST_TIMELINE = 2


class AutomaticValues(Struct, frozen=True):
    """Values of `auto` by benchmark and parameter, and what this machine lacks for others."""

    values: dict[str, dict[str, tuple[Value, ...]]]
    skipped: tuple[Skipped, ...]


def automatic_values(
    machine: Machine, sizes: Sizes, budget_seconds: float, wish: LayoutOptions
) -> AutomaticValues:
    """Every value of `auto` on this machine, for a run with that budget, seconds, and layouts as
    far as `wish` leaves them open."""
    allocated = allocated_bytes(machine)
    cores = max(1, len(machine.topology.usable_cores))
    kinds, lacking = page_kinds(machine.memory, allocated, cores)
    values: dict[str, dict[str, tuple[Value, ...]]] = {
        PAGES.name: {
            "pair": _sampled(ordered_pairs, topology_of(PAGES, machine, wish), MOST_PAIRS_OF_PAGES)
        },
        PAIRS.name: {
            "pair": _sampled(unordered_pairs, topology_of(PAIRS, machine, wish), MOST_PAIRS)
        },
        MATRIX.name: {
            "pair": _sampled(domain_pairs, topology_of(MATRIX, machine, wish), MOST_PAIRS)
        },
        ALLOCATION.name: {"pages": tuple(kinds), "size": (allocated,)},
        TIMELINE.name: {"seconds": (timeline_seconds(budget_seconds),)},
        HEATFLOW.name: {"derivatives": _derivatives(topology_of_all_cores(machine, wish))},
        BANDWIDTH.name: {"size": choose_message_sizes(()).sizes},
        CONSISTENCY.name: {"pair": _pairs_of_places(machine, wish)},
    }
    for benchmark, found in sizes.values.items():
        values[benchmark] = values.get(benchmark, {}) | dict(found)
    return AutomaticValues(
        values,
        tuple(
            Skipped(f"{ALLOCATION.name} with pages={kind}", reason)
            for kind, reason in lacking.items()
        ),
    )


def timeline_seconds(budget_seconds: float) -> int:
    """Length of a time series, seconds: a thirtieth of the budget, from two to sixty."""
    wanted = int(budget_seconds / BUDGET_SHARE_OF_TIMELINE)
    return min(max(wanted, SHORTEST_TIMELINE), LONGEST_TIMELINE)


def _sampled(
    sample: Callable[[Topology, int], Sequence[tuple[int, int]]],
    topologies: Sequence[Topology],
    most: int,
) -> tuple[str, ...]:
    """At most `most` pairs, those of each layout's own CPUs the same share."""
    share = max(1, most // len(topologies))
    pairs = dict.fromkeys(pair for topology in topologies for pair in sample(topology, share))
    return tuple(f"{one}-{other}" for one, other in sorted(pairs))


def _pairs_of_places(machine: Machine, wish: LayoutOptions) -> tuple[str, ...]:
    """Pairs of ranks that stand for nodes, of every rank count that is measured."""
    layouts = configurations_for(CONSISTENCY, Experiment(CONSISTENCY.name), machine, wish).layouts
    counts = dict.fromkeys(layout.ranks for layout in layouts)
    return tuple(dict.fromkeys(pair for count in counts for pair in pairs_of_ranks(count)))


def _derivatives(topology: Topology) -> tuple[int, ...]:
    """One, a NUMA domain full of them, and two waves over all cores with one left over."""
    cores = len(topology.usable_cores)
    # Without a usable CPU nothing is launched at all, and says why.
    domain = domain_cores(topology) if cores else 1
    return tuple(sorted({1, domain, 2 * cores + 1}))
