"""Whether two results use as much of their machines, with the same settings."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.matching.operands import Operand, is_extensive
from machmeter.analysis.matching.unstated import AMOUNTS, PAIRWISE, amounts_text
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import FIELDS, LAYOUT_FIELDS
from machmeter.model.origin import Origin

_SHAPE = ("nodes", "ranks_per_node", "threads_per_rank", "inner_threads", "smt")
# Settings that a result of those groups or benchmarks depends on, so that one left out is noted.
_MATTER = {
    "binding": ("memory", "threads", "compute", "sparse"),
    "page_bytes": ("memory", "sparse"),
    "wait_policy": ("threads",),
    "package": tuple(one.name for one in BENCHMARKS if one.sweep_packages),
}
# Of these it is noted that neither source states them.
_NOTED = ("binding", "page_bytes", "wait_policy")
_SETTINGS = {one.name: one.phrase for one in LAYOUT_FIELDS if one.name not in _SHAPE}
# How far from each other two results are for that.
_UNUSUAL = 0.75


class Reach(StrEnum):
    """How much of both machines two results are of."""

    SAME = "the same layout"
    WHOLE = "the whole machine"
    NODES = "all cores of as many nodes"
    CORES = "as many cores"
    OPEN = "an amount not stated"
    OTHER = "different amounts"


class LayoutComparability(Struct, frozen=True):
    """How far two layouts are comparable."""

    reach: Reach
    """How much of both machines they use."""
    reasons: tuple[str, ...] = ()
    """Why they are not comparable."""
    notes: tuple[str, ...] = ()
    """In what they may differ nevertheless."""
    distance: float = 0.0
    """0 for the same, more the less likely they are the same."""


def compare_layouts(a: Operand, b: Operand) -> LayoutComparability:
    """Whether `b` uses as much of its machine as `a`, with the same settings.

    The same layouts are comparable; so are, for what all cores do together, all cores of both
    machines, and all cores of as many nodes; for applications as many cores, however many nodes
    hold them. What a source does not state is noted; where that is how much of its machine a result
    is of, it is refused unless neither states it, or only how many pairs there were.
    """
    reach = _reach(a, b)
    reasons, notes = _settings(a, b)
    distance = _UNUSUAL * sum(_is_unusual(a, b, name) for name in _SETTINGS)
    distance += _UNUSUAL * (a.estimate.point.variant != b.estimate.point.variant)
    distance += 0.0 if reach is Reach.SAME else _UNUSUAL
    if reach is Reach.OPEN:
        text = _open_amounts_text(a, b)
        if _may_stay_unstated(a, b):
            return LayoutComparability(reach, reasons, (text, *notes), distance)
        return LayoutComparability(Reach.OTHER, (text, *reasons), notes, distance)
    if reach is Reach.OTHER:
        reasons = (f"{stated_shape_text(a)} against {stated_shape_text(b)}", *reasons)
    elif reach is Reach.CORES:
        notes = ("as many cores on both, not as many nodes", *notes)
    elif reach in (Reach.WHOLE, Reach.NODES):
        said = f"{reach.value}: {shape_text(a.layout)} and {shape_text(b.layout)}"
        notes = (said, *notes)
    return LayoutComparability(reach, reasons, notes, distance)


def stated_shape_text(side: Operand) -> str:
    """What is known of ranks, threads and nodes of a result, as text."""
    return partial_shape_text(side.layout, side.open_amounts)


def partial_shape_text(layout: Layout, unknown: frozenset[str]) -> str:
    """`shape_text` of what is stated alone: `2 nodes`; empty where nothing is."""
    if not unknown & frozenset(AMOUNTS):
        return shape_text(layout)
    if "nodes" not in unknown:
        return f"{layout.nodes} node{'s' * (layout.nodes > 1)}"
    if "ranks_per_node" not in unknown:
        return f"{layout.ranks_per_node} rank{'s' * (layout.ranks_per_node > 1)} a node"
    return ""


def shape_text(layout: Layout) -> str:
    """Ranks, threads and nodes of a layout as text: `64 ranks x 2 threads on 4 nodes`."""
    threads = f"{layout.cpus_per_rank} thread{'s' * (layout.cpus_per_rank > 1)}"
    ranks = f"{layout.ranks} rank{'s' * (layout.ranks > 1)}"
    if layout.ranks == 1:
        text = threads
    else:
        text = ranks if layout.cpus_per_rank == 1 else f"{ranks} x {threads}"
    nodes = f" on {layout.nodes} node{'s' * (layout.nodes > 1)}"
    return text + nodes * (layout.ranks > 1)


def differences(a: Layout, b: Layout) -> tuple[tuple[str, str], ...]:
    """Everything in which two layouts differ, as text for each."""
    texts = [(shape_text(a), shape_text(b))] * (_shape(a) != _shape(b))
    if a.smt != b.smt:
        texts = [(f"{here}, SMT {a.smt}", f"{there}, SMT {b.smt}") for here, there in texts]
    settings = (
        (text_of(a), text_of(b))
        for name, text_of in _SETTINGS.items()
        if getattr(a, name) != getattr(b, name)
    )
    return (*texts, *settings)


def _reach(a: Operand, b: Operand) -> Reach:
    unknown = a.open_amounts | b.open_amounts
    if unknown:
        known = (name for name in AMOUNTS if name not in unknown)
        differ = any(getattr(a.layout, name) != getattr(b.layout, name) for name in known)
        return Reach.OTHER if differ else Reach.OPEN
    if _shape(a.layout) == _shape(b.layout):
        return Reach.SAME
    # What one CPU of a pair does is the same whatever number of others look on.
    of_a_pair = "pair" in dict(a.estimate.point.parameters) and a.layout.ranks == b.layout.ranks
    together = is_extensive(a.estimate) or of_a_pair
    if together and a.is_whole and b.is_whole:
        return Reach.WHOLE
    if together and a.layout.nodes == b.layout.nodes and a.fills_nodes and b.fills_nodes:
        return Reach.NODES
    if a.estimate.point.is_work and a.cores == b.cores and a.counts_cores and b.counts_cores:
        return Reach.CORES
    return Reach.OTHER


def _shape(layout: Layout) -> tuple[int, ...]:
    return tuple(getattr(layout, name) for name in _SHAPE)


def _may_stay_unstated(a: Operand, b: Operand) -> bool:
    """Whether two results are comparable though it is not stated how much of a machine they use.

    Of imported output the user knows what it was run on; a paper has to state it.
    """
    if Origin.IMPORTED in {side.machine.origin for side in (a, b) if side.open_amounts}:
        return True
    if a.is_silent and b.is_silent:
        return a.estimate.point.is_work or not is_extensive(a.estimate)
    if a.is_silent or b.is_silent or "nodes" in a.open_amounts | b.open_amounts:
        return False
    return a.estimate.point.is_work or a.estimate.point.benchmark in PAIRWISE


def _open_amounts_text(a: Operand, b: Operand) -> str:
    """Which source does not state how much of a machine a result uses."""
    what = amounts_text(a.open_amounts | b.open_amounts)
    if a.open_amounts and b.open_amounts:
        who = "either" if a.open_amounts == b.open_amounts else "both"
    else:
        who = (a if a.open_amounts else b).machine.id
    return f"how many {what} is not stated by {who}"


def _settings(a: Operand, b: Operand) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Reasons and notes about everything in two layouts that is no number of cores."""
    reasons, notes = [], []
    here, there, unstated = a.layout, b.layout, a.open | b.open
    for name, text_of in _SETTINGS.items():
        if name in unstated:
            notes += _unstated_notes(a, b, name)
        elif getattr(here, name) != getattr(there, name):
            reasons.append(f"{text_of(here)} against {text_of(there)}")
    # Where a machine has one library only, that library is part of the machine that is compared.
    mpis = [side.estimate.point.variant.mpi for side in (a, b)]
    if all(mpis) and mpis[0] != mpis[1]:
        reasons.append(" against ".join(mpis))
    return tuple(reasons), tuple(notes)


def _unstated_notes(a: Operand, b: Operand, name: str) -> list[str]:
    """What is said of a setting that one of two sources, or both, leave out.

    The same words for each value that it may have had.
    """
    usual = getattr(a.layout, name) == getattr(b.layout, name)
    if usual and not _matters(a, name) and not _matters(b, name):
        return []
    silent, stated = (a, b) if name in a.open else (b, a)
    if name in stated.open:
        return [f"{FIELDS[name].title}: not stated by either"] if name in _NOTED else []
    return [f"{_SETTINGS[name](stated.layout)}: not stated by {silent.machine.id}"]


def _is_unusual(a: Operand, b: Operand, name: str) -> bool:
    """Whether one has an unusual setting, which the other's source would hardly leave out.

    Of a setting that matters no value is nearer than another where it is left out.
    """
    differ = getattr(a.layout, name) != getattr(b.layout, name)
    return differ and not _matters(a, name) and not _matters(b, name)


def _matters(side: Operand, name: str) -> bool:
    """Whether a result depends on a setting so much that it is noted where it is left out."""
    point = side.estimate.point
    if name == "page_bytes" and "pages" in dict(point.parameters):
        return False
    several = name in ("page_bytes", "package") or side.layout.threads > 1
    named = {point.benchmark, point.benchmark.partition(".")[0]}
    return several and not named.isdisjoint(_MATTER.get(name, ()))
