"""Whether two figures were taken on as much of their machines, and set up alike."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from machmeter.model.estimate import Estimate
from machmeter.model.known import KnownMachine, Origin
from machmeter.model.layout import Layout
from machmeter.model.units import (
    BUS_BYTES_PER_SECOND,
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    FLOPS,
    MATRIX_BYTES_PER_SECOND,
    MESSAGES_PER_SECOND,
    OPERATIONS_PER_SECOND,
    SECONDS,
    STREAM_BYTES_PER_SECOND,
    format_bytes,
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
)
# Groups whose times are of a fixed piece of work that is shared out over all cores.
_OF_WORK = ("apps", "workload")
_SHAPE = ("nodes", "ranks_per_node", "threads_per_rank", "inner_threads", "smt")
_DEFAULTS = Layout()


class Reach(StrEnum):
    """How much of both machines two figures are of."""

    SAME = "the same layout"
    WHOLE = "the whole machine"
    NODES = "all cores of as many nodes"
    CORES = "as many cores"
    OPEN = "an amount not stated"
    OTHER = "different amounts"


class Side(Struct, frozen=True):
    """A figure and the machine that it is of."""

    machine: KnownMachine
    estimate: Estimate

    @property
    def layout(self) -> Layout:
        """The layout of its point."""
        return self.estimate.point.layout

    @property
    def cores(self) -> int:
        """Cores that the layout uses, over all nodes."""
        return -(-self.layout.threads // self.layout.smt)

    @property
    def counts_cores(self) -> bool:
        """Whether it is known how many cores a figure is of."""
        stated = {"ranks_per_node", "threads_per_rank", "inner_threads"} & _stated(self)
        return self.machine.origin is Origin.MEASURED or bool(stated)

    @property
    def states_nodes(self) -> bool:
        """Whether it is known how many nodes a figure is of: a single process is on one."""
        one_process = self.layout.ranks == 1 and not _is_open(self, "threads_per_rank")
        return self.is_whole or one_process or not _is_open(self, "nodes")

    @property
    def states_cores(self) -> bool:
        """Whether it is known how many cores a figure is of, on all its nodes."""
        named = ("ranks_per_node", "threads_per_rank", "inner_threads")
        said = any(not _is_open(self, name) for name in named)
        return self.is_whole or (self.states_nodes and said)

    @property
    def nodes(self) -> int:
        """Nodes that a figure is of: of a whole machine all, also where they are one system."""
        return (self.machine.parts.nodes if self.is_whole else 0) or self.layout.nodes

    @property
    def is_whole(self) -> bool:
        """Whether the layout uses every core that is known of the machine, each once."""
        return not self.layout.oversubscribe and 0 < self.machine.parts.cores == self.cores

    @property
    def fills_nodes(self) -> bool:
        """Whether the layout uses every core of each of its nodes."""
        parts, nodes = self.machine.parts, self.layout.nodes
        return bool(parts.nodes and parts.cores) and (
            parts.cores * nodes == self.cores * parts.nodes
        )


class LayoutLikeness(Struct, frozen=True):
    """reasons: why two layouts are not alike; notes: in what they may differ nevertheless."""

    reach: Reach
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def is_work(estimate: Estimate) -> bool:
    """Whether a figure is of a program's work: an application of any kind."""
    return estimate.point.benchmark.partition(".")[0] in _OF_WORK


def is_extensive(estimate: Estimate) -> bool:
    """Whether a figure is of all cores together, so that it can be divided by their number.

    Rates are, and times of a fixed piece of work (its inverse is a rate of such pieces); latencies,
    overheads and figures that are of one node already are not.
    """
    unit = estimate.unit
    if unit in _RATES:
        return "pair" not in dict(estimate.point.parameters)
    rate = unit == SECONDS or unit.symbol.endswith(("/s", "/day"))
    return is_work(estimate) and rate and "node" not in unit.name


def like_layouts(a: Side, b: Side) -> LayoutLikeness:
    """Whether `b` was taken on as much of its machine as `a`, and set up alike.

    The same layouts are alike; so are, for what all cores do together, all cores of both machines,
    and all cores of as many nodes; for applications as many cores, however many nodes hold them.
    Settings that one side prints and another leaves at what is usual are noted, not refused.
    """
    reach = _reach(a, b)
    reasons, notes = _settings(a, b)
    silent = next((side.machine for side in (a, b) if _silent(side)), None)
    if reach is Reach.OTHER and silent:
        said = f"how many nodes, ranks and threads is not stated by {silent.id}"
        # Who brings output of one's own knows what it was run on; who prints a paper is asked.
        if silent.origin is Origin.IMPORTED:
            reach, notes = Reach.OPEN, (said, *notes)
        else:
            reasons = (said, *reasons)
    elif reach is Reach.OTHER:
        reasons = (f"{shape_text(a.layout)} against {shape_text(b.layout)}", *reasons)
    elif reach is Reach.CORES:
        notes = ("as many cores on both, not as many nodes", *notes)
    elif reach in (Reach.WHOLE, Reach.NODES):
        said = f"{reach.value}: {shape_text(a.layout)} and {shape_text(b.layout)}"
        notes = (said, *notes)
    return LayoutLikeness(reach, reasons, notes)


def shape_text(layout: Layout) -> str:
    """Ranks, threads and nodes of a layout in words: `64 ranks x 2 threads on 4 nodes`."""
    threads = f"{layout.cpus_per_rank} thread{'s' * (layout.cpus_per_rank > 1)}"
    ranks = f"{layout.ranks} rank{'s' * (layout.ranks > 1)}"
    if layout.ranks == 1:
        text = threads
    else:
        text = ranks if layout.cpus_per_rank == 1 else f"{ranks} x {threads}"
    nodes = f" on {layout.nodes} node{'s' * (layout.nodes > 1)}"
    return text + nodes * (layout.ranks > 1)


def differences(a: Layout, b: Layout) -> tuple[tuple[str, str], ...]:
    """Everything in which two layouts differ, in the words of either."""
    texts = [(shape_text(a), shape_text(b))] * (_shape(a) != _shape(b))
    if a.smt != b.smt:
        texts = [(f"{here}, SMT {a.smt}", f"{there}, SMT {b.smt}") for here, there in texts]
    settings = (
        (text_of(a), text_of(b))
        for name, text_of in _SETTINGS.items()
        if getattr(a, name) != getattr(b, name)
    )
    return (*texts, *settings)


def _reach(a: Side, b: Side) -> Reach:
    if _shape(a.layout) == _shape(b.layout):
        return Reach.SAME
    # What one CPU of a pair does is the same whatever number of others look on.
    of_a_pair = "pair" in dict(a.estimate.point.parameters) and a.layout.ranks == b.layout.ranks
    together = is_extensive(a.estimate) or of_a_pair
    if together and a.is_whole and b.is_whole:
        return Reach.WHOLE
    if together and a.layout.nodes == b.layout.nodes and a.fills_nodes and b.fills_nodes:
        return Reach.NODES
    if is_work(a.estimate) and a.cores == b.cores and a.counts_cores and b.counts_cores:
        return Reach.CORES
    return Reach.OTHER


def _shape(layout: Layout) -> tuple[int, ...]:
    return tuple(getattr(layout, name) for name in _SHAPE)


def _settings(a: Side, b: Side) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Reasons and notes about everything in two layouts that is no number of cores."""
    reasons, notes = [], []
    for name, text_of in _SETTINGS.items():
        here, there = getattr(a.layout, name), getattr(b.layout, name)
        if here == there:
            continue
        words = f"{text_of(a.layout)} against {text_of(b.layout)}"
        if name == "mpi" and not (here and there):
            continue
        if _is_open(a, name) or _is_open(b, name):
            notes.append(f"{words} or not stated")
        else:
            reasons.append(words)
    return tuple(reasons), tuple(notes)


def _is_open(side: Side, name: str) -> bool:
    """Whether a source leaves this out: then it stands at what is usual."""
    usual = getattr(side.layout, name) == getattr(_DEFAULTS, name)
    return side.machine.origin is not Origin.MEASURED and usual and name not in _stated(side)


def _stated(side: Side) -> set[str]:
    """The parts of a layout that a published figure states."""
    return set(side.estimate.words.get("layout_stated", "").split(", "))


def _silent(side: Side) -> bool:
    """Whether a source says nothing of how many nodes, ranks and threads a figure is of."""
    return all(_is_open(side, name) for name in _SHAPE)


_SETTINGS: dict[str, Callable[[Layout], str]] = {
    "binding": lambda one: (
        f"threads bound {one.binding.value}" if one.binding.value != "none" else "threads not bound"
    ),
    "page_bytes": lambda one: f"{format_bytes(one.page_bytes)} pages",
    "wait_policy": lambda one: f"{one.wait_policy.value} wait",
    "reserved_cores": lambda one: f"{one.reserved_cores} reserved cores",
    "oversubscribe": lambda one: "more threads than cores" if one.oversubscribe else "one a core",
    "openmp": lambda one: f"OpenMP {one.openmp or 'as linked'}",
    "allocator": lambda one: f"allocator {one.allocator or 'as linked'}",
    "progress": lambda one: f"progress by {one.progress.value}",
    "package": lambda one: f"package {one.package}" if one.package >= 0 else "all packages",
    "mpi": lambda one: one.mpi or "the only MPI",
}
