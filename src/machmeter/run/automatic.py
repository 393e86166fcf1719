"""Values of `auto` that come from the topology, the memory and the budget. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.benchmarks.apps import HEATFLOW
from machmeter.benchmarks.memory_allocation import ALLOCATION
from machmeter.benchmarks.memory_load import TIMELINE
from machmeter.benchmarks.memory_places import MATRIX, PAGES
from machmeter.benchmarks.threads import PAIRS
from machmeter.layout.places import domain_pairs, ordered_pairs, unordered_pairs
from machmeter.layout.splits import domain_cores
from machmeter.machine.page_kinds import page_kinds
from machmeter.model.benchmark import Value
from machmeter.model.machine import Machine
from machmeter.model.run import Skipped
from machmeter.run.sizing import Sizes, allocated_bytes

# A pair takes some 10 ms of every launch.
MOST_PAIRS = 64
BUDGET_SHARE_OF_TIMELINE = 30
LONGEST_TIMELINE = 60
SHORTEST_TIMELINE = 2


class AutomaticValues(Struct, frozen=True):
    """Values of `auto` by benchmark and parameter, and what this machine lacks for others."""

    values: dict[str, dict[str, tuple[Value, ...]]]
    skipped: tuple[Skipped, ...]


def automatic_values(machine: Machine, sizes: Sizes, budget_seconds: float) -> AutomaticValues:
    """Every value of `auto` on this machine, for a run with that budget, seconds."""
    topology = machine.topology
    allocated = allocated_bytes(machine)
    kinds, lacking = page_kinds(machine.memory, allocated, max(1, len(topology.usable_cores)))
    values: dict[str, dict[str, tuple[Value, ...]]] = {
        PAGES.name: {"pair": _texts(ordered_pairs(topology, MOST_PAIRS))},
        PAIRS.name: {"pair": _texts(unordered_pairs(topology, MOST_PAIRS))},
        MATRIX.name: {"pair": _texts(domain_pairs(topology, MOST_PAIRS))},
        ALLOCATION.name: {"pages": tuple(kinds), "size": (allocated,)},
        TIMELINE.name: {"seconds": (timeline_seconds(budget_seconds),)},
        HEATFLOW.name: {"derivatives": _derivatives(machine)},
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


def _texts(pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(f"{one}-{other}" for one, other in pairs)


def _derivatives(machine: Machine) -> tuple[int, ...]:
    """One, a NUMA domain full of them, and two waves over all cores with one left over."""
    cores = len(machine.topology.usable_cores)
    # Without a usable CPU nothing is launched at all, and says why.
    domain = domain_cores(machine.topology) if cores else 1
    return tuple(sorted({1, domain, 2 * cores + 1}))
