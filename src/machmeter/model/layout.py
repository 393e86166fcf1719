"""Where ranks and threads go, as requested and as observed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

BASE_PAGE = 4096
HUGE_PAGE = 2 * 2**20
LINKED = "linked"
"""Requests the OpenMP runtime or allocator that the programs are linked with."""


class Binding(StrEnum):
    """How threads are put on cores: next to each other, far from each other, or not at all.

    Inner teams always stay together. OUTER binds outer threads alone: the threads of an inner team
    move freely over the CPUs of their outer thread. DEFAULT is what launcher and runtime do where
    nobody says anything: neither binding nor the number of threads is set.
    """

    CLOSE = "close"
    SPREAD = "spread"
    OUTER = "outer only"
    NONE = "none"
    DEFAULT = "default"

    @property
    def is_bound(self) -> bool:
        """Whether threads get CPUs of their own."""
        return self not in (Binding.NONE, Binding.DEFAULT)


class WaitPolicy(StrEnum):
    """What an idle OpenMP thread does (OpenMP 5.2, section 21.1.9, OMP_WAIT_POLICY).

    DEFAULT is what the runtime does where no variable says anything: what users have.
    """

    DEFAULT = "default"
    ACTIVE = "active"
    PASSIVE = "passive"


class ProgressMode(StrEnum):
    """Who advances communication while a rank computes.

    LIBRARY: MPI's own means, most often only inside its calls; THREAD: a progress thread of each
    rank, on the rank's own CPUs; RESERVED: that thread on the node's reserved cores.
    """

    LIBRARY = "library"
    THREAD = "progress thread"
    RESERVED = "progress on reserved cores"


class LaunchMode(StrEnum):
    """How programs use the cores of a node: ranks alone, or with threads; one or two hardware
    threads of each core; with or without a core that is left to the system.

    After the modes that Austin and others compare ("Performance of the Cray XC30", CUG 2013), which
    are MPI, MPI_SMT, MPI_SMT_RESERVED, HYBRID_SMT and HYBRID_SMT_RESERVED.
    """

    MPI = "mpi"
    MPI_RESERVED = "mpi+reserved"
    MPI_SMT = "mpi+smt"
    MPI_SMT_RESERVED = "mpi+smt+reserved"
    HYBRID = "hybrid"
    HYBRID_RESERVED = "hybrid+reserved"
    HYBRID_SMT = "hybrid+smt"
    HYBRID_SMT_RESERVED = "hybrid+smt+reserved"
    DEFAULT = "default"
    """A rank of one thread for each core, placed as the launcher does where nothing is set."""

    @property
    def smt(self) -> int:
        """Hardware threads used of each core."""
        return 2 if "smt" in self.value.split("+") else 1

    @property
    def reserved_cores(self) -> int:
        """Cores of each node that are left idle."""
        return int("reserved" in self.value.split("+"))

    @property
    def without_smt(self) -> LaunchMode:
        """The same with one hardware thread of each core."""
        return LaunchMode(self.value.replace("+smt", ""))

    @property
    def threads_per_rank(self) -> int:
        """Threads of each rank."""
        return 2 if "hybrid" in self.value.split("+") else 1


class Layout(Struct, frozen=True):
    """What is requested of a launch: ranks, threads and what they get.

    `model.layout_fields` has how each field is written, and which option sets it.
    """

    nodes: int = 1
    """Hosts that ranks run on."""
    ranks_per_node: int = 1
    """Ranks on each of them."""
    threads_per_rank: int = 1
    """Threads of each rank; of nested teams the outer ones."""
    smt: int = 1
    """Hardware threads used of each core."""
    reserved_cores: int = 0
    """Cores of each node that are left idle."""
    binding: Binding = Binding.CLOSE
    """How threads are put on cores."""
    page_bytes: int = BASE_PAGE
    """Size of the pages that data are in, bytes."""
    wait_policy: WaitPolicy = WaitPolicy.ACTIVE
    """What an idle thread does."""
    oversubscribe: bool = False
    """Whether more ranks or threads than cores are allowed."""
    inner_threads: int = 1
    """Threads of the inner team of each outer thread (1: no nesting)."""
    openmp: str = ""
    """The OpenMP runtime in the place of the one that the program was linked with, by name (empty:
    as linked)."""
    allocator: str = ""
    """The allocator in the place of the one that the program was linked with, by name (empty: as
    linked)."""
    progress: ProgressMode = ProgressMode.LIBRARY
    """Who advances communication."""
    package: int = -1
    """The only package whose CPUs are used, counted from 0 in order (-1: all)."""
    device: str | UnsetType = UNSET
    """The device that is measured, by the name that `machmeter list devices` gives it; left out
    where none is named."""

    @property
    def ranks(self) -> int:
        """Ranks over all nodes."""
        return self.nodes * self.ranks_per_node

    @property
    def threads(self) -> int:
        """Threads over all ranks, those of inner teams included."""
        return self.ranks * self.cpus_per_rank

    @property
    def cpus_per_rank(self) -> int:
        """Threads of one rank, those of inner teams included."""
        return self.threads_per_rank * self.inner_threads

    @property
    def mode(self) -> LaunchMode | None:
        """The launch mode whose threads, hardware threads and reserved cores it has, or that in
        which nothing is set; None where there is none, and where teams are nested or cores
        oversubscribed."""
        if self.oversubscribe or self.inner_threads > 1:
            return None
        if not self.is_placed:
            return LaunchMode.DEFAULT
        own = (self.threads_per_rank, self.smt, self.reserved_cores)
        modes = ((m, (m.threads_per_rank, m.smt, m.reserved_cores)) for m in LaunchMode)
        return next((mode for mode, fields in modes if fields == own), None)

    @property
    def is_placed(self) -> bool:
        """Whether it says where threads go, be it that they go anywhere: not where nothing is
        set."""
        return self.binding is not Binding.DEFAULT

    @property
    def cores_per_node(self) -> int:
        """Cores that its threads fill, and those that are left to the system."""
        return -(-self.ranks_per_node * self.cpus_per_rank // self.smt) + self.reserved_cores


class Assignment(Struct, frozen=True):
    """The CPUs requested for each thread of each rank of one node.

    Thread `i` of the inner team of outer thread `t` is thread `t * inner_threads + i`.
    """

    cpus: tuple[tuple[tuple[int, ...], ...], ...]
    """`cpus[rank][thread]`; an empty tuple for a thread that is not bound."""
    progress: tuple[tuple[int, ...], ...] = ()
    """The CPUs of each rank's progress thread, `progress[rank]` (empty: ranks have none)."""


class AssignmentElsewhere(Struct, frozen=True):
    """The CPUs of nodes of a launch on which others may be used than on the first one."""

    nodes: tuple[int, ...]
    """Their numbers; the first node of a launch is 0."""
    usable: tuple[int, ...]
    """The CPUs that programs may use there."""
    assignment: Assignment
    """Those of each rank there."""


class ThreadPlace(Struct, frozen=True):
    """Where one thread was observed to run."""

    rank: int
    """Of all ranks."""
    thread: int
    """Of the rank, numbered as in `Assignment`."""
    host: str
    """The name of its host."""
    cpus: tuple[int, ...]
    """The CPUs that it was allowed."""
    cpu: int
    """The CPU it was on."""
    numa: int = -1
    """That CPU's NUMA domain (-1: not known)."""
