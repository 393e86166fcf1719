"""A computer: topology, memory, software, and what it lacks for measuring."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field


class Cache(Struct, frozen=True):
    """One cache as the system describes it (virtual machines lie: see `memory.latency`)."""

    level: int
    kind: str
    size_bytes: int
    line_bytes: int
    cpus: tuple[int, ...]


class Cpu(Struct, frozen=True):
    """One hardware thread. Numbers are the operating system's; `core` is unique in the machine.

    allowed: online and inside this process's cpuset; kind: tells unequal cores apart (0 = most
    capable), from cpu_capacity or maximum frequency.
    """

    number: int
    core: int
    package: int
    numa: int
    online: bool = True
    allowed: bool = True
    smt: int = 0
    kind: int = 0


class NumaDomain(Struct, frozen=True):
    """One NUMA domain: its CPUs (may be none), memory in bytes, distances to all domains."""

    number: int
    cpus: tuple[int, ...]
    memory_bytes: int
    distances: tuple[int, ...] = ()


class Topology(Struct, frozen=True):
    """CPUs, caches and NUMA domains of one host."""

    cpus: tuple[Cpu, ...]
    caches: tuple[Cache, ...]
    domains: tuple[NumaDomain, ...]
    source: str = "sysfs"

    @property
    def usable(self) -> tuple[Cpu, ...]:
        """CPUs that are online and allowed, in the system's order."""
        return tuple(cpu for cpu in self.cpus if cpu.online and cpu.allowed)

    @property
    def usable_cores(self) -> tuple[int, ...]:
        """Cores with at least one usable CPU, in order of their first CPU."""
        return tuple(dict.fromkeys(cpu.core for cpu in self.usable))

    def last_cache_bytes(self) -> int:
        """Size of the largest data or unified cache, bytes; 0 where none is described."""
        sizes = [cache.size_bytes for cache in self.caches if cache.kind != "instruction"]
        return max(sizes, default=0)


class Memory(Struct, frozen=True):
    """Memory in bytes; `limit_bytes` is the cgroup's (0 = none), `limit_left_bytes` what is left
    of the tightest one (None = none, or not known); hugetlb_free: pages of the kernel's pools of
    huge pages that nobody has taken, by page size in bytes as text."""

    total_bytes: int
    available_bytes: int
    limit_bytes: int
    base_page_bytes: int
    huge_page_bytes: int
    transparent_huge_pages: str
    huge_pages_free: int
    limit_left_bytes: int | None = None
    hugetlb_free: dict[str, int] = field(default_factory=dict)

    @property
    def usable_bytes(self) -> int:
        """What may be allocated now: available memory, within what is left of cgroups' limits."""
        known = (self.limit_bytes or None, self.limit_left_bytes)
        return min((self.available_bytes, *(limit for limit in known if limit is not None)))


class Software(Struct, frozen=True):
    """What runs on the machine, as far as it changes results.

    openmp_runtimes, allocators: libraries found that can take the place of those a program was
    linked with, path by name; shmem: prefix of an OpenSHMEM with compiler (empty = none found).
    firmware: the board's, with its date; drivers: versions, by name, of kernel modules and of the
    firmware of network adapters, where they tell them.
    """

    kernel: str
    distribution: str
    libc: str
    hypervisor: str
    container: str
    governor: str
    clock_source: str
    numa_balancing: str
    scheduler: str = ""
    microcode: str = ""
    boost: str = ""
    openmp_runtimes: dict[str, str] = field(default_factory=dict)
    allocators: dict[str, str] = field(default_factory=dict)
    shmem: str = ""
    firmware: str = ""
    drivers: dict[str, str] = field(default_factory=dict)


class Machine(Struct, frozen=True):
    """A measured machine as it was when a run began. `cpu_quota` is in CPUs (0 = none)."""

    name: str
    host: str
    architecture: str
    cpu_model: str
    topology: Topology
    memory: Memory
    software: Software
    cpu_quota: float = 0.0
    features: tuple[str, ...] = ()


class Severity(StrEnum):
    """How much a finding of `doctor` matters."""

    GOOD = "good"
    NOTE = "note"
    WARNING = "warning"
    LACKING = "lacking"


class Diagnosis(Struct, frozen=True):
    """One thing `doctor` looked at: what was found, and the remedy where it hurts."""

    what: str
    severity: Severity
    found: str
    remedy: str = ""
    names: tuple[str, ...] = field(default_factory=tuple)
