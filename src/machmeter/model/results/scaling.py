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
    """What was measured with `count` of the axis.

    value: in the unit of its series; speedup: over the smallest count; efficiency: the speed-up
    over the ratio of the counts (a share). Speed-up and efficiency of a COST mean nothing, and are
    1 without interval. printed: how its source prints it.
    """

    count: int
    value: Interval
    speedup: Interval
    efficiency: Interval
    launches: int
    printed: Printed | None = None


class ScalingStep(Struct, frozen=True):
    """From one count to the next measured.

    gain: by how much a doubling is faster at the pace of this step (2 = in proportion; of a COST,
    the factor by which a doubling costs more); efficiency: that of this step alone, a share;
    superlinear: whether it exceeds 1 by more than its interval, adjusted for the number of steps
    (Holm), or as printed by more than 2 % and than its rounding; pays: not resolved where the
    interval, or the rounding of what was printed, holds the gain that is asked for.
    """

    first: int
    last: int
    gain: Interval
    efficiency: Interval
    pays: Paying
    superlinear: bool


class ScalingLimit(Struct, frozen=True):
    """Up to which count every doubling gains what it must; the smallest count where none does.

    low, high: its 95 % interval, of counts; UNBOUNDED: not reached within twice what was measured
    (of measured steps: within what was measured). `as_printed` where figures have no interval:
    the ends are then as far apart as the rounding of what was printed leaves it open.
    """

    value: float
    low: float
    high: float
    as_printed: bool = False


class LawParameter(Struct, frozen=True):
    """One number of a law: what it is called, its symbol, its value."""

    name: str
    symbol: str
    value: Interval
    unit: str = ""


class CurvePoint(Struct, frozen=True):
    """What a law says at one count, in the unit of its series, and the speed-up that makes."""

    count: float
    value: Interval
    speedup: Interval


class FittedLaw(Struct, frozen=True):
    """One law fitted to one series.

    formula: with its symbols, in words a terminal can show; misfit: root mean square of the
    relative distance of the figures from the law; misfit_p: probability of such a misfit where the
    law holds (-1: not known, one launch a count); holds: False where that is below 0.05, and then
    the intervals come from the misfit; left_out: root mean square of the relative error at a count
    that was left out of the fit (-1: too few counts); weight: of this law among those fitted, by
    AICc (-1: too few counts to weigh it); limit: where doubling stops paying by this law.
    """

    law: LawName
    formula: str
    parameters: tuple[LawParameter, ...]
    misfit: float
    misfit_p: float
    holds: bool
    left_out: float
    weight: float
    limit: ScalingLimit | None
    curve: tuple[CurvePoint, ...]
    prediction: CurvePoint | None = None


class Scaling(Struct, frozen=True):
    """One figure over one axis.

    point_labels: what is the same at every count, by name; laws: the best first; predicted: the
    count that was asked for (0 = none); apart: how far the laws shown there differ, the largest
    value over the smallest (0 = nothing predicted); notes: what could not be done, and why.
    """

    name: str
    benchmark: str
    metric: str
    title: str
    unit: Unit
    direction: Direction
    axis: ScalingAxis
    problem: Problem
    point_labels: dict[str, str]
    results: tuple[CountResult, ...]
    steps: tuple[ScalingStep, ...]
    least_gain: float
    limit: ScalingLimit | None
    laws: tuple[FittedLaw, ...]
    as_printed: bool
    predicted: int = 0
    apart: float = 0.0
    notes: tuple[str, ...] = ()
    origin: Origin = Origin.MEASURED
    source: str = ""


class ScalingReport(Struct, frozen=True):
    """Every series of one machine or run, and what has no law or no series, in words."""

    machine: str
    title: str
    least_gain: float
    series: tuple[Scaling, ...]
    notes: tuple[str, ...] = ()
