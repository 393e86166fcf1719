"""Machines beside one another: what the comparison of their figures came to."""

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

    BETTER = "better"
    WORSE = "worse"
    SAME = "the same"
    INCONCLUSIVE = "inconclusive"
    BETTER_AS_PRINTED = "better as printed"
    WORSE_AS_PRINTED = "worse as printed"
    SAME_AS_PRINTED = "the same as printed"


class ComparedResult(Struct, frozen=True):
    """One figure of the first machine beside the same of another.

    a, b: the first machine's and the other's; by: how much better b is than a on each basis that
    is known of both, above 1 is better (Basis.AS_MEASURED always, the others for rates of many
    cores only); points: of shares, which have no ratio, by how much b is better (1 = 100 points),
    with its interval as `points_low` and `points_high`, and `by` is empty; as_printed: one of the
    two has no interval, so that the ratio has none either; notes: in what the two were not
    measured alike where that is no reason to refuse, flags of published figures among them;
    verdict: of b against a as measured, after adjusting for the number of figures (Holm), which is
    unresolved where one has no interval; standing: what it comes to in any case, and `standings` on
    each basis of `by`; open_a, open_b: the parts of the layout that the source of a figure does not
    state, so that what its point says of them is only what is usual. What is not known of a ratio
    is null: its interval and p value where nothing was tested, and the ratio itself where a figure
    is an upper bound, zero or below.
    """

    name: str
    a: Estimate
    b: Estimate
    by: dict[str, Comparison]
    points: float | None = None
    points_low: float = 0.0
    points_high: float = 0.0
    as_printed: bool = False
    notes: tuple[str, ...] = ()
    verdict: ComparisonVerdict = ComparisonVerdict.INCONCLUSIVE
    standing: RelativeStanding = RelativeStanding.INCONCLUSIVE
    standings: dict[str, RelativeStanding] = field(default_factory=dict)
    open_a: tuple[str, ...] = ()
    open_b: tuple[str, ...] = ()


class Refusal(Struct, frozen=True):
    """Two figures that look alike, and the definition in which they differ."""

    what: str
    reason: str


class Flip(Struct, frozen=True):
    """A figure by which one machine is ahead on one basis and the other on another one."""

    name: str
    first: str
    second: str
    ahead_by_first: str
    ahead_by_second: str


class MachineComparison(Struct, frozen=True):
    """The first machine beside another one: ids, the figures both have, and those not compared.

    paired: whether the launches of both were interleaved in one session; only_a, only_b: how many
    figures one of them has alone.
    """

    a: str
    b: str
    figures: tuple[ComparedResult, ...]
    refusals: tuple[Refusal, ...] = ()
    flips: tuple[Flip, ...] = ()
    paired: bool = False
    only_a: int = 0
    only_b: int = 0
