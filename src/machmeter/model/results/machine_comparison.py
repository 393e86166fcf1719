"""Machines compared with a baseline: which of their results match, and each ratio."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate


class Basis(StrEnum):
    """What a figure is taken by when two machines are compared."""

    AS_MEASURED = "as measured"
    NODE = "per node"
    CORE = "per core"
    WATT = "per watt"
    PRICE = "per currency unit"


class RelativeStanding(StrEnum):
    """How the second machine stands to the first in one figure.

    As printed: one of the two has no interval, so that nothing was tested.
    """

    AHEAD = "ahead"
    BEHIND = "behind"
    SAME = "the same"
    UNRESOLVED = "inconclusive"
    AHEAD_AS_PRINTED = "ahead as printed"
    BEHIND_AS_PRINTED = "behind as printed"
    SAME_AS_PRINTED = "the same as printed"


class ComparedResult(Struct, frozen=True):
    """One result of the first machine and the same of another."""

    name: str
    """What distinguishes it among the compared ones."""
    a: Estimate
    """The first machine's."""
    b: Estimate
    """The other machine's."""
    by: dict[str, Comparison]
    """How much better b is than a on each basis known of both, above 1 is better (as measured
    always, the others for rates of many cores only); empty for shares."""
    points: float | None = None
    """Of shares, by how much b is better (1 = 100 points); null otherwise."""
    points_low: float = 0.0
    """Lower end of its 95 % interval."""
    points_high: float = 0.0
    """Upper end of its 95 % interval."""
    as_printed: bool = False
    """Whether one of the two has no interval, so that the ratio has none either."""
    notes: tuple[str, ...] = ()
    """Differences between the two measurements that are no reason to refuse, and flags of published
    results."""
    verdict: ComparisonVerdict = ComparisonVerdict.UNRESOLVED
    """Of b against a as measured, adjusted for the number of results (Holm); inconclusive where one
    has no interval."""
    standing: RelativeStanding = RelativeStanding.UNRESOLVED
    """The outcome in any case, as measured."""
    standings: dict[str, RelativeStanding] = field(default_factory=dict)
    """The outcome on each basis of `by`."""
    open_a: tuple[str, ...] = ()
    """Parts of the layout that the source of a does not state, where its point has the usual."""
    open_b: tuple[str, ...] = ()
    """Parts of the layout that the source of b does not state, where its point has the usual."""


class Refusal(Struct, frozen=True):
    """Two results of the same name, and the definition in which they differ."""

    what: str
    """Name of the result."""
    reason: str
    """Why they are not compared."""


class Flip(Struct, frozen=True):
    """A result by which one machine is better on one basis and the other on another one."""

    name: str
    """Name of the result."""
    first: str
    """The one basis."""
    second: str
    """The other basis."""
    ahead_by_first: str
    """The machine that is better on the one."""
    ahead_by_second: str
    """The machine that is better on the other."""


class MachineComparison(Struct, frozen=True):
    """The baseline machine and another one: results of both, and those not compared."""

    a: str
    """ID of the baseline."""
    b: str
    """ID of the other machine."""
    figures: tuple[ComparedResult, ...]
    """Results that both have."""
    refusals: tuple[Refusal, ...] = ()
    """Results of the same name that are not comparable."""
    flips: tuple[Flip, ...] = ()
    """Results whose standing depends on the basis."""
    paired: bool = False
    """Whether the launches of both were interleaved in one session."""
    only_a: int = 0
    """How many results only the baseline has."""
    only_b: int = 0
    """How many results only the other machine has."""
