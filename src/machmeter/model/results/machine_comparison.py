"""Comparisons of a machine with a baseline machine."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.interval import HasInterval
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate


class Basis(StrEnum):
    """What a result is taken by when two machines are compared."""

    AS_MEASURED = "as measured"
    NODE = "per node"
    CORE = "per core"
    WATT = "per watt"
    PRICE = "per currency unit"


class RelativeStanding(StrEnum):
    """How the second machine compares with the first in one result.

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
    """One result of the first machine and the same of another.

    What is not known of a ratio is null: its interval and p value where nothing was tested, and the
    ratio itself where a result is an upper bound, zero or below.
    """

    name: str
    """Its title, and what distinguishes it from others of its kind."""
    a: Estimate
    """The first machine's."""
    b: Estimate
    """The other machine's."""
    by: dict[str, Comparison]
    """How much better b is than a on each basis that is known of both; above 1 is better.

    Basis.AS_MEASURED always, the others for rates of many cores only; empty for shares, which have
    no ratio.
    """
    points: float | None = None
    """Of shares: by how much b is better (1 = 100 points)."""
    points_low: float = 0.0
    """Lower end of the 95 % interval of `points`."""
    points_high: float = 0.0
    """Upper end of the 95 % interval of `points`."""
    as_printed: bool = False
    """Whether one of the two has no interval, so that the ratio has none either."""
    notes: tuple[str, ...] = ()
    """In what the two measurements differ where that is no reason to refuse."""
    verdict: ComparisonVerdict = ComparisonVerdict.INCONCLUSIVE
    """Of b against a as measured, after adjusting for the number of results (Holm).

    Inconclusive where one has no interval.
    """
    standing: RelativeStanding = RelativeStanding.INCONCLUSIVE
    """How b compares with a, tested or as printed."""
    standings: dict[str, RelativeStanding] = field(default_factory=dict)
    """The same on each basis of `by`."""
    open_a: tuple[str, ...] = ()
    """Parts of the layout that the source of a does not state; its point has the usual ones."""
    open_b: tuple[str, ...] = ()
    """Parts of the layout that the source of b does not state."""
    flags: tuple[str, ...] = ()
    """Those of the notes that say what is wrong with a result."""
    setting: str = ""
    """Of a published value that fits several results: the setting of this one, which its source
    does not state, `active wait`; no verdict is given then."""
    drifted: bool = False
    """Whether one of the two runs drifted, so that a difference makes no verdict."""


class GroupMean(Struct, HasInterval, frozen=True):
    """The geometric mean of the ratios of one group of results, as readers look for it."""

    group: str
    """`Memory latency`, `OpenMP constructs`."""
    results: tuple[str, ...]
    """Names of the results that it is of, each of a measurement of its own."""
    ratio: float
    """Above 1 the second machine is better."""
    low: float
    """Lower end of its 95 % interval, unbounded where there is none."""
    high: float
    """Upper end of its 95 % interval, unbounded where there is none."""
    degrees: float
    """Degrees of freedom; 0 without an interval."""
    p_value: float
    """After adjusting for the number of groups (Holm); null without an interval."""
    standing: RelativeStanding
    """How the second machine compares with the first over the group."""
    typical: ComparedResult
    """The result whose ratio is nearest to the mean."""
    setting: str = ""
    """Of published values that fit several results of the other machine: the setting that their
    source does not state and these have, `active wait`; no verdict is given then.
    """
    left_out: int = 0
    """Results of the group that lack a ratio: one of the two is an upper bound, or its interval
    reaches zero; of a published value that fits several, in any setting."""


class Refusal(Struct, frozen=True):
    """Two results with the same name that are not compared."""

    what: str
    """Benchmark and title."""
    reason: str
    """The definition in which they differ."""


class Flip(Struct, frozen=True):
    """A result by which one machine is better on one basis and the other on another one."""

    name: str
    """Benchmark and name of the result."""
    first: str
    """The one basis."""
    second: str
    """The other basis."""
    ahead_by_first: str
    """The machine that is better on the first basis."""
    ahead_by_second: str
    """The machine that is better on the second basis."""


class MachineComparison(Struct, frozen=True):
    """A machine compared with the first one: the results that both have, and those not compared."""

    a: str
    """ID of the first machine, the baseline."""
    b: str
    """ID of the other machine."""
    results: tuple[ComparedResult, ...]
    """By benchmark, in each the largest difference first."""
    refusals: tuple[Refusal, ...] = ()
    """Near misses."""
    flips: tuple[Flip, ...] = ()
    """Results whose better machine depends on the basis."""
    groups: tuple[GroupMean, ...] = ()
    """A geometric mean for each group of results that has ratios, the largest difference first."""
    paired: bool = False
    """Whether the launches of both were interleaved in one session."""
    only_a: int = 0
    """Results that only the first machine has."""
    only_b: int = 0
    """Results that only the other machine has."""
    benchmarks_a: tuple[str, ...] = ()
    """Benchmarks and workloads that the first machine has results of."""
    benchmarks_b: tuple[str, ...] = ()
    """Benchmarks and workloads that the other machine has results of."""
    spread_runs: tuple[str, ...] = ()
    """Earlier runs of the same machine, whose spread the intervals hold where it is wider than that
    of launches."""
