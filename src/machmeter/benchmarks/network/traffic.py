"""What one event of a collective operation moves and holds at least, by the number of ranks. Pure.

From the buffers of MPI's operations (MPI 3.1, chapter 5): bytes that an operation has to bring from
or to a node, whatever its algorithm, and as many messages one after another as it takes to reach
every rank, each doubling the ranks that were reached.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from machmeter.benchmarks.network.collectives import COLLECTIVE, COLLECTIVE_OVERLAP, REDUCTIONS
from machmeter.benchmarks.network.onesided import SHMEM_ALLTOALL
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout

ADAPTER_BYTES_PER_SECOND = 50e9
"""Assumed of what all ranks of a node share to reach other nodes, each way: 400 Gbit/s."""
MESSAGE_SECONDS = 1e-6
"""Assumed of the shortest message between nodes."""
SHARE_OF_MEMORY = 0.25
"""Of a node's memory, more than which the kernels give no buffers of collective operations."""

_WITH_SIZES = (COLLECTIVE.name, COLLECTIVE_OVERLAP.name)
_EVERY_PAIR = ("alltoall", "alltoallv")
_FROM_EVERY_RANK = ("allgather", "allgatherv")
_AT_ROOT = ("gather", "scatter", "gatherv", "scatterv")


class Traffic(Struct, frozen=True):
    """One event, at the node that has most to do."""

    bytes: int
    """That it sends to other nodes, or receives from them, whichever is more."""
    steps: int
    """Messages one after another."""
    buffer_bytes: int
    """Buffers of all its ranks."""

    @property
    def seconds(self) -> float:
        """It takes no less with the adapters and messages assumed."""
        return max(self.bytes / ADAPTER_BYTES_PER_SECOND, self.steps * MESSAGE_SECONDS)


def traffic_of(benchmark: str, parameters: Mapping[str, Value], layout: Layout) -> Traffic | None:
    """That of a point with these parameters; None of what is no collective operation that moves
    data."""
    if benchmark == SHMEM_ALLTOALL.name:
        operation = "alltoall"
    elif benchmark in _WITH_SIZES:
        operation = str(parameters["operation"])
    else:
        return None
    size, ranks, here = int(parameters["size"]), layout.ranks, layout.ranks_per_node
    others = ranks - here
    steps = (ranks - 1).bit_length()
    if operation in _EVERY_PAIR:
        return Traffic(here * others * size, steps, 2 * here * ranks * size)
    if operation in _FROM_EVERY_RANK:
        return Traffic(others * size, steps, here * (ranks + 1) * size)
    if operation in _AT_ROOT:
        return Traffic(others * size, steps, (ranks + here) * size)
    if operation == "reduce-scatter":
        return Traffic(others * size, steps, here * (ranks + 1) * size)
    buffers = here if operation == "bcast" else 2 * here
    steps = steps if operation in ("bcast", *REDUCTIONS) else 1
    return Traffic(size if others else 0, steps, buffers * size)
