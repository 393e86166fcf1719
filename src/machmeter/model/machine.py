"""A computer: topology, memory, network adapters, software, and what it lacks for measuring."""

from __future__ import annotations

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType, field

from machmeter.model.device import NamedDevice


class CpuRelation(StrEnum):
    """The closest thing that two CPUs share; the last two are of NUMA domains."""

    CPU = "same CPU"
    CORE = "same core"
    L1 = "same L1"
    L2 = "same L2"
    L3 = "same L3"
    L4 = "same L4"
    L5 = "same L5"
    NUMA = "same NUMA domain"
    PACKAGE = "same package"
    BOARD = "same board"
    MACHINE = "same machine"
    OWN_DOMAIN = "own domain"
    NO_CPUS = "memory without CPUs"


class Cache(Struct, frozen=True):
    """One cache as the system describes it, which virtual machines misreport."""

    level: int
    """1 is nearest to the core."""
    kind: str
    """Data, instruction or unified."""
    size_bytes: int
    """Capacity."""
    line_bytes: int
    """Size of a line."""
    cpus: tuple[int, ...]
    """CPUs that share it."""


CACHE_LEVELS = range(1, 6)
"""Levels that caches of CPUs have."""


class Cpu(Struct, frozen=True):
    """One hardware thread."""

    number: int
    """Of the operating system."""
    core: int
    """Unique in the machine."""
    package: int
    """Of the operating system."""
    numa: int
    """Number of its NUMA domain; -1 where it is in none."""
    online: bool = True
    """Whether the operating system runs threads on it."""
    allowed: bool = True
    """Whether it is online and inside this process's cpuset."""
    smt: int = 0
    """Which hardware thread of its core, from 0."""
    kind: int = 0
    """Of unequal cores, 0 is the most capable, from cpu_capacity or maximum frequency."""


class NumaDomain(Struct, frozen=True):
    """One NUMA domain."""

    number: int
    """Of the operating system."""
    cpus: tuple[int, ...]
    """Its CPUs; a domain of memory alone has none."""
    memory_bytes: int
    """Installed memory."""
    distances: tuple[int, ...] = ()
    """To all domains, as the firmware states them (10 = local)."""
    allowed: bool = True
    """Whether this process may allocate memory of it."""


SIMULATED = "simulated"
"""The architecture, and source of the topology, of a machine that is a model."""


class Topology(Struct, frozen=True):
    """CPUs, caches and NUMA domains of one host."""

    cpus: tuple[Cpu, ...]
    """In the system's order."""
    caches: tuple[Cache, ...]
    """Each once."""
    domains: tuple[NumaDomain, ...]
    """By number."""
    source: str = "sysfs"
    """`sysfs`, `hwloc` or `simulated`."""

    @property
    def is_simulated(self) -> bool:
        """Whether it is that of a model: nobody can change its firmware or share its cores."""
        return self.source == SIMULATED

    @property
    def usable(self) -> tuple[Cpu, ...]:
        """CPUs that are online and allowed, in the system's order."""
        return tuple(cpu for cpu in self.cpus if cpu.online and cpu.allowed)

    @property
    def usable_domains(self) -> tuple[int, ...]:
        """NUMA domains with usable CPUs; CPUs may be in none."""
        return tuple(sorted({cpu.numa for cpu in self.usable if cpu.numa >= 0}))

    @property
    def memory_domains(self) -> tuple[int, ...]:
        """NUMA domains that this process may allocate memory of; without sizes, all are taken to
        have some."""
        known = any(domain.memory_bytes > 0 for domain in self.domains)
        return tuple(
            domain.number
            for domain in self.domains
            if domain.allowed and (domain.memory_bytes > 0 or not known)
        )

    @property
    def usable_cores(self) -> tuple[int, ...]:
        """Cores with at least one usable CPU, in order of their first CPU."""
        return tuple(dict.fromkeys(cpu.core for cpu in self.usable))

    def last_cache_bytes(self) -> int:
        """Size of the largest data or unified cache, bytes; 0 where none is described."""
        sizes = [cache.size_bytes for cache in self.caches if cache.kind != "instruction"]
        return max(sizes, default=0)


class Memory(Struct, frozen=True):
    """Memory of the machine, in bytes."""

    total_bytes: int
    """Installed."""
    available_bytes: int
    """Available to programs (MemAvailable)."""
    limit_bytes: int
    """The tightest limit of what may be allocated, of cgroups or of NUMA domains; 0 is none."""
    base_page_bytes: int
    """Smallest page."""
    huge_page_bytes: int
    """Default huge page; 0 is none."""
    transparent_huge_pages: str
    """`always`, `madvise`, `never`, or `absent` where the kernel has none."""
    huge_pages_free: int
    """Free pages of the default huge-page pool."""
    limit_left_bytes: int | None = None
    """Left of the limit that has the least left; null where there is none or it is not known."""
    hugetlb_free: dict[str, int] = field(default_factory=dict)
    """Free pages of every huge-page pool, by page size in bytes as text."""
    limit_source: str = ""
    """What sets that limit: `memory.max`, `memory.high` (the kernel throttles and swaps beyond it),
    `memory.limit_in_bytes`, `Mems_allowed`; empty where nothing does or it is not known."""

    @property
    def usable_bytes(self) -> int:
        """What may be allocated now: available memory, within what is left of its limits."""
        known = (self.limit_bytes or None, self.limit_left_bytes)
        return min((self.available_bytes, *(limit for limit in known if limit is not None)))


# Of each lane, by transfers a second: what 8b/10b, 128b/130b and flits leave (PCI Express Base
# Specification 6.0, sections 1.2 and 4.2). Headers of packets take some of it.
_CODED = ((8e9, 0.8), (64e9, 128 / 130), (float("inf"), 242 / 256))


class PcieLink(Struct, frozen=True):
    """A PCI Express link as it is, or as it could be."""

    transfers: float
    """Of each lane, a second."""
    lanes: int
    """How many there are."""

    @property
    def bytes_per_second(self) -> float:
        """What it carries one way at most, headers included."""
        share = next(share for below, share in _CODED if self.transfers < below)
        return self.transfers * self.lanes * share / 8

    def is_below(self, other: PcieLink) -> bool:
        """Whether it is slower or narrower than another one."""
        return self.transfers < other.transfers or self.lanes < other.lanes


class Adapter(Struct, frozen=True):
    """One port of a network adapter."""

    name: str
    """Of the system, with the port where its device has several: `mlx5_0`, `mlx4_0:2`, `eth0`."""
    network: str
    """`InfiniBand`, `Ethernet`, or what else the system calls it."""
    bits_per_second: float
    """Of its link, now; 0 where the system does not say."""
    up: bool
    """Whether the link is up."""
    numa: int = -1
    """Number of the NUMA domain that it is attached to; -1 where none is nearer."""
    slot: PcieLink | None = None
    """Between it and its slot, now; None where there is none, as in virtual machines."""
    slot_of_adapter: PcieLink | None = None
    """The fastest that the adapter can."""
    slot_of_board: PcieLink | None = None
    """The fastest that what it is plugged into can; None where the system does not say."""
    device: str = ""
    """Address of its card, without the function: ports of one share the slot; empty where there is
    none."""

    @property
    def bytes_per_second(self) -> float:
        """What its link carries one way at most, and its slot where that is slower; 0 where neither
        is known."""
        known = (self.bits_per_second / 8, self.slot.bytes_per_second if self.slot else 0.0)
        return min(filter(None, known), default=0.0)

    @property
    def is_held_back(self) -> bool:
        """Whether its slot is slower than the adapter can be."""
        able = self.slot_of_adapter
        return bool(self.slot and able and self.slot.is_below(able))

    @property
    def is_limited_by_slot(self) -> bool:
        """Whether it is held back so far that its slot carries less than its link, or than is known
        of it."""
        return self.is_held_back and (
            not self.bits_per_second or self.bytes_per_second < self.bits_per_second / 8
        )


class Processor(Struct, frozen=True):
    """What the processors of a generation can at most, a package."""

    generation: str
    """As its maker calls it."""
    channels: int = 0
    """Of memory; 0 where it has none of its own, or it is not known."""
    transfers: float = 0.0
    """Of a channel with the fastest memory that it takes, a second; 0 where it is not known."""
    operations: int = 0
    """In double precision of a core in a cycle; 0 where it is not known."""
    on_package: float = 0.0
    """Bandwidth of memory on the package, which is not that of the channels, B/s; 0 is none."""
    nominal_clock: float = 0.0
    """Of its cores, which data sheets have, Hz; 0 where the system does not show it."""


class MemoryChannels(Struct, frozen=True):
    """Channels of memory, as far as the system shows them."""

    count: int = 0
    """In use, of all packages; 0 where it is not known."""
    transfers: float = 0.0
    """Of a channel a second; 0 where it is not known."""
    count_from: str = ""
    """Where the count was read; empty where it was not."""
    transfers_from: str = ""
    """Where the rate was read; empty where it was not."""
    unequal: bool = False
    """Whether some hold more memory than others."""


class MpiStart(Struct, frozen=True):
    """How long an MPI takes to start and end a program that does nothing."""

    one_rank: float
    """Of one rank, wall time, seconds."""
    each_further_rank: float
    """More for another rank, seconds."""


class Software(Struct, frozen=True):
    """What runs on the machine, as far as it changes results."""

    kernel: str
    """Its release."""
    distribution: str
    """Name and version."""
    libc: str
    """Its version."""
    hypervisor: str
    """Empty on bare metal."""
    container: str
    """Empty outside of containers."""
    governor: str
    """CPU frequency governor."""
    clock_source: str
    """Of the kernel."""
    numa_balancing: str
    """Automatic NUMA balancing, as the kernel states it."""
    scheduler: str = ""
    """Of the kernel, where it names it."""
    microcode: str = ""
    """Its revision."""
    boost: str = ""
    """Whether CPUs may exceed their base frequency."""
    openmp_runtimes: dict[str, str] = field(default_factory=dict)
    """Paths of the installed OpenMP runtimes that programs can be run with, by name."""
    allocators: dict[str, str] = field(default_factory=dict)
    """Paths of the installed allocators that programs can be run with, by name."""
    blas: dict[str, str] = field(default_factory=dict)
    """Paths of BLAS libraries, by name: `openblas` is that of PyPI in the cache, `system` the one
    that the loader finds, links followed."""
    opencl: tuple[str, ...] = ()
    """Libraries that implement OpenCL, by the files that its loader reads."""
    nvidia_driver: str = ""
    """Version of NVIDIA's kernel module; `unknown` where its driver is another (WSL 2, Jetson),
    empty where there is none."""
    shmem: str = ""
    """Prefix of an OpenSHMEM with compiler; empty where none is found."""
    other_mpi: str = ""
    """An MPI other than the one that is measured, as `--mpi` names it; empty where none was looked
    for or found."""
    mpi_starts: dict[str, MpiStart] = field(default_factory=dict)
    """How long the MPI libraries take to start ranks, as variants name them (empty: the only one);
    without those of which it was not measured."""
    fetched: dict[str, str] = field(default_factory=dict)
    """Where libraries came from that were fetched for the run, by name: the release, and whether
    its SHA-256 was verified."""
    as_root: bool = False
    """Whether root started the run, whom Open MPI serves only where it is allowed."""
    firmware: str = ""
    """The board's, with its date."""
    drivers: dict[str, str] = field(default_factory=dict)
    """Versions of kernel modules and of the firmware of network adapters, by name."""


class Machine(Struct, frozen=True):
    """A measured machine as it was when a run began."""

    name: str
    """As given with `--name`, else the host name."""
    host: str
    """Host name."""
    architecture: str
    """Of the processor, such as `x86_64`."""
    cpu_model: str
    """As the system describes it."""
    topology: Topology
    """CPUs, caches, NUMA domains."""
    memory: Memory
    """Sizes and limits."""
    software: Software
    """Kernel, libraries, settings."""
    cpu_quota: float = 0.0
    """CPUs of time that a cgroup allows; 0 is no limit."""
    features: tuple[str, ...] = ()
    """Instruction set extensions."""
    scalable_bits: int = 0
    """Length of the scalable vector registers (SVE) that a process gets; 0: none, or unknown."""
    processor: Processor | None = None
    """What its processors can at most; None where their model is not known."""
    channels: MemoryChannels = MemoryChannels()
    """Channels of its memory."""
    adapters: tuple[Adapter, ...] = ()
    """Ports of network adapters that tell their rate or their slot."""
    devices: tuple[NamedDevice, ...] | UnsetType = UNSET
    """Those that a run measures; left out where it measures none."""
    described_otherwise: tuple[str, ...] = ()
    """What shows that the topology file is of another machine; empty: it is of this one, or none
    was given."""

    @property
    def has_separate_devices(self) -> bool:
        """Whether a run measures devices, none of which is its CPUs, as far as they say."""
        devices = self.devices or ()
        return bool(devices) and all(one.device.kind not in ("cpu", None) for one in devices)


class Severity(StrEnum):
    """How much a finding of `doctor` matters."""

    GOOD = "good"
    NOTE = "note"
    WARNING = "warning"
    LACKING = "lacking"


class Diagnosis(Struct, frozen=True):
    """One thing that `doctor` checks."""

    what: str
    """What was checked."""
    severity: Severity
    """How much it matters."""
    found: str
    """What was found."""
    remedy: str = ""
    """What to do; empty where nothing is needed."""
    names: tuple[str, ...] = field(default_factory=tuple)
    """Names that what was found consists of, such as libraries."""
