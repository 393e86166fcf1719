"""A run: its request, its plan, its results."""

from __future__ import annotations

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType, field

from machmeter.model.benchmark import Value
from machmeter.model.device import DeviceUse
from machmeter.model.interval import HasInterval
from machmeter.model.layout import Assignment
from machmeter.model.machine import Machine
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, PointRecord, Toolchain
from machmeter.model.plan.question import Question
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.point import Point
from machmeter.model.results.caveat import Caveat
from machmeter.model.results.comparison import DroppedOut
from machmeter.model.results.curves import Knee, LastCache, ProtocolCurve
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Finding
from machmeter.model.results.machine_comparison import MachineComparison
from machmeter.model.results.precision import PrecisionReached
from machmeter.model.twin import Twin


class Precision(Struct, frozen=True):
    """When to stop."""

    half_width: float = 0.02
    """Target half width of the 95 % interval, relative."""
    least_launches: int = 10
    """Fewest launches of each spec."""
    most_launches: int = 100
    """Most launches of each spec."""
    budget_seconds: float = 110.0
    """Time for measuring, seconds."""
    race: bool = False
    """Whether a layout that is shown to be slower than another one is launched no more."""


class SkipCause(StrEnum):
    """What keeps something requested from being measured."""

    MACHINE = "this machine, or the request itself"
    RANK_COUNT = "a benchmark that takes other numbers of ranks"
    BUDGET = "a budget that is too short for it"


class Skipped(Struct, frozen=True):
    """Something requested that this machine cannot run."""

    what: str
    """What is left out."""
    reason: str
    """Why, for people."""
    cause: SkipCause = SkipCause.MACHINE
    """Why, for code."""


class Plan(Struct, frozen=True):
    """Everything a run will launch; written before its first launch. The fastest
    layout of an exploration without binding is added when its race is over."""

    specs: tuple[LaunchSpec, ...]
    """Kinds of launches, in the order of the study."""
    precision: Precision
    """When to stop."""
    skipped: tuple[Skipped, ...] = ()
    """What is left out, with reasons."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Values of `auto` parameters, bytes."""
    memory_short: bool = False
    """Whether memory was too short for arrays of the intended size."""
    last_cache: LastCache | None = None
    """What the sizes of `auto` follow; None where none follows a cache."""
    notes: tuple[str, ...] = ()
    """Why the sizes are what they are, and other remarks."""
    questions: tuple[Question, ...] = ()
    """What the findings answer."""
    assignments: dict[str, Assignment] = field(default_factory=dict)
    """The CPUs of each spec's ranks and threads, by its name; none before the run has begun."""
    superseded: tuple[str, ...] | UnsetType = UNSET
    """Names of specs that are launched no more since hosts were lost, whose results answer no
    question; left out where none is."""

    @property
    def points(self) -> tuple[Point, ...]:
        """Every point that is a result of the run."""
        return tuple(p for spec in self.specs if spec.gives_results for p in spec.points)

    @property
    def own_specs(self) -> tuple[LaunchSpec, ...]:
        """What is launched for the run itself: neither its baseline nor another MPI library."""
        return tuple(
            spec
            for spec in self.specs
            if not spec.variant.is_baseline and not spec.of_other_library
        )


class RunState(StrEnum):
    """How far a run came."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


DEFAULT_MPI = "mpich"
"""What is used where neither a person nor a study names an MPI library."""


class Request(Struct, frozen=True):
    """Everything that was requested of a run."""

    names: tuple[str, ...]
    """Studies, groups and benchmarks as a person wrote them."""
    study: Study
    """What they stand for."""
    layout_options: LayoutOptions
    """Layouts as requested."""
    precision: Precision
    """When to stop."""
    mpi: str
    """MPI libraries, with commas between several."""
    compiler: str
    """Name or path of the compiler; empty for the default."""
    flags: tuple[str, ...] = ()
    """Compiler flags that come last."""
    settings: tuple[str, ...] = ()
    """Values of parameters as requested, each as `--set` takes it: `size=8,1KiB`."""
    force: bool = False
    """Whether all of it is measured, however little of it the budget decides."""
    twin: Twin | None = None
    """The model of a machine that it is simulated on; null where this machine is measured."""
    on: str = ""
    """The model as a person named it: a name, or a file (empty: none was)."""
    changes: tuple[str, ...] = ()
    """What of the model was changed, each as `--with` takes it."""
    fresh_sizes: bool = False
    """Whether sizes are chosen without those of earlier runs."""
    among_others: bool = False
    """Whether launches count whatever other programs take of their CPUs, and wait for nobody."""

    @property
    def origin(self) -> Origin:
        """Where its results come from."""
        return Origin.SIMULATED if self.twin else Origin.MEASURED

    @property
    def explores(self) -> bool:
        """Whether it measures one program that is not ours, and nothing else."""
        experiments = self.study.experiments
        return len(experiments) == 1 and experiments[0].command is not None


class CachedBinary(Struct, frozen=True):
    """A program that an earlier run was measured with and that is still there."""

    program: str
    """Its name."""
    mpi: str
    """Which of several MPI libraries, as variants name it."""
    folder: str
    """Where it is."""
    mpiexec: str = ""
    """What started it (empty: nothing did)."""


class ObservedBuild(Struct, frozen=True):
    """What launches of one benchmark under one choice of libraries ran, as their records say."""

    program: str
    """The program that holds it."""
    toolchain: Toolchain
    """What it was built with."""
    mpi: str = ""
    """Which of several MPI libraries, as variants name it."""
    openmp: str = ""
    """The requested OpenMP runtime; empty as linked."""
    allocator: str = ""
    """The requested allocator; empty as linked."""
    libraries: dict[str, str] = field(default_factory=dict)
    """What was loaded, as in the header of a record."""
    benchmark: str = ""
    """Its name."""


class Baseline(Struct, frozen=True):
    """The baseline of an A/B run: an earlier run, whose points are measured again."""

    run: str
    """ID of that run."""
    request: Request
    """What it requested, with the hosts and the precision of the candidate."""
    toolchain: Toolchain
    """What its records say that it was measured with."""
    programs: tuple[CachedBinary, ...] = ()
    """The binaries that measured it (empty: today's sources are compiled)."""
    with_unpaired: bool = False
    """Whether points of the candidate alone are measured too."""
    observed_builds: tuple[ObservedBuild, ...] = ()
    """What its records say of every program."""
    planned_parameters: dict[str, tuple[dict[str, Value], ...]] = field(default_factory=dict)
    """Parameters that its own binaries measured, by benchmark, `auto` where the machine chose."""
    left_out: tuple[Skipped, ...] = ()
    """What it requested and this version does not have any more."""
    rebuilt: bool = False
    """Whether it was requested to be compiled from today's sources."""


class RunHeader(Struct, frozen=True):
    """What a run is; the first file of its folder."""

    id: str
    """Sorts by time; unique."""
    started: str
    """When it started, ISO 8601, UTC."""
    version: str
    """Of machmeter."""
    command: tuple[str, ...]
    """The command line."""
    request: Request
    """What was requested."""
    machine: Machine
    """The machine as it was found."""
    seed: int
    """Draws orders and the seeds of launches."""
    baseline: Baseline | None = None
    """Of an A/B run its baseline; null otherwise."""
    thread_settings: dict[str, str] = field(default_factory=dict)
    """Variables of OpenMP that were set when it began; no launch of machmeter's programs had them.
    """


class ReferenceDrift(Struct, HasInterval, frozen=True):
    """The reference kernel at the start and the end of a run."""

    part: str
    """Of the reference kernel."""
    start_seconds: float
    """Median time at the start, seconds."""
    end_seconds: float
    """Median time at the end, seconds."""
    ratio: float
    """End over start."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""


class TimeUse(Struct, frozen=True):
    """Where a run's wall time went."""

    wall: float
    """All of it, seconds."""
    launches: float
    """Inside launches, seconds."""
    timed: float
    """Inside timed parts, seconds."""


class ResourceUse(Struct, frozen=True):
    """What a program that is not ours used under one layout, as the binding wrapper saw it: medians
    over accepted launches, each the sum over its ranks."""

    spec: str
    """Name of the spec."""
    launches: int
    """Launches with totals of every rank."""
    sampled: int
    """Of these, launches that were long enough for samples of every rank."""
    cpu_share: float
    """CPU time over the wall time of the CPUs of the layout: as many as it has threads; where
    nothing was set, all that the ranks may use."""
    peak_bytes: float
    """Most resident memory, each rank at its own peak, bytes; what ranks share counts in each."""
    voluntary_switches: float
    """Context switches to wait."""
    involuntary_switches: float
    """Context switches for the sake of others."""
    system_share: float | None = None
    """Share of the CPU time that was spent in the system; null where that is too short to tell."""
    read_bytes: float | None = None
    """Read from storage, bytes; null without samples."""
    written_bytes: float | None = None
    """Written to storage, bytes; null without samples."""


class ResolvedProgram(Struct, frozen=True):
    """A program that is not ours, as its accepted launches were resolved."""

    benchmark: str
    """Of its results."""
    version: str = ""
    """As it writes it; empty where it does not."""
    simd: str = ""
    """The vector instructions that it was compiled for, as it writes them."""
    libraries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths of the libraries that were loaded, by what they are for (`MPI`, `BLAS`); of several
    variants those of each."""


class NoiseSummary(Struct, frozen=True):
    """Noise of one CPU over a run: times of fixed-work quanta over their own fastest tenth."""

    host: str
    """Name of the host."""
    cpu: int
    """Number of the CPU."""
    quanta: int
    """How many were timed."""
    median_slowdown: float
    """Median, as a ratio."""
    p99_slowdown: float
    """99th percentile, as a ratio."""
    worst_slowdown: float
    """Maximum, as a ratio."""
    detours: int
    """Quanta that were interrupted."""


class ShownPoint(Struct, frozen=True):
    """One point as one launch recorded it, for benchmarks whose raw series a report shows."""

    point: Point
    """The point."""
    launch: int
    """Number of the launch."""
    record: PointRecord
    """What it recorded."""


class BaselineResult(Struct, frozen=True):
    """The results of a run's baseline, and how the candidate compares."""

    name: str
    """The baseline by what differs from the candidate."""
    new_name: str
    """The candidate by what differs from the baseline."""
    estimates: tuple[Estimate, ...]
    """Results of the baseline."""
    partners: dict[str, str] = field(default_factory=dict)
    """Keys of points of the candidate, by those of their partners with another layout or MPI
    library."""
    toolchain: Toolchain | None = None
    """What the baseline's programs were built with."""
    comparison: MachineComparison | None = None
    """The candidate compared with the baseline, paired by round."""


class TriedLines(Struct, frozen=True):
    """Lines that start a program without machmeter, started once at the end of the run."""

    lines: tuple[str, ...]
    """As a shell reads them."""
    problems: tuple[str, ...]
    """What was not as the layout says, for people; empty where all of it was."""


class RunResult(Struct, frozen=True):
    """Everything a report needs of a run; of an A/B run the candidate's, except `baseline`."""

    header: RunHeader
    """What the run is."""
    state: RunState
    """How far it came."""
    plan: Plan
    """What it launches."""
    estimates: tuple[Estimate, ...]
    """Its results."""
    outcomes: tuple[LaunchOutcome, ...]
    """What became of every launch."""
    knees: dict[str, tuple[Knee, ...]]
    """Levels of the memory hierarchy, by page size in bytes, as text."""
    last_cache: LastCache
    """The last cache before memory, one value for everything that is said of this run."""
    findings: tuple[Finding, ...]
    """Answers to the plan's questions."""
    drift: tuple[ReferenceDrift, ...]
    """The reference kernel at start and end."""
    noise: tuple[NoiseSummary, ...]
    """Noise of each CPU."""
    time_use: TimeUse
    """Where its wall time went."""
    caveats: tuple[Caveat, ...] = ()
    """What limits what its results mean, the gravest first."""
    toolchain: Toolchain | None = None
    """What its programs were built with."""
    precision: PrecisionReached | None = None
    """How precise the results came out; null where none has an interval."""
    steal: dict[str, float] = field(default_factory=dict)
    """Share of the CPUs' time taken by other guests while launches ran, by host."""
    shown: tuple[ShownPoint, ...] = ()
    """Of benchmarks whose raw series are shown, the last accepted launch of each point."""
    protocols: tuple[ProtocolCurve, ...] = ()
    """Those of every curve of time over message size."""
    rank_hosts: tuple[str, ...] = ()
    """Host of each rank as observed, under the layout of one rank per CPU."""
    node_classes: tuple[str, ...] | UnsetType = UNSET
    """The class of each host by its hardware, in the order of their ranks; left out where there is
    one."""
    node_attributes: dict[str, dict[int, str]] | UnsetType = UNSET
    """What nodes may have in common, by attribute the value of each node by its number, where they
    differ in it; left out where no result is of a node by itself."""
    transports: dict[str, dict[str, str]] = field(default_factory=dict)
    """What communication libraries report of their transports, by library."""
    mpi_libraries: dict[str, str] = field(default_factory=dict)
    """What each MPI library calls itself, by the name that variants have for it (empty: the only
    one)."""
    baseline: BaselineResult | None = None
    """Results of the baseline, where there is one."""
    dropped_out: tuple[DroppedOut, ...] = ()
    """Layouts that dropped out of a race, in order."""
    resource_use: tuple[ResourceUse, ...] = ()
    """What a program that is not ours used under each layout, in the order of the plan."""
    resolved: tuple[ResolvedProgram, ...] = ()
    """Programs that are not ours, with the versions and libraries that ran."""
    kernel_hashes: dict[str, str] = field(default_factory=dict)
    """Hash of the sources of each benchmark alone, as its launches recorded it."""
    not_observed: tuple[str, ...] = ()
    """Names of specs with launches that an older version counted although nobody saw a rank: their
    results are shown, and compared with nothing."""
    disturbed: tuple[Estimate, ...] = ()
    """What launches show that others disturbed, of specs that have fewer than two others: shown,
    compared with nothing, and not among `estimates`."""
    tried: TriedLines | None = None
    """Of a program that was explored, the lines that were tried; null where none were."""
    device_uses: tuple[DeviceUse, ...] | UnsetType = UNSET
    """How devices were doing, by benchmark; left out where none but CPUs was measured."""
