"""How figures change as threads, ranks, nodes or cores are added."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Origin
from machmeter.model.results.printed import Printed
from machmeter.model.units import UNBOUNDED, Unit


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
    COST: there is no work to share, the figure is what one operation costs among so many.
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
    log_exponent: float


class Interval(Struct, frozen=True):
    """A value with its 95 % interval; `[-UNBOUNDED, UNBOUNDED]` where it has none, as printed."""

    value: float
    low: float = -UNBOUNDED
    high: float = UNBOUNDED


class Paying(StrEnum):
    """Whether a step of the axis gains what a doubling must gain."""

    YES = "yes"
    NO = "no"
    INCONCLUSIVE = "inconclusive"


class CountResult(Struct, frozen=True):
    """The result at one count of the axis."""

    count: int
    value: Interval
    """In the unit of its series."""
    speedup: Interval
    """Over the smallest count; 1 without interval for a COST, where it means nothing."""
    efficiency: Interval
    """Speed-up over the ratio of the counts (a share); 1 without interval for a COST."""
    launches: int
    printed: Printed | None = None
    """How its source prints it."""


class ScalingStep(Struct, frozen=True):
    """From one count to the next measured."""

    first: int
    """The lower count."""
    last: int
    """The higher count."""
    gain: Interval
    """By how much a doubling is faster at the pace of this step (2 = in proportion).

    Of a COST the factor by which a doubling costs more.
    """
    efficiency: Interval
    """That of this step alone, a share."""
    pays: Paying
    """Whether the gain is what is required; inconclusive where the interval, or the rounding of
    what was printed, holds that gain.
    """
    superlinear: bool
    """Whether the efficiency exceeds 1 by more than its interval, adjusted for the number of steps
    (Holm), or as printed by more than 2 % and than its rounding.
    """


class ScalingLimit(Struct, frozen=True):
    """Up to which count every doubling gains what it must; the smallest count where none does.

    UNBOUNDED: not reached within twice what was measured (of measured steps: within what was
    measured).
    """

    value: float
    low: float
    """Lower end of its 95 % interval, a count."""
    high: float
    """Upper end of its 95 % interval, a count."""
    as_printed: bool = False
    """Whether results have no interval: the ends are as far apart as their rounding allows."""


class LawParameter(Struct, frozen=True):
    """One parameter of a law."""

    name: str
    symbol: str
    value: Interval
    unit: str = ""
    """Symbol of its unit, empty for a plain number."""


class CurvePoint(Struct, frozen=True):
    """What a law predicts at one count."""

    count: float
    value: Interval
    """In the unit of the series."""
    speedup: Interval
    """Over the smallest count measured."""


class FittedLaw(Struct, frozen=True):
    """One law fitted to one series."""

    law: LawName
    formula: str
    """With its symbols, as text that a terminal can show."""
    parameters: tuple[LawParameter, ...]
    misfit: float
    """Root mean square of the relative distance of the results from the law."""
    misfit_p: float
    """Probability of such a misfit where the law holds (-1: unknown, one launch a count)."""
    holds: bool
    """False where `misfit_p` is below 0.05; then the intervals come from the misfit."""
    left_out: float
    """Leave-one-out prediction error: root mean square, relative (-1: too few counts)."""
    weight: float
    """Of this law among those fitted, by AICc (-1: too few counts to weigh it)."""
    limit: ScalingLimit | None
    """The count beyond which doubling gains too little by this law."""
    curve: tuple[CurvePoint, ...]
    """Up to twice the largest count measured."""
    prediction: CurvePoint | None = None
    """At the requested count."""


class Scaling(Struct, frozen=True):
    """One metric over one axis."""

    name: str
    """As a person reads it."""
    benchmark: str
    metric: str
    """Name of the metric."""
    title: str
    """Title of the metric."""
    unit: Unit
    direction: Direction
    axis: ScalingAxis
    problem: Problem
    conditions: dict[str, str]
    """What is the same at every count, by name, as text."""
    results: tuple[CountResult, ...]
    """By rising count."""
    steps: tuple[ScalingStep, ...]
    least_gain: float
    """How many times faster a doubling must be to be worth it."""
    limit: ScalingLimit | None
    """By the results themselves; None for a COST."""
    laws: tuple[FittedLaw, ...]
    """The best first."""
    as_printed: bool
    """Whether the results have no interval."""
    predicted: int = 0
    """The count that was requested (0 = none)."""
    apart: float = 0.0
    """How far the laws differ there: the largest value over the smallest (0 = no prediction)."""
    notes: tuple[str, ...] = ()
    """What could not be done, and why."""
    origin: Origin = Origin.MEASURED
    source: str = ""
    """Who published the results; empty where they were measured."""


class ScalingReport(Struct, frozen=True):
    """Every series of one machine or run."""

    machine: str
    """Its ID."""
    title: str
    """Its name."""
    least_gain: float
    """How many times faster a doubling must be to be worth it."""
    series: tuple[Scaling, ...]
    notes: tuple[str, ...] = ()
    """What has no law or no series, and why."""
