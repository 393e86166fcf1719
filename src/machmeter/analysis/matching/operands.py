"""A result with the machine it is of: what it is a result of, and how much of the machine."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.unstated import AMOUNTS, TWO_RANKS, is_silent, open_parts
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.units import (
    BUS_BYTES_PER_SECOND,
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    COUNTED_BYTES_PER_SECOND,
    FLOPS,
    MATRIX_BYTES_PER_SECOND,
    MESSAGES_PER_SECOND,
    OPERATIONS_PER_SECOND,
    SECONDS,
    STREAM_BYTES_PER_SECOND,
)

_RATES = (
    STREAM_BYTES_PER_SECOND,
    BUS_BYTES_PER_SECOND,
    BYTES_PER_SECOND_ONE_WAY,
    BYTES_PER_SECOND_BOTH_WAYS,
    MESSAGES_PER_SECOND,
    FLOPS,
    MATRIX_BYTES_PER_SECOND,
    OPERATIONS_PER_SECOND,
    COUNTED_BYTES_PER_SECOND,
)


class Operand(Struct, frozen=True):
    """A result and the machine that it is of."""

    machine: MachineResults
    """The machine."""
    estimate: Estimate
    """The result."""

    @property
    def layout(self) -> Layout:
        """The layout of its point; two ranks on known nodes are one or two on each."""
        layout = self.estimate.point.layout
        two = self.estimate.point.benchmark in TWO_RANKS and layout.ranks == 1
        if two and not {"nodes", "ranks_per_node"} & self.open:
            return replace(layout, ranks_per_node=2)
        return layout

    @property
    def open(self) -> frozenset[str]:
        """The parts of its layout that its source does not state."""
        if self.machine.origin.is_own:
            return frozenset()
        return open_parts(self.estimate, self.machine.parts.nodes)

    @property
    def open_amounts(self) -> frozenset[str]:
        """Of nodes, ranks and threads those that its source does not state."""
        return frozenset() if self.is_whole else self.open & frozenset(AMOUNTS)

    @property
    def is_silent(self) -> bool:
        """Whether its source says nothing of how many nodes, ranks and threads it is of."""
        own = self.machine.origin.is_own
        silent = not own and is_silent(self.estimate, self.machine.parts.nodes)
        return silent and not self.is_whole

    @property
    def cores(self) -> int:
        """Cores that the layout uses, over all nodes."""
        return -(-self.layout.threads // self.layout.smt)

    @property
    def counts_cores(self) -> bool:
        """Whether it is known how many cores a result is of."""
        return self.is_whole or not {"ranks_per_node", "threads_per_rank"} <= self.open

    @property
    def states_nodes(self) -> bool:
        """Whether it is known how many nodes a result is of: a single process is on one."""
        return self.is_whole or "nodes" not in self.open

    @property
    def states_cores(self) -> bool:
        """Whether it is known how many cores a result is of, on all its nodes."""
        return self.is_whole or (self.states_nodes and self.counts_cores)

    @property
    def nodes(self) -> int:
        """Nodes that a result is of: of a whole machine all, also where they are one system."""
        return (self.machine.parts.nodes if self.is_whole else 0) or self.layout.nodes

    @property
    def is_whole(self) -> bool:
        """Whether the layout uses every core that is known of the machine, each once."""
        layout = self.estimate.point.layout
        cores = -(-layout.threads // layout.smt)
        return not layout.oversubscribe and 0 < self.machine.parts.cores == cores

    @property
    def fills_nodes(self) -> bool:
        """Whether the layout uses every core of each of its nodes."""
        parts, nodes = self.machine.parts, self.layout.nodes
        return bool(parts.nodes and parts.cores) and (
            parts.cores * nodes == self.cores * parts.nodes
        )


def is_extensive(estimate: Estimate) -> bool:
    """Whether a result is of all cores together, so that it can be divided by their number.

    Rates are, and times of a fixed piece of work (its inverse is a rate of such pieces); latencies,
    overheads and results that are of one node already are not.
    """
    unit = estimate.unit
    if unit in _RATES:
        return "pair" not in dict(estimate.point.parameters)
    rate = unit == SECONDS or unit.symbol.endswith(("/s", "/day"))
    return estimate.point.is_work and rate and "node" not in unit.name
