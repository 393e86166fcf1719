"""How results change as threads, ranks, nodes or cores are added."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.interval import Interval
from machmeter.model.origin import Origin
from machmeter.model.results.printed import Printed
from machmeter.model.units import Unit


class ScalingAxis(StrEnum):
    """What is added."""

    THREADS = "threads"
    INNER_THREADS = "inner threads"
    RANKS = "ranks"
    NODES = "nodes"
    CORES = "cores"
    DEVICES = "devices"


class Problem(StrEnum):
    """What happens to the work as more of the axis is added.

    FIXED: it stays the same (strong scaling); GROWING: it grows in proportion (weak scaling);
    COST: there is no work to share, the result is what one operation costs among so many.
    """

    FIXED = "fixed problem (strong scaling)"
    GROWING = "growing problem (weak scaling)"
    COST = "cost of one operation"


class LawName(StrEnum):
    """A law of scaling; each is defined in `analysis.scaling.laws`."""

    AMDAHL = "Amdahl"
    GUSTAFSON = "Gustafson"
    UNIVERSAL = "universal scalability"
    POWER = "power law"
    EXTRA_P = "Extra-P normal form"


class NormalTerm(Struct, frozen=True):
    """The term of Extra-P's normal form: `count^exponent * log2(count)^log_exponent`.

    Both 0 where Extra-P finds that nothing depends on the count.
    """

    exponent: float
    """Of the count."""
    log_exponent: float
    """Of its logarithm to base 2."""


class StepVerdict(StrEnum):
    """Whether a step of the axis gains what a doubling must gain."""

    YES = "yes"
    NO = "no"
    INCONCLUSIVE = "inconclusive"


class CountResult(Struct, frozen=True):
    """What was measured with one count of the axis."""

    count: int
    """Of the axis."""
    value: Interval
    """In the unit of its series."""
    speedup: Interval
    """Over the smallest count; 1 without interval for a COST."""
    efficiency: Interval
    """Speedup over the ratio of the counts, a share; 1 without interval for a COST."""
    launches: int
    """Launches behind the value."""
    printed: Printed | None = None
    """How its source prints it; null for measured results."""


class ScalingStep(Struct, frozen=True):
    """From one count to the next measured."""

    first: int
    """The smaller count."""
    last: int
    """The larger count."""
    gain: Interval
    """By how much a doubling is faster at the pace of this step (2 = in proportion; of a COST, the
    factor by which a doubling costs more)."""
    efficiency: Interval
    """Of this step alone, a share."""
    verdict: StepVerdict
    """Whether it gains what a doubling must; inconclusive where the interval, or the rounding of
    what was printed, holds the required gain."""
    superlinear: bool
    """Whether the efficiency exceeds 1 by more than its interval, adjusted for the number of steps
    (Holm), or as printed by more than 2 % and than its rounding."""


class ScalingLimit(Struct, frozen=True):
    """Up to which count every doubling gains what it must."""

    value: float
    """The smallest count beyond which none does; UNBOUNDED: not reached within twice what was
    measured (of measured steps: within what was measured)."""
    low: float
    """Lower end of its 95 % interval, a count."""
    high: float
    """Upper end of its 95 % interval, a count."""
    as_printed: bool = False
    """Whether results have no interval: the ends are then as far apart as the rounding of what was
    printed allows."""


class LawParameter(Struct, frozen=True):
    """One number of a law."""

    name: str
    """What it is called."""
    symbol: str
    """As in the formula."""
    value: Interval
    """With its interval."""
    unit: str = ""
    """Empty for a pure number."""


class CurvePoint(Struct, frozen=True):
    """What a law predicts at one count."""

    count: float
    """Of the axis."""
    value: Interval
    """In the unit of its series."""
    speedup: Interval
    """Over the smallest measured count."""


class FittedLaw(Struct, frozen=True):
    """One law fitted to one series."""

    law: LawName
    """Which one."""
    formula: str
    """With its symbols, as text that a terminal can show."""
    parameters: tuple[LawParameter, ...]
    """Its numbers."""
    misfit: float
    """Root mean square of the relative distance of the results from the law."""
    misfit_p: float
    """Probability of such a misfit where the law holds (-1: not known, one launch a count)."""
    holds: bool
    """False where that is below 0.05; the intervals then come from the misfit."""
    left_out: float
    """Leave-one-out prediction error, relative root mean square (-1: too few counts)."""
    weight: float
    """Of this law among those fitted, by AICc (-1: too few counts to weigh it)."""
    limit: ScalingLimit | None
    """The count beyond which doubling gains too little by this law."""
    curve: tuple[CurvePoint, ...]
    """What it predicts over the axis."""
    prediction: CurvePoint | None = None
    """At the requested count; null where none was requested."""


class Scaling(Struct, frozen=True):
    """One result over one axis."""

    name: str
    """What distinguishes it among the series."""
    benchmark: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    title: str
    """What the metric is called."""
    unit: Unit
    """Unit of its values."""
    direction: Direction
    """Whether higher or lower is better."""
    axis: ScalingAxis
    """What is added."""
    problem: Problem
    """What happens to the work as more is added."""
    conditions: dict[str, str]
    """What is the same at every count, by name."""
    results: tuple[CountResult, ...]
    """What was measured at each count."""
    steps: tuple[ScalingStep, ...]
    """From each count to the next."""
    least_gain: float
    """How many times faster a doubling must be."""
    limit: ScalingLimit | None
    """Up to which count measured steps gain that; null where steps do not show it."""
    laws: tuple[FittedLaw, ...]
    """Fitted laws, the best first."""
    as_printed: bool
    """Whether results have no interval."""
    predicted: int = 0
    """The count that was requested (0: none)."""
    apart: float = 0.0
    """Largest over smallest value that the laws shown predict there (0: nothing predicted)."""
    notes: tuple[str, ...] = ()
    """What could not be done, and why."""
    origin: Origin = Origin.MEASURED
    """Where the results come from."""
    source: str = ""
    """Who published them; empty for a run."""


class ScalingReport(Struct, frozen=True):
    """Every series of one machine or run, and what has no law or no series."""

    machine: str
    """ID of machine or run."""
    title: str
    """Its name for people."""
    least_gain: float
    """How many times faster a doubling must be."""
    series: tuple[Scaling, ...]
    """Every series."""
    notes: tuple[str, ...] = ()
    """What has none, and why."""
