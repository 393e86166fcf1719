"""What the launches say together."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.interval import HasInterval
from machmeter.model.machine import CpuRelation
from machmeter.model.origin import Origin
from machmeter.model.point import Point
from machmeter.model.results.printed import Printed
from machmeter.model.units import Unit


class Scale(StrEnum):
    """The scale on which Student's t was applied to the launch values."""

    LOG = "log"
    LINEAR = "linear"


class MemoryLevel(StrEnum):
    """Where the data of a benchmark reside."""

    CACHES = "caches"
    MEMORY = "memory"


class RunSpread(Struct, frozen=True):
    """How far the runs of a pooled estimate differ, where their launches do not explain it."""

    low: float
    """Smallest value of a run, in the unit's base."""
    high: float
    """Largest value of a run, in the unit's base."""


class Estimate(Struct, HasInterval, frozen=True):
    """One metric of one point with its 95 % interval, all in the unit's base."""

    point: Point
    """What was measured."""
    metric: str
    """Name of the benchmark's metric."""
    title: str
    """The metric as a heading."""
    unit: Unit
    """The base unit of all values here."""
    direction: Direction
    """Which way is better."""
    scale: Scale
    """The scale on which the interval was computed."""
    value: float
    """Mean over launches: geometric on the log scale, arithmetic on the linear one."""
    low: float
    """Lower end of the 95 % interval; zero (shares: unbounded) where there is none."""
    high: float
    """Upper end of the 95 % interval, unbounded where there is none."""
    launches: int
    """Launches that the value is a mean of."""
    samples: int
    """Samples over all launches, before the warm-up cut."""
    precision: float
    """Half width over value; of shares the half width itself."""
    target_precision: float
    """The precision that was requested."""
    reached: bool
    """Whether the target precision was met."""
    resolved: bool
    """False where the interval of an overhead holds zero: `high` is then an upper bound."""
    launch_values: tuple[float, ...]
    """One value a launch, in launch order."""
    launch_numbers: tuple[int, ...]
    """Numbers of the launches."""
    warmup_cut: int
    """Samples dropped as warm-up, over all launches."""
    outliers: int
    """Samples farther than three interquartile ranges from the quartiles; none is dropped."""
    batch: int
    """Events timed together in one sample."""
    attributes: dict[str, str]
    """What the kernel recorded of what ran, as text for people."""
    rounds: tuple[int, ...] = ()
    """Rounds of the launches, by which launches of other points pair with these."""
    below_zero: bool = False
    """Whether the interval of an overhead lies wholly below zero: a biased reference, or chance."""
    origin: Origin = Origin.MEASURED
    """Whether it was measured by machmeter, or who else states it."""
    printed: Printed | None = None
    """How its source prints it; null for what machmeter measured."""
    memory_level: MemoryLevel | None = None
    """Where the data of a memory benchmark reside; null where that is not known."""
    pair_relation: CpuRelation | None = None
    """What the two CPUs of its `pair` share; null where not known."""
    primary: bool = True
    """Whether its metric is a result of its own, and does not follow from another one."""
    partner: str = ""
    """Of the baseline of an A/B run: key of the candidate's point that it is compared with."""
    run_spread: RunSpread | None = None
    """Of several runs pooled: their spread, where it exceeds what launches explain."""
    mpi_library: str = ""
    """Family and version of the MPI library that it is a result of; empty where it is of none, or
    machmeter did not measure it."""

    @property
    def as_printed(self) -> bool:
        """Whether its one value is the number that its source prints."""
        return self.printed is not None and self.launches == 1

    @property
    def flag(self) -> str:
        """What contradicts it, for people; empty where nothing does."""
        return self.printed.flag if self.printed else ""

    @property
    def source(self) -> str:
        """Who prints it and where; empty for what was measured."""
        return self.printed.source if self.printed else ""
