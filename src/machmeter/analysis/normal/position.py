"""Where the key results of a machine stand among those that others print or measured.

A result is compared with the nearest one of each machine that has the same definition, by the rules
of comparisons. What grows with a machine is compared as a share of what the hardware of each can at
most; where that is not known of both, only the same layouts are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.comparability import comparability
from machmeter.analysis.matching.layouts import Reach
from machmeter.analysis.matching.operands import Operand, is_extensive
from machmeter.analysis.matching.unstated import AMOUNT_WORDS, AMOUNTS
from machmeter.analysis.scaling.hardware import (
    LimitedBy,
    PeakLimit,
    limited_by,
    most_of_adapters,
    peak_at,
)
from machmeter.analysis.stats.comparison import MARGIN
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.printed import HowKnown

FEWEST_FOR_POSITION = 3
"""Below so many machines nothing is said of a position."""
FEWEST_FOR_UNUSUAL = 19
"""From so many machines on a result that is worse than all is unusual: a normal one is so with a
chance of 1 / (N + 1), 5 % then."""
_UNNAMED = "the other"


class Side(StrEnum):
    """How a result stands to that of another machine."""

    ABOVE = "above"
    LIKE = "like"
    BELOW = "below"


class Other(Struct, frozen=True):
    """The result of another machine that a key result is compared with."""

    machine: str
    """ID of the machine."""
    title: str
    """What it is called."""
    generation: str
    """Of its processors; empty where it is not known."""
    estimate: Estimate
    """Its result."""
    value: float
    """The same on the scale of the key result, where both are shares of what hardware can."""
    share: float | None
    """Of what its hardware can at most, 0 to 1; None where it is compared by its value."""
    side: Side
    """Whether the key result is better, like it within its interval, or worse."""
    notes: tuple[str, ...] = ()
    """In what the two may differ."""
    is_threshold: bool = False
    """Whether it is what a test demands at least, which counts as no machine."""


class NotPlaced(Struct, frozen=True):
    """A machine with results of the same kind that are not compared."""

    machine: str
    """Its ID."""
    reason: str
    """Why."""


class Position(Struct, frozen=True):
    """A key result among those of other machines."""

    estimate: Estimate
    """The key result."""
    share: float | None
    """Of what the hardware can at most, 0 to 1; None where that is not known."""
    others: tuple[Other, ...]
    """By their values, the best first."""
    not_placed: tuple[NotPlaced, ...]
    """Machines whose results are of other definitions."""
    lacks: tuple[str, ...] = ()
    """What its source does not state and has to, so that it is compared with none."""
    limit_high: float = 1.0
    """Upper end of the interval of the limit over the limit, where that is measured too."""

    @property
    def counted(self) -> tuple[Other, ...]:
        """Those that are machines, without thresholds."""
        return tuple(one for one in self.others if not one.is_threshold)

    def count(self, side: Side) -> int:
        """How many machines the result is on that side of."""
        return sum(one.side is side for one in self.counted)

    @property
    def has_place(self) -> bool:
        """Whether there are enough machines to say where it stands."""
        return len(self.counted) >= FEWEST_FOR_POSITION

    @property
    def is_unusual(self) -> bool:
        """Whether it is beyond all machines, of which there are enough for that to mean something,
        or above what the hardware can."""
        beyond = len(self.counted) >= FEWEST_FOR_UNUSUAL and self.is_last
        return beyond or self.is_above_limit

    @property
    def is_last(self) -> bool:
        """Whether it is worse than all machines, of which there are enough to say so."""
        return self.has_place and self.count(Side.BELOW) == len(self.counted)

    @property
    def is_above_limit(self) -> bool:
        """Whether it is more than the hardware can, with all of its interval."""
        one = self.estimate
        least = one.low / one.value if one.is_bounded else 1.0
        return (self.share or 0.0) * least > max(self.limit_high, 1.0)

    @property
    def chance_beyond_all(self) -> float | None:
        """That a normal machine is better than all of them, or worse than all; None where they are
        too few to say where it stands."""
        return 2 / (len(self.counted) + 1) if self.has_place else None


def positions(
    here: MachineResults, key_results: Sequence[Estimate], others: Iterable[MachineResults]
) -> tuple[Position, ...]:
    """Each key result of `here` among the results of the others, in their order.

    What is below resolution has no position; what has no interval is like others within 2 %.
    """
    every = tuple(others)
    return tuple(
        _position(Operand(here, one), every)
        for one in key_results
        if one.resolved and one.value > 0
    )


def _position(own: Operand, others: Sequence[MachineResults]) -> Position:
    if lacks := _lacks(own):
        return Position(own.estimate, None, (), (), lacks)
    others_found: list[Other] = []
    not_placed: list[NotPlaced] = []
    for machine in others:
        found = _other_of(own, machine)
        if isinstance(found, Other):
            others_found.append(found)
        elif found is not None:
            not_placed.append(found)
    higher = own.estimate.direction is Direction.HIGHER
    order = sorted(others_found, key=lambda one: one.value, reverse=higher)
    peak = _peak(own)
    return Position(
        own.estimate,
        _share(own),
        tuple(order),
        tuple(not_placed),
        limit_high=peak.fastest if peak else 1.0,
    )


def _lacks(own: Operand) -> tuple[str, ...]:
    """What is needed to say what it is a result of: any machine would be like it in that."""
    one, declared = own.estimate, known(own.estimate.point.benchmark)
    if one.printed is None or declared is None:
        return ()
    amounts = [AMOUNT_WORDS[name] for name in AMOUNTS if name in own.open_amounts]
    # What is measured at one size by default does not depend on it.
    sized = any(p.name == "size" and (p.auto or len(p.values) > 1) for p in declared.parameters)
    size = ["size"] * (sized and "size" not in dict(one.point.parameters))
    return (*amounts, *size, *(["statistic"] * (one.printed.statistic is None)))


def _other_of(own: Operand, machine: MachineResults) -> Other | NotPlaced | None:
    """The nearest comparable result of a machine, or why none is; None where it has none."""
    # Reasons and notes stand beside its name.
    unnamed = replace(machine, id=_UNNAMED)
    found = [
        (one, other := Operand(unnamed, _measured(one)), comparability(own, other))
        for one in machine.estimates
        if _is_of_kind(one, own.estimate)
    ]
    if not found:
        return None
    fitting = [one for one in found if not one[2].reasons]
    if not fitting:
        *_, nearest = min(found, key=lambda one: (len(one[2].reasons), one[2].distance))
        return NotPlaced(machine.id, "; ".join(nearest.reasons))
    one, other, how = min(fitting, key=lambda one: one[2].distance)
    mine, theirs = _share(own), _share(other)
    by_value = mine is None and (how.reach is Reach.SAME or not is_extensive(own.estimate))
    if not by_value and not (mine and theirs):
        silent = "this machine" if mine is None else _UNNAMED
        return NotPlaced(machine.id, f"what the hardware of {silent} can at most is not known")
    # On the scale of the key result, whose interval says what is like it.
    scale = own.estimate.value / mine * theirs / one.value if mine and theirs else 1.0
    assumed = (one.printed.note,) if one.printed and one.printed.note else ()
    return Other(
        machine.id,
        machine.title,
        machine.generation,
        one,
        scale * one.value,
        theirs if mine else None,
        _side(own.estimate, one, scale),
        (*how.notes, *assumed),
        is_threshold=_is_threshold(one),
    )


def _is_of_kind(one: Estimate, own: Estimate) -> bool:
    same = (one.point.benchmark, one.metric, one.unit)
    known = one.resolved and one.value > 0
    return known and same == (own.point.benchmark, own.metric, own.unit)


def _is_threshold(one: Estimate) -> bool:
    return one.printed is not None and one.printed.how_known is HowKnown.THRESHOLD


def _measured(one: Estimate) -> Estimate:
    """A threshold as if it were measured: it is shown, though it counts as no machine."""
    if one.printed is None or not _is_threshold(one):
        return one
    return replace(one, printed=replace(one.printed, how_known=HowKnown.PRINTED))


def _share(side: Operand) -> float | None:
    """Of what the hardware of its machine can; None where that is not known, or where the result is
    of a part of it: some cores of a node, several ranks over one link."""
    one, layout, limits = side.estimate, side.layout, side.machine.limits
    most = 0.0
    match limited_by(one):
        case LimitedBy.MEMORY:
            is_whole = side.is_whole or side.fills_nodes
            in_memory = one.memory_level is not MemoryLevel.CACHES
            most = limits.get("memory", 0.0) if in_memory and is_whole else 0.0
        case LimitedBy.ADAPTERS if layout.ranks_per_node == 1:
            most = most_of_adapters(one, limits.get("link", 0.0), limits.get("links", 0.0))
        case LimitedBy.CORES:
            peak = _peak(side)
            most = peak.value if peak else 0.0
    return one.value / most if most else None


def _peak(side: Operand) -> PeakLimit | None:
    """Of a rate of arithmetic at the clock of its machine; None of other results."""
    if limited_by(side.estimate) is not LimitedBy.CORES:
        return None
    of_core = round(side.machine.limits.get("operations", 0))
    return peak_at(side.estimate, side.machine.estimates, of_core)


def _side(own: Estimate, other: Estimate, scale: float) -> Side:
    """By the interval of the key result, and that of the other one where it has one."""
    low, high = (other.low, other.high) if other.is_bounded else (other.value, other.value)
    least, most = (
        (own.low, own.high)
        if own.is_bounded
        else (own.value * (1 - MARGIN), own.value * (1 + MARGIN))
    )
    if least <= scale * high and scale * low <= most:
        return Side.LIKE
    is_more = scale * high < least
    return Side.ABOVE if is_more is (own.direction is Direction.HIGHER) else Side.BELOW
