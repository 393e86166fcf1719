"""What a source does not state of the layout of a result, and of how much of a machine it is.

A field that is not stated has the usual value, and says nothing: only what a source states, or
what the benchmark or the machine leaves no choice of, is known.
"""

from __future__ import annotations

from functools import cache, lru_cache

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import ThreadSweep
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate

# How much of a machine a result is of.
AMOUNTS = ("nodes", "ranks_per_node", "threads_per_rank")
# Groups of one process with threads, and of ranks with one thread each.
_OF_ONE_PROCESS = ("memory", "threads", "compute", "sparse")
_OF_RANKS = ("network", "shmem")
# Of one thread, as a chase of pointers is.
_OF_ONE_THREAD = frozenset(one.name for one in BENCHMARKS if one.of_one_thread)
# Ranks with several threads each.
_OF_THREADED_RANKS = frozenset(
    one.name for one in BENCHMARKS if one.program.has_ranks and one.threads is not ThreadSweep.ONE
)
TWO_RANKS = frozenset(one.name for one in BENCHMARKS if one.of_two_ranks)
# Each rank has one partner, whatever the number of pairs.
PAIRWISE = frozenset(one.name for one in BENCHMARKS if one.of_pairs)
_DEFAULTS = Layout()
AMOUNT_WORDS = {"nodes": "nodes", "ranks_per_node": "ranks", "threads_per_rank": "threads"}
"""What people call them."""


def stated_parts(estimate: Estimate) -> frozenset[str]:
    """The parts of a layout that the source of a printed result states."""
    said = frozenset(estimate.printed.stated_layout if estimate.printed else ())
    return said | _unusual_parts(estimate.point.layout)


# Results share few layouts, and each is compared with every result of another machine.
@cache
def _unusual_parts(layout: Layout) -> frozenset[str]:
    return frozenset(
        name
        for name in Layout.__struct_fields__
        if getattr(layout, name) != getattr(_DEFAULTS, name)
    )


def open_parts(estimate: Estimate, machine_nodes: int = 0) -> frozenset[str]:
    """The parts of a layout that the source of a printed result does not state.

    machine_nodes: of the machine, 0 where that is not known; on one of a single node every result
    is of that node.
    """
    point = estimate.point
    return _open(stated_parts(estimate), point.benchmark, point.layout.ranks == 1, machine_nodes)


@lru_cache(maxsize=4096)
def _open(
    stated: frozenset[str], benchmark: str, one_rank: bool, machine_nodes: int
) -> frozenset[str]:
    by_definition = _by_definition(benchmark)
    known = stated | by_definition
    if machine_nodes == 1:
        known |= {"nodes"}
    if benchmark in TWO_RANKS and {"nodes", "ranks_per_node"} & known:
        known |= {"nodes", "ranks_per_node"}
    # Who states the one seldom states the other: ranks of one thread, threads of one process.
    if "ranks_per_node" in known and "ranks_per_node" not in by_definition:
        known |= {"threads_per_rank"}
    if "threads_per_rank" in stated and one_rank:
        known |= {"nodes", "ranks_per_node"}
    return frozenset(Layout.__struct_fields__) - known


def is_silent(estimate: Estimate, machine_nodes: int = 0) -> bool:
    """Whether a source says nothing of how many nodes, ranks and threads a result is of."""
    unknown = open_parts(estimate, machine_nodes) & frozenset(AMOUNTS)
    stated = stated_parts(estimate)
    if machine_nodes == 1 and "nodes" not in _by_definition(estimate.point.benchmark):
        stated |= {"nodes"}
    return bool(unknown) and not stated & frozenset(AMOUNTS)


def amounts_text(names: frozenset[str]) -> str:
    """The amounts not stated, as text: `nodes, ranks and threads`."""
    words = [AMOUNT_WORDS[name] for name in AMOUNTS if name in names]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _by_definition(name: str) -> frozenset[str]:
    """The amounts that a benchmark leaves no choice of."""
    group = name.partition(".")[0]
    if name in _OF_ONE_THREAD:
        return frozenset(AMOUNTS)
    if group in _OF_ONE_PROCESS:
        return frozenset({"nodes", "ranks_per_node"})
    ranks_only = group in _OF_RANKS and name not in _OF_THREADED_RANKS
    return frozenset({"threads_per_rank"}) if ranks_only else frozenset()
