"""One start of a native program: what was requested, what it recorded, what became of it."""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType, field

from machmeter.model.benchmark import Value
from machmeter.model.device import Device, DeviceDuringPoint, NamedDevice
from machmeter.model.layout import Assignment, AssignmentElsewhere, Layout, ThreadPlace
from machmeter.model.origin import Origin
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description, OutputReadings
from machmeter.model.plan.observation import TEN_TICKS_SECONDS, ObservedRank
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.packed import Packed, Quanta
from machmeter.model.point import Point, make_point
from machmeter.model.program import SIMULATOR
from machmeter.model.variant import ONLY, Variant

RECORD_FORMAT = 4
OBSERVED_FORMAT = 4
"""From this format on a program that is not ours was observed, or its launch does not count."""
_VERSION = re.compile(r"\s{1,20}Version:\s{1,20}")


def library_name(said: str) -> str:
    """Family and version in what an MPI library says of itself: `MPICH 5.0.2`."""
    return _VERSION.sub(" ", said.partition(",")[0]).strip()


FEWEST_LAUNCHES = 2
"""Of a spec whatever the time: an interval takes two."""


class LaunchRole(StrEnum):
    """What launches of a spec are for."""

    POINTS = "points"
    """They measure what was requested."""
    SIZING = "sizing"
    """They choose sizes of points."""
    REFERENCE = "reference"
    """They show drift."""
    LIBRARY = "library"
    """They show what another MPI library has."""
    UNBOUND = "unbound"
    """They are of the fastest layout of an exploration without binding, once its race is over."""


class LaunchSpec(Struct, frozen=True):
    """What every launch of one kind starts: points of one benchmark under one layout.

    The native program measures the points in an order drawn from the launch's seed.
    """

    name: str
    """Unique in its plan."""
    program: str
    """Name of the native program."""
    benchmark: str
    """Name of the benchmark."""
    layout: Layout
    """Where its ranks and threads run."""
    points: tuple[Point, ...]
    """What one launch measures."""
    seconds_per_point: float
    """Time cap of one point, seconds."""
    samples: int = 200
    """Most samples of one point."""
    role: LaunchRole = LaunchRole.POINTS
    """What its launches are for."""
    most_launches: int = 0
    """Launches after which no more are made (0: as the precision requires)."""
    fewest_launches: int = FEWEST_LAUNCHES
    """Launches that are made whatever the time."""
    variant: Variant = ONLY
    """The variant of the run that it is launched as."""
    group: str = ""
    """Specs of one group are variants of the same points: launched next to each other in each
    round, and counted together (empty: by itself)."""
    command: Command | None = None
    """What it starts, of a program that is not ours."""
    one_machine: bool | UnsetType = UNSET
    """Whether its launches count though nodes of theirs are one machine; left out where not."""

    @property
    def is_ours(self) -> bool:
        """Whether it starts a program of machmeter's, which writes its own record."""
        return self.command is None

    @property
    def description(self) -> Description | None:
        """Of a program that is not ours, where it has one."""
        return self.command.description if self.command else None

    @property
    def own_mpi(self) -> str:
        """As of `Command`."""
        return self.command.mpi if self.command else ""

    @property
    def of_points(self) -> bool:
        """Whether it measures what was requested."""
        return self.role is LaunchRole.POINTS

    @property
    def of_reference(self) -> bool:
        """Whether it shows drift: the reference kernel, at the start or the end."""
        return self.role is LaunchRole.REFERENCE

    @property
    def of_other_library(self) -> bool:
        """Whether it shows another MPI library than the run is about: no result of the run."""
        return self.role is LaunchRole.LIBRARY

    @property
    def gives_results(self) -> bool:
        """Whether its points are results of the run."""
        return self.role in {LaunchRole.POINTS, LaunchRole.UNBOUND}

    @property
    def simulated(self) -> bool:
        """Whether its launches are simulated on a model of a machine."""
        return self.program == SIMULATOR

    def point(self, parameters: dict[str, Value]) -> Point:
        """The point of this spec that has these parameters."""
        return make_point(self.benchmark, parameters, self.layout, self.variant)


class Launch(Struct, frozen=True):
    """One launch of a spec."""

    number: int
    """Its number in the run."""
    spec: LaunchSpec
    """What it starts."""
    seed: int
    """Draws the order of its points."""
    assignment: Assignment
    """The CPUs that its ranks and threads are bound to."""
    round: int = 0
    """Launches of one round ran next to each other in random order and can be paired."""
    device: NamedDevice | UnsetType = UNSET
    """The device that its layout names; left out where it names none."""
    elsewhere: tuple[AssignmentElsewhere, ...] | UnsetType = UNSET
    """The CPUs on nodes where others may be used than on the first; left out where none are."""

    @property
    def by_node(self) -> dict[int, AssignmentElsewhere]:
        """What is elsewhere, by number of its node."""
        return {node: one for one in self.elsewhere or () for node in one.nodes}

    @property
    def assignments_elsewhere(self) -> dict[int, Assignment]:
        """The CPUs of ranks there, by number of the node: `assignment` is that of all others."""
        return {node: one.assignment for node, one in self.by_node.items()}

    @property
    def nodes_moved(self) -> tuple[int, ...]:
        """Numbers of nodes on which ranks have other CPUs than on the first: of ranks that are
        bound not those whose CPUs are the same ones of others."""
        bound = self.spec.layout.binding.is_bound
        return tuple(
            node
            for one in self.elsewhere or ()
            for node in one.nodes
            if not bound or one.assignment != self.assignment
        )


class Toolchain(Struct, frozen=True):
    """What a native program was built from and with; compiled into it."""

    compiler: str
    """Name and version of the compiler."""
    flags: str
    """Every flag that the kernels were compiled with."""
    source_hash: str
    """Hash of the native sources that all programs share."""
    openmp: str = ""
    """The value of `_OPENMP`; empty without OpenMP."""
    mpi_library: str = ""
    """First line of `MPI_Get_library_version`; empty without MPI."""
    kernel_hash: str = ""
    """Hash of the native sources of the benchmark alone."""

    @property
    def sources(self) -> tuple[str, str]:
        """What a benchmark was compiled from, equal for the same code: the hash of its own sources
        and of those that all programs share."""
        return self.kernel_hash, self.source_hash


class ClockProperties(Struct, frozen=True):
    """The clock of a launch."""

    source: str
    """Name of the clock."""
    overhead_seconds: float
    """Cost of one reading, seconds."""
    tick_seconds: float
    """Smallest step, seconds."""


class Noise(Struct, frozen=True):
    """Disturbance of one host: fixed-work quanta per CPU and the kernel's own counts."""

    host: str
    """Name of the host."""
    cpus: tuple[int, ...]
    """The CPUs, in the order of `quanta_seconds`."""
    quanta_seconds: tuple[tuple[float, ...], ...]
    """`[cpu][quantum]`, times of equal pieces of work, seconds."""
    steal_seconds: float
    """Time stolen by the hypervisor since boot, all CPUs, seconds."""
    involuntary_switches: int
    """Involuntary context switches of this process so far."""
    load: float
    """Runnable tasks, average over 1 minute."""
    boot: str = ""
    """The boot of its kernel, the same for hosts of one machine; empty where not known."""
    kernel_started: float | None = None
    """When its kernel started, seconds since 1970; null where not known."""
    own_seconds: float | None = None
    """CPU time of all threads of the process so far, seconds; null where not known."""
    busy_seconds: float | None = None
    """Time in which the CPUs that the process may use were busy since the kernel started, whoever
    it was, each counted, seconds; null where not known."""
    packed: Quanta | UnsetType = UNSET
    """Of many ranks those of the whole host, in place of `cpus` and `quanta_seconds`; the other
    fields are of its lowest rank."""


class FileState(Struct, frozen=True):
    """A file as it was before a launch."""

    path: str
    """Its path."""
    bytes: int
    """Its size, bytes."""
    changed_ns: int
    """When its content was last changed, nanoseconds since 1970."""
    sha256: str
    """Its SHA-256 checksum."""
    written: bool = False
    """Whether it was another one after the launch."""


class Header(Struct, frozen=True, tag="header", tag_field="kind"):
    """First line of a record. Hosts and CPUs are as observed, never as requested."""

    format: int
    """Version of the record format."""
    benchmark: str
    """Name of the benchmark."""
    launch: int
    """Number of the launch."""
    seed: int
    """Seed of the launch."""
    world_size: int
    """Ranks as MPI reports them (1 without MPI)."""
    started: str
    """When the program began, ISO 8601, UTC."""
    places: tuple[ThreadPlace, ...]
    """Host and CPUs of every thread of every rank."""
    toolchain: Toolchain | None
    """What the program was built with; null for one that does not say."""
    clock: ClockProperties | None
    """The clock that timed it; null where it was timed from outside."""
    noise: tuple[Noise, ...]
    """Noise of each rank before the first point; of many ranks, of each host."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that steer OpenMP, MPI and the allocator."""
    libraries: dict[str, str] = field(default_factory=dict)
    """File names of what was loaded: the `openmp` runtime and the `allocator`."""
    progress: tuple[ThreadPlace, ...] = ()
    """Where each rank's progress thread is, with the thread number after the rank's last one."""
    transport: dict[str, str] = field(default_factory=dict)
    """Transports as the communication library reports them, by its own names."""
    origin: Origin = Origin.MEASURED
    """Where its samples come from."""
    inputs: tuple[FileState, ...] = ()
    """The program that is not ours, and the files that it was given to read."""
    device: Device | None = None
    """The device that was measured; null where none was."""
    hosts: tuple[ObservedHost, ...] = ()
    """Each host name of each kernel once (empty: in records from before they were described)."""
    packed: Packed | UnsetType = UNSET
    """In a file, of many ranks: their places, and their quanta; left out of what was read."""

    @property
    def mpi_library(self) -> str:
        """What the MPI library calls itself; empty where there is none."""
        return self.toolchain.mpi_library if self.toolchain else ""


class Check(Struct, frozen=True):
    """The kernel's own check of what it computed or received."""

    passed: bool
    """Whether the result was right."""
    what: str
    """What was checked, or what was wrong."""


class Begun(Struct, frozen=True, tag="begun", tag_field="kind"):
    """A point that a launch began to measure: where it hung, this is the last line."""

    parameters: dict[str, Value]
    """Value of each parameter."""


class PointRecord(Struct, frozen=True, tag="point", tag_field="kind"):
    """One measured point: raw samples by series, in the order taken.

    A sample is the time of one event in seconds: `batch` events were timed together and divided.
    """

    parameters: dict[str, Value]
    """Value of each parameter."""
    series: dict[str, tuple[float, ...]]
    """Samples by the name of their series, seconds."""
    batch: int
    """Events timed together for one sample."""
    check: Check
    """The kernel's own check of its result."""
    quantities: dict[str, float] = field(default_factory=dict)
    """Numbers that metrics need, by name: bytes of one event and the like."""
    attributes: dict[str, str] = field(default_factory=dict)
    """What ran, by name: instruction set, order, calls, runtime."""
    page_bytes: int = 0
    """Page size obtained for the data, bytes (0 where no data was allocated)."""
    device_state: DeviceDuringPoint | UnsetType = UNSET
    """The device before and after the point; left out where nothing of it can be read."""


class Closing(Struct, frozen=True, tag="closing", tag_field="kind"):
    """Last line of a record: without it the record is incomplete."""

    ended: str
    """When the program ended, ISO 8601, UTC."""
    points: int
    """Points recorded."""
    noise: tuple[Noise, ...]
    """The same after the last point."""
    timed_seconds: float
    """Time inside timed parts, seconds."""
    places: tuple[ThreadPlace, ...] = ()
    """Host and CPUs of every thread, observed again."""
    user_seconds: float | None = None
    """CPU time of all ranks in user mode while points were sampled (warm-up and calibration
    included) and in a few small messages after short launches, seconds; null where unknown."""
    system_seconds: float | None = None
    """The same in the system, seconds."""
    yields_per_message: float | None = None
    """Calls of `sched_yield` by the ranks' own threads for each small message that one received
    after the last point (blocking MPI calls, 8 B); null where no rank had a partner."""
    compile_seconds: float | UnsetType = UNSET
    """Time in calls that compile kernels of a device, seconds; left out where there is none."""
    packed: Packed | UnsetType = UNSET
    """As of `Header`."""

    @property
    def system_share(self) -> float | None:
        """Share of the CPU time of sampling that was spent in the system; None where it was too
        short to tell."""
        whole = (self.user_seconds or 0.0) + (self.system_seconds or 0.0)
        return (self.system_seconds or 0.0) / whole if whole >= TEN_TICKS_SECONDS else None


class Record(Struct, frozen=True):
    """A record as read."""

    header: Header | None
    """Its first line; null where there is none."""
    points: tuple[PointRecord, ...]
    """Every complete point."""
    closing: Closing | None
    """Its last line; null for an incomplete record."""
    problem: str = ""
    """Why the record is incomplete; empty where it is complete."""
    observed: tuple[ObservedRank, ...] = ()
    """The ranks of a program that is not ours, in their order."""
    output: OutputReadings | None = None
    """What was read in the output of a described program; null where nothing was."""
    begun: Begun | None = None
    """The point that was being measured when the record ends (null: between points)."""

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
    WRONG_PARALLELISM = "wrong parallelism"
    MISPLACED = "misplaced"
    CONTENDED = "contended"
    WRONG_ANSWER = "wrong answer"


class QuietWait(Struct, frozen=True):
    """How long a launch waited for others to leave its CPUs alone."""

    seconds: float
    """Waited, looks included, seconds."""
    busy: float
    """Share of their time in which its CPUs were busy at the last look; 0 where nothing ran."""
    most_busy: float
    """What was waited for."""
    budget_share: float
    """Most of the budget that all waits of the run may take."""


class LostHost(Struct, frozen=True):
    """A host that started no more programs, or cannot have the layout of a launch."""

    name: str
    """As it was named."""
    said: str
    """What the launcher said of it, or what it lacks."""
    lacks_cpus: bool | UnsetType = UNSET
    """Whether it has too few CPUs for the layout; left out where not."""


class LaunchOutcome(Struct, frozen=True):
    """What the launcher saw of a launch; written once, next to the record."""

    launch: int
    """Number of the launch."""
    spec: str
    """Name of its spec."""
    verdict: Verdict
    """What became of it."""
    reasons: tuple[str, ...]
    """Why, for people."""
    command: tuple[str, ...]
    """The command that started it."""
    exit_code: int
    """Negative for a signal, as in `subprocess`."""
    started: str
    """When it was started, ISO 8601, UTC."""
    wall_seconds: float
    """Wall time of the command, seconds."""
    output: str = ""
    """The end of what the program printed."""
    round: int = 0
    """The round it belongs to (0: none)."""
    dropped_points: dict[str, str] = field(default_factory=dict)
    """Keys of points that may not be used, each with the reason."""
    interrupted: bool = False
    """Whether the run was interrupted during it: it is launched again and has not failed."""
    share_of_others: float | None = None
    """Time in which its CPUs were busy for others, as a share of all their time; null where not
    known."""
    disturbed: bool = False
    """Whether it does not count for others on its CPUs, or for what disturbed its device, alone."""
    device_disturbed: bool | UnsetType = UNSET
    """Whether its device is among the reasons of that; left out where it is not."""
    waited: QuietWait | None = None
    """How it waited for quiet CPUs; null where nobody looked."""
    lost_hosts: tuple[LostHost, ...] | UnsetType = UNSET
    """Hosts that were lost in it: the run went on without them; left out where none was."""
    stopped_seconds: float | UnsetType = UNSET
    """How long it stood still with all around it, seconds, as a suspended job does: for that it
    does not count; left out where it did not."""
