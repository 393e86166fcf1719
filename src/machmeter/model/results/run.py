"""A run: its request, its plan, its results."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.benchmark import Value
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, PointRecord, Toolchain
from machmeter.model.plan.question import Question
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.point import Point
from machmeter.model.results.curves import Knee, ProtocolCurve
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Finding
from machmeter.model.results.machine_comparison import MachineComparison


class Precision(Struct, frozen=True):
    """When to stop: asked half width of the 95 % interval, launches of each spec, time, seconds."""

    half_width: float = 0.02
    least_launches: int = 10
    most_launches: int = 100
    budget_seconds: float = 110.0


class Skipped(Struct, frozen=True):
    """Something asked that this machine cannot run, and why."""

    what: str
    reason: str


class Plan(Struct, frozen=True):
    """Everything a run will launch; written before its first launch and never changed.

    sizes: what `auto` parameters became, bytes, with the reason in `notes`; questions: what the
    findings answer.
    """

    specs: tuple[LaunchSpec, ...]
    precision: Precision
    skipped: tuple[Skipped, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def points(self) -> tuple[Point, ...]:
        """Every point of every spec that measures points."""
        return tuple(p for spec in self.specs if spec.role == "points" for p in spec.points)


class RunState(StrEnum):
    """How far a run came."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


class Request(Struct, frozen=True):
    """Everything that was requested of a run."""

    names: tuple[str, ...]
    study: Study
    layout_options: LayoutOptions
    precision: Precision
    mpi: str
    compiler: str
    flags: tuple[str, ...] = ()


class CachedBinary(Struct, frozen=True):
    """A program that an earlier run was measured with, and that is still there.

    mpi: which of several MPI libraries, as layouts name it; folder: where it lies; mpiexec: what
    started it (empty: nothing did).
    """

    program: str
    mpi: str
    folder: str
    mpiexec: str = ""


class ObservedBuild(Struct, frozen=True):
    """What launches of one program under one choice of libraries ran, as their records say.

    mpi, openmp, allocator: as in `model.layout.Layout`; libraries: what was loaded, as in
    `model.plan.launch.Header`.
    """

    program: str
    toolchain: Toolchain
    mpi: str = ""
    openmp: str = ""
    allocator: str = ""
    libraries: dict[str, str] = field(default_factory=dict)


class Baseline(Struct, frozen=True):
    """The baseline of an A/B run: an earlier run, whose points are measured again.

    run: its id; request: what it request, with the hosts and the precision of the candidate;
    toolchain: what its records say that it was measured with; programs: those very programs (empty:
    they are compiled again from today's sources); with_unpaired: points of the candidate alone are
    measured too; ran: what its records say of every program; known_parameters: with its own
    programs the parameters that they measured, by benchmark, `auto` where the machine chose;
    left_out: what it asked and this machmeter does not know any more.
    """

    run: str
    request: Request
    toolchain: Toolchain
    programs: tuple[CachedBinary, ...] = ()
    with_unpaired: bool = False
    observed_builds: tuple[ObservedBuild, ...] = ()
    known_parameters: dict[str, tuple[dict[str, Value], ...]] = field(default_factory=dict)
    left_out: tuple[Skipped, ...] = ()


class RunHeader(Struct, frozen=True):
    """What a run is; the first file of its folder. baseline: its baseline, where it has two."""

    id: str
    started: str
    version: str
    command: tuple[str, ...]
    request: Request
    machine: Machine
    seed: int
    baseline: Baseline | None = None


class ReferenceDrift(Struct, frozen=True):
    """The reference kernel at the start and the end of a run: median time, seconds, by part."""

    part: str
    start_seconds: float
    end_seconds: float
    ratio: float
    low: float
    high: float


class TimeUse(Struct, frozen=True):
    """Where a run's wall time went, seconds: inside timed parts, rest of launches, outside."""

    wall: float
    launches: float
    timed: float


class NoiseSummary(Struct, frozen=True):
    """Noise of one CPU over a run: quanta compared with their own fastest tenth, shares of time."""

    host: str
    cpu: int
    quanta: int
    median_slowdown: float
    p99_slowdown: float
    worst_slowdown: float
    detours: int


class ShownPoint(Struct, frozen=True):
    """One point as one launch recorded it, for benchmarks whose raw series a report shows."""

    point: Point
    launch: int
    record: PointRecord


class BaselineResult(Struct, frozen=True):
    """What the baseline of a run came to, beside the new one.

    name, new_name: the sides by what differs between them; partners: of points that stand beside
    one under another layout, its key by their own; toolchain: what its programs were built with;
    comparison: the candidate beside the old one, paired by round.
    """

    name: str
    new_name: str
    estimates: tuple[Estimate, ...]
    partners: dict[str, str] = field(default_factory=dict)
    toolchain: Toolchain | None = None
    comparison: MachineComparison | None = None


class RunResult(Struct, frozen=True):
    """Everything a report needs of a run; knees by page size in bytes, as text.

    steal: share of the CPUs' time that other guests took while launches ran, by host; shown: of
    each point of a benchmark that `shows_samples`, its last accepted launch; protocols: those of
    every curve of time over message size; rank_hosts: host of each rank as observed, by layout of
    one rank a place; transports: what communication libraries said of theirs, by library; baseline:
    the baseline, where there are two: everything else is the candidate's.
    """

    header: RunHeader
    state: RunState
    plan: Plan
    estimates: tuple[Estimate, ...]
    outcomes: tuple[LaunchOutcome, ...]
    knees: dict[str, tuple[Knee, ...]]
    findings: tuple[Finding, ...]
    drift: tuple[ReferenceDrift, ...]
    noise: tuple[NoiseSummary, ...]
    time_use: TimeUse
    warnings: tuple[str, ...] = ()
    toolchain: Toolchain | None = None
    steal: dict[str, float] = field(default_factory=dict)
    shown: tuple[ShownPoint, ...] = ()
    protocols: tuple[ProtocolCurve, ...] = ()
    rank_hosts: tuple[str, ...] = ()
    transports: dict[str, dict[str, str]] = field(default_factory=dict)
    baseline: BaselineResult | None = None
