"""What would change an answer, as data."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.rules.trial import Label
from machmeter.model.benchmark import Value
from machmeter.model.origin import Origin
from machmeter.model.plan.question import Band, Resource
from machmeter.model.units import Unit


class JudgedQuantity(StrEnum):
    """What is compared with a bound."""

    RATIO = "ratio"
    EFFICIENCY = "efficiency"
    SHARE = "share"
    MODEL_SHARE = "share of the model's speedup"
    DIFFERENCE = "difference"
    VALUE = "value"
    JUMP = "jump"
    CHANGE = "change for each doubling"
    SLOPE = "cost of one more"


class Alternative(StrEnum):
    """What the answer would be beyond a bound, where that is no band."""

    DIFFERENT = "different"
    NOT_BETTER = "not better"
    NOT_WORSE = "not worse"
    NO_DIFFERENCE = "no difference"
    NO_JUMP = "no jump"
    FLAT = "flat"
    RISING = "rising"
    FALLING = "falling"
    REACHED = "reached"
    NOT_REACHED = "not reached"


class BeyondBound(Struct, frozen=True):
    """The true value of a quantity might be beyond a bound, where the answer would be another."""

    quantity: JudgedQuantity
    """Which quantity."""
    below: bool
    """Whether the other answer is below the bound."""
    bound: float
    """A ratio, a share, or a value in `unit`."""
    end: float | None
    """The end of the 95 % interval on that side; None where it has none."""
    other: Alternative | Band
    """The other answer."""
    axis: str = ""
    """The axis of a curve."""
    at: tuple[Value, ...] = ()
    """Where on that axis."""
    unit: Unit | None = None
    """Of VALUE, JUMP and SLOPE."""


class Purpose(StrEnum):
    """What more launches are for."""

    DECIDE = "to decide"
    RESOLVE = "to resolve it from zero"
    DISTINGUISH = "to distinguish two values"
    FLATNESS = "to decide whether it is flat"
    AT_VALUE = "to decide at one value"
    PRECISION = "to meet the target precision"


class MoreLaunches(Struct, frozen=True):
    """How many launches, in all, would answer it at the variance seen so far."""

    purpose: Purpose
    """What they are for."""
    needed: int
    """0 where that cannot be estimated."""
    made: int
    """Launches done."""
    names: tuple[Label, ...] = ()
    """Of DISTINGUISH both values; of AT_VALUE the one."""
    target: float = 0.0
    """Of PRECISION: the target, a share."""
    of_shares: bool = False
    """Of PRECISION: whether the target is in points."""


class LeastLaunches(Struct, frozen=True):
    """Below this many launches nothing is tested."""

    needed: int
    """Launches needed."""
    made: int
    """Launches done."""


class PairApart(Struct, frozen=True):
    """The answer changes if any pair is farther from the typical one than `share`."""

    share: float
    """As a ratio to the typical one, less 1."""


class OtherNodes(Struct, frozen=True):
    """Results of a network hold for the number of nodes that they are of."""

    nodes: int
    """Nodes that they are of."""
    origin: Origin = Origin.MEASURED
    """Whether they were measured or simulated."""


class Lacking(Struct, frozen=True):
    """What a machine or a run has too little of."""

    resource: Resource
    """Of what."""
    needed: int
    """How many the question needs."""
    available: int
    """How many there are."""


Sensitivity = BeyondBound | MoreLaunches | LeastLaunches | PairApart
