"""What rules return: outcomes of cases as data, which `text.findings` puts into words."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.curves.blame import Pair
from machmeter.analysis.curves.consistency import Consistency
from machmeter.analysis.curves.flatness import Octave
from machmeter.analysis.curves.growth import Growth
from machmeter.analysis.curves.node_outliers import NodeSpread, SharedAttribute
from machmeter.analysis.reasons.reasons import Reason
from machmeter.analysis.rules.sensitivity import JudgedQuantity, Sensitivity
from machmeter.analysis.rules.trial import Label, Trial
from machmeter.analysis.scaling.common_limit import CommonShare
from machmeter.analysis.stats.confidence import BoundMargin, Doubt
from machmeter.model.plan.question import Band
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.curves import ProtocolRegion
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Confidence


class Inconclusive(StrEnum):
    """Why results do not answer a case."""

    TOO_FEW_LAUNCHES = "too few launches"
    TOO_FEW_SIZES = "too few sizes"
    BELOW_RESOLUTION = "not distinguishable from zero"
    MULTIPLE_COMPARISONS = "not significant after correction for multiple comparisons"
    INTERVAL = "the interval allows more than one answer"


class BetterOutcome(Struct, frozen=True):
    """Of BetterRule: the verdict is that of the trial."""

    trial: Trial
    """Candidate against baseline."""
    inconclusive: Inconclusive | None = None
    """Why it is inconclusive; None where it is decided."""


class Speedup(Struct, frozen=True):
    """What an efficiency is made of."""

    ratio: float
    """Speedup over the baseline."""
    threads: int
    """Threads, or nodes, of the candidate."""
    base_threads: int
    """Those of the baseline."""
    are_ranks: bool = False
    """Whether each of these threads is a rank."""
    best: Label = ()
    """Which of several candidates it is, where there are several."""
    are_nodes: bool = False
    """Whether nodes are counted in the place of threads."""


class WaveSpeedup(Struct, frozen=True):
    """Speedups over the serial time that a comparison with the wave model is made of."""

    measured: float
    """The measured one."""
    modeled: float
    """That of the model."""
    slots: int
    """Units at once on one domain."""
    pace: float | None
    """Pace of a unit on a full domain, as a share of that of one alone; None where not known."""


class BandOutcome(Struct, frozen=True):
    """Of CostRule, EfficiencyRule and WaveRule: the bands that hold the ends of the interval."""

    trial: Trial
    """Candidate against baseline."""
    lowest: Band
    """The band of the lower end."""
    highest: Band
    """The band of the upper end."""
    quantity: JudgedQuantity
    """What the bands are of."""
    inconclusive: Inconclusive | None = None
    """Why it is inconclusive; None where it is decided."""
    detail: Speedup | WaveSpeedup | None = None
    """What the ratio is made of, where that is known."""


class BestOutcome(Struct, frozen=True):
    """Of BestRule: who is best, and from whom that is not distinguishable."""

    best: Label
    """Label of the best."""
    reference: Trial
    """What the best is compared with: the usual value if it is behind, or the worst."""
    trials: tuple[Trial, ...]
    """The best with each of the others, the nearest first."""
    tied: tuple[Label, ...] = ()
    """Those that the best is not shown to be better than."""
    keep: Label | None = None
    """The usual value, where it is among the best."""
    similar: bool = False
    """Whether all differ by little, if at all."""
    inconclusive: Inconclusive | None = None
    """Why it is inconclusive; None where it is decided."""
    probability: float | None = None
    """That the best is so among those that did not drop out (0 to 1); None where too few rounds
    have all of them."""


class SwitchOutcome(Struct, frozen=True):
    """Of SwitchRule: the regions that one line describes each."""

    axis: str
    """Name of the axis."""
    regions: tuple[ProtocolRegion, ...]
    """In rising order of the axis."""
    jumps: tuple[bool, ...]
    """Of every region but the first: whether the time is shown to jump where it begins."""


class FlatKind(StrEnum):
    """What a curve does at its end."""

    FLAT = "flat"
    RISING = "rising"
    FALLING = "falling"
    RISING_SLOWLY = "rising slowly"
    FALLING_SLOWLY = "falling slowly"
    UNCLEAR = "unclear"


class CurveValue(Struct, frozen=True):
    """A result at one value of an axis."""

    value: int
    """Of the axis."""
    estimate: Estimate
    """The result there."""


class FlatOutcome(Struct, frozen=True):
    """Of FlatRule: what the curve does at its end, and where it is highest."""

    axis: str
    """Name of the axis."""
    kind: FlatKind
    """What the curve does at its end."""
    end: Octave
    """The change at the end of the curve."""
    last: int
    """The last value of the axis."""
    best: CurveValue
    """Where it is highest."""
    begin: CurveValue | None = None
    """From where on it is flat."""
    perhaps: int | None = None
    """From where on it may be flat, where that is earlier."""


class ThresholdKind(StrEnum):
    """Where a metric reaches its bound."""

    FROM = "from a value on"
    NEVER = "nowhere"
    PARTLY = "at some values, not at the last"
    UNCLEAR = "unclear"


class ThresholdOutcome(Struct, frozen=True):
    """Of ThresholdRule."""

    axis: str
    """Name of the axis."""
    kind: ThresholdKind
    """Where the bound is reached."""
    values: tuple[CurveValue, ...]
    """Every result along the axis."""
    at: tuple[int, ...] = ()
    """Where it is reached: the first value of FROM, all of PARTLY; the open ones of UNCLEAR."""
    perhaps: int | None = None
    """From where on it may be reached, where that is earlier."""


class GrowthOutcome(Struct, frozen=True):
    """Of GrowthRule: the slope, and the bands that hold the ends of its interval."""

    axis: str
    """Name of the axis."""
    growth: Growth
    """The slope."""
    lowest: Band
    """The band of the lower end."""
    highest: Band
    """The band of the upper end."""
    first: CurveValue
    """The first result along the axis."""
    last: CurveValue
    """The last result along the axis."""


class SlowNodeShown(Struct, frozen=True):
    """A node that is shown to be slower than usual."""

    node: int
    """A rank."""
    apart: int
    """Of its pairs, how many are slow."""
    pairs: int
    """How many pairs it has."""
    ratio: Comparison
    """How many times worse, above 1."""


class SlowLinkShown(Struct, frozen=True):
    """A link that is shown to be slower than usual."""

    pair: Pair
    """Its two ranks."""
    ratio: Comparison
    """How many times worse, above 1."""


class ConsistentKind(StrEnum):
    """What the pairs of a system say of it."""

    UNIFORM = "uniform"
    NAMED = "slow nodes or links"
    LEVELS = "several levels"
    DIFFERENT = "different, and no one node is behind it"
    UNCLEAR = "unclear"
    INCOMPLETE = "pairs without a result"
    ONE_PAIR = "one pair"


class ConsistentOutcome(Struct, frozen=True):
    """Of ConsistentRule. Nodes are numbers of ranks."""

    kind: ConsistentKind
    """What the pairs show."""
    hosts: tuple[str, ...]
    """Host of each rank, empty where not known."""
    missing: tuple[Pair, ...] = ()
    """Planned pairs without a result."""
    planned: int = 0
    """Pairs that were planned or measured."""
    found: Consistency | None = None
    """How the pairs compare; None of one pair."""
    results: tuple[tuple[Pair, Estimate], ...] = ()
    """The result of each pair."""
    named: tuple[SlowNodeShown | SlowLinkShown, ...] = ()
    """Who is shown to be slow, the worst first."""


class NodesKind(StrEnum):
    """What the nodes of a system, each by itself, say of it."""

    EVEN = "even"
    NAMED = "slow nodes"
    GROUPS = "two groups of nodes"
    UNCLEAR = "no node is shown to be slow, nor all to be fast"
    TOO_FEW = "too few nodes or launches"


class NodesOutcome(Struct, frozen=True):
    """Of NodesRule."""

    kind: NodesKind
    """What the nodes show."""
    found: NodeSpread
    """How they compare."""
    hosts: tuple[str, ...]
    """Host of each node, empty where not known."""
    results: tuple[tuple[int, Estimate], ...] = ()
    """The result of each node."""
    at_most: float = 1.0
    """How many times worse than usual any node may be: the furthest end of their intervals."""
    shared: tuple[SharedAttribute, ...] = ()
    """What slow nodes share far more than the others do."""
    common: CommonShare | None = None
    """The usual node beside what its hardware can; None where that is not known."""


class NoCurve(Struct, frozen=True):
    """Of a rule that follows a curve: one launch, or so few sizes that nothing follows."""

    inconclusive: Inconclusive = Inconclusive.TOO_FEW_LAUNCHES
    """Why."""


Outcome = (
    BetterOutcome
    | BandOutcome
    | BestOutcome
    | SwitchOutcome
    | FlatOutcome
    | ThresholdOutcome
    | GrowthOutcome
    | ConsistentOutcome
    | NodesOutcome
    | NoCurve
)


class CaseResult(Struct, frozen=True):
    """What a question came to for one case."""

    outcome: Outcome
    """Of the question's rule."""
    decided: bool
    """Whether the results answer it."""
    confidence: Confidence
    """How far it can be relied on."""
    label: Label = ()
    """Values of what the question distinguishes (`each`)."""
    advice: str = ""
    """What to do, as the question says."""
    settings: tuple[str, ...] = ()
    """Environment variables that gain over the defaults: `OMP_WAIT_POLICY=active`."""
    trial: Trial | None = None
    """The comparison that carries the outcome, of rules that compare two results."""
    ratio: Comparison | None = None
    """The ratio that carries the outcome, above 1 is better."""
    margin: BoundMargin | None = None
    """How clear of another answer it is, where that can be said."""
    launches: int = 0
    """Launches of the side that has fewer."""
    doubts: tuple[Doubt, ...] = ()
    """Why the confidence is no higher."""
    sensitivity: tuple[Sensitivity, ...] = ()
    """What would change the outcome."""
    reasons: tuple[Reason, ...] = ()
    """What is behind it, of two layouts of a program that counts its parts."""

    @property
    def to_bound(self) -> float:
        """How far the end of the interval is from the bound of the answer, 0 where not known."""
        return self.margin.to_bound if self.margin else 0.0


class Draft(Struct, frozen=True):
    """A case before its p values are adjusted for all that is compared."""

    judge: Callable[[tuple[Trial, ...]], CaseResult]
    """Makes the case of the trials with adjusted p values."""
    trials: tuple[Trial, ...] = ()
    """What is compared; none of a rule that adjusts within itself."""
