"""Where ranks and threads go, as asked and as observed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

BASE_PAGE = 4096
HUGE_PAGE = 2 * 2**20


class Binding(StrEnum):
    """How threads are put on cores: next to each other, far from each other, or not at all.

    Inner teams always stay together. OUTER binds outer threads alone: the threads of an inner team
    move freely over the CPUs of their outer thread.
    """

    CLOSE = "close"
    SPREAD = "spread"
    OUTER = "outer only"
    NONE = "none"


class WaitPolicy(StrEnum):
    """What an idle OpenMP thread does (OpenMP 5.2, section 21.1.9, OMP_WAIT_POLICY)."""

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


class Layout(Struct, frozen=True):
    """A wish: ranks, threads and what they get. `page_bytes` is in bytes.

    smt: hardware threads used of each core; reserved_cores: cores of each node left idle;
    oversubscribe: more ranks or threads than cores were asked for by name; inner_threads: threads
    of the inner team that each of the `threads_per_rank` outer ones leads (1 = no nesting);
    openmp, allocator: the OpenMP runtime and the allocator that take the place of those that the
    program was linked with, by name (empty = as linked); progress: who advances communication;
    package: only CPUs of that package are used, counted from 0 in order (-1 = of all).
    """

    nodes: int = 1
    ranks_per_node: int = 1
    threads_per_rank: int = 1
    smt: int = 1
    reserved_cores: int = 0
    binding: Binding = Binding.CLOSE
    page_bytes: int = BASE_PAGE
    wait_policy: WaitPolicy = WaitPolicy.ACTIVE
    oversubscribe: bool = False
    inner_threads: int = 1
    openmp: str = ""
    allocator: str = ""
    progress: ProgressMode = ProgressMode.LIBRARY
    package: int = -1

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

    def label(self) -> str:
        """The layout in a few words, the same for the same layout."""
        pages = (
            f"{self.page_bytes // 2**20} MiB"
            if self.page_bytes >= 2**20
            else (f"{self.page_bytes // 2**10} KiB")
        )
        parts = [
            f"{self.nodes} node{'s' * (self.nodes > 1)}",
            f"{self.ranks_per_node} x {self.threads_per_rank}"
            + f" x {self.inner_threads}" * (self.inner_threads > 1),
            self.binding.value,
            f"{pages} pages",
            f"{self.wait_policy.value} wait",
        ]
        if self.smt > 1:
            parts.append(f"SMT {self.smt}")
        if self.reserved_cores:
            parts.append(f"{self.reserved_cores} reserved")
        if self.oversubscribe:
            parts.append("oversubscribed")
        if self.progress is not ProgressMode.LIBRARY:
            parts.append(self.progress.value)
        if self.package >= 0:
            parts.append(f"package {self.package}")
        parts += [name for name in (self.openmp, self.allocator) if name]
        return ", ".join(parts)


class Assignment(Struct, frozen=True):
    """The CPUs asked for each thread of each rank of one node: `cpus[rank][thread]`.

    Thread `i` of the inner team of outer thread `t` is thread `t * inner_threads + i`.

    An empty tuple for a thread means that it is not bound. progress: the CPUs of each rank's
    progress thread, `progress[rank]` (empty: ranks have none).
    """

    cpus: tuple[tuple[tuple[int, ...], ...], ...]
    progress: tuple[tuple[int, ...], ...] = ()


class ThreadPlace(Struct, frozen=True):
    """Where one thread was seen to run: allowed CPUs, the CPU it was on, that CPU's NUMA domain.

    Threads of inner teams are numbered as in `Assignment`.
    """

    rank: int
    thread: int
    host: str
    cpus: tuple[int, ...]
    cpu: int
    numa: int = -1
