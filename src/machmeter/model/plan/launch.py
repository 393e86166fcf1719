"""One start of a native program: what was requested, what it recorded, what became of it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.benchmark import Value
from machmeter.model.layout import Assignment, Layout, ThreadPlace
from machmeter.model.plan.variant import ONLY, Variant
from machmeter.model.point import Point, make_point

RECORD_FORMAT = 1


class LaunchSpec(Struct, frozen=True):
    """What every launch of one kind starts: points of one benchmark under one layout.

    The native program measures the points in an order drawn from the launch's seed.
    seconds_per_point: time cap of one point, seconds; samples: most samples of one point;
    role: `points` are measured, `sizing` launches size them, `reference` launches tell drift;
    most_launches: launches after which no more are made (0 = as the precision asks); group: specs
    of one group are variants of the same points, launched next to each other in each round, and
    count together (empty: by itself).
    """

    name: str
    program: str
    benchmark: str
    layout: Layout
    points: tuple[Point, ...]
    seconds_per_point: float
    samples: int = 200
    role: str = "points"
    most_launches: int = 0
    variant: Variant = ONLY
    group: str = ""

    def point(self, parameters: dict[str, Value]) -> Point:
        """The point of this spec that has these parameters."""
        return make_point(self.benchmark, parameters, self.layout, self.variant)


class Launch(Struct, frozen=True):
    """One launch of a spec: its number in the run, its seed and the CPUs it is bound to.

    round: launches of one round ran next to each other in random order and can be paired.
    """

    number: int
    spec: LaunchSpec
    seed: int
    assignment: Assignment
    round: int = 0


class Toolchain(Struct, frozen=True):
    """What a native program was built from and with; compiled into it."""

    compiler: str
    flags: str
    source_hash: str
    openmp: str = ""
    mpi_library: str = ""


class ClockProperties(Struct, frozen=True):
    """The clock of a launch: cost of one reading and smallest step, seconds."""

    source: str
    overhead_seconds: float
    tick_seconds: float


class Noise(Struct, frozen=True):
    """Disturbance of one host: fixed-work quanta per CPU and the kernel's own counts.

    quanta_seconds: `[cpu][quantum]`, the time of equal pieces of work; steal_seconds: since boot,
    all CPUs; involuntary_switches: of this process so far; load: runnable tasks, 1 minute.
    """

    host: str
    cpus: tuple[int, ...]
    quanta_seconds: tuple[tuple[float, ...], ...]
    steal_seconds: float
    involuntary_switches: int
    load: float


class Header(Struct, frozen=True, tag="header", tag_field="kind"):
    """First line of a record. Hosts and CPUs are as observed, never as requested.

    libraries: what was loaded, as file names: the `openmp` runtime and the `allocator`; progress:
    where each rank's progress thread is, with the thread number after the rank's last one;
    transport: what the communication library says of its transports, by its own names.
    """

    format: int
    benchmark: str
    launch: int
    seed: int
    world_size: int
    started: str
    places: tuple[ThreadPlace, ...]
    toolchain: Toolchain
    clock: ClockProperties
    noise: tuple[Noise, ...]
    environment: dict[str, str] = field(default_factory=dict)
    libraries: dict[str, str] = field(default_factory=dict)
    progress: tuple[ThreadPlace, ...] = ()
    transport: dict[str, str] = field(default_factory=dict)


class Check(Struct, frozen=True):
    """The kernel's own check of what it computed or received."""

    passed: bool
    what: str


class Begun(Struct, frozen=True, tag="begun", tag_field="kind"):
    """A point that a launch began to measure: where it hung, this is the last line."""

    parameters: dict[str, Value]


class PointRecord(Struct, frozen=True, tag="point", tag_field="kind"):
    """One measured point: raw samples by series, in the order taken.

    A sample is the time of one event in seconds: `batch` events were timed together and divided.
    quantities: numbers the metrics need (bytes of one event and the like); attributes: what ran, in
    words; page_bytes: page size obtained for the data, bytes (0 where no data was allocated).
    """

    parameters: dict[str, Value]
    series: dict[str, tuple[float, ...]]
    batch: int
    check: Check
    quantities: dict[str, float] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    page_bytes: int = 0


class Closing(Struct, frozen=True, tag="closing", tag_field="kind"):
    """Last line of a record: without it the record is incomplete."""

    ended: str
    points: int
    noise: tuple[Noise, ...]
    timed_seconds: float
    places: tuple[ThreadPlace, ...] = ()


class Record(Struct, frozen=True):
    """A record as read. `closing` is None for an incomplete one; then `problem` says why.

    begun: the point that was being measured when the record ends (None: between points).
    """

    header: Header | None
    points: tuple[PointRecord, ...]
    closing: Closing | None
    problem: str = ""
    begun: Begun | None = None

    @property
    def complete(self) -> bool:
        """Whether header, every point and the closing line are there."""
        return self.header is not None and self.closing is not None


class Verdict(StrEnum):
    """What became of a launch."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    INCOMPLETE = "incomplete"
    FAILED = "failed"
    TIMED_OUT = "timed out"


class LaunchOutcome(Struct, frozen=True):
    """What the launcher saw of a launch; written once, beside the record.

    exit_code is negative for a signal, as in `subprocess`; output is the tail of what the program
    printed; dropped_points: keys of points that may not be used, each with the reason.
    """

    launch: int
    spec: str
    verdict: Verdict
    reasons: tuple[str, ...]
    command: tuple[str, ...]
    exit_code: int
    started: str
    wall_seconds: float
    output: str = ""
    round: int = 0
    dropped_points: dict[str, str] = field(default_factory=dict)
