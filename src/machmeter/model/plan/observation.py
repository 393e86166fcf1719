"""What the binding wrapper saw of a program that is not ours."""

from __future__ import annotations

from msgspec import Struct

TEN_TICKS_SECONDS = 0.04
"""Less CPU time than this says nothing of its parts in user mode and in the system."""
LEAST_SAMPLES = 2
"""With fewer, threads and libraries were not observed: at the end only totals can be read."""
_WORKED_SHARE = 0.1
_COVERED_SHARE = 0.5
_LEAST_SECONDS = 0.2


class ObservedThread(Struct, frozen=True):
    """A thread of a rank, over all samples."""

    process: int
    """Its process."""
    thread: int
    """Its number in the system."""
    seconds: float
    """CPU time until the last sample, seconds."""
    allowed: str
    """The CPUs it may use, as the kernel writes them: `0-3,8`."""
    seconds_on: tuple[tuple[int, float], ...]
    """CPU time by the CPU that it was seen on after it was spent, seconds."""


class ObservedTree(Struct, frozen=True):
    """The processes of a rank while they ran, by samples after 10, 20, 50, 100, 200 and 500 ms,
    then each second."""

    samples: int
    """How many."""
    at_once: int
    """The most threads that worked between two samples: of processes that were there all the time,
    with a tenth of the CPU time of the busiest one, which took a tenth of that time."""
    most_memory_bytes: int
    """The most resident memory of all processes together in any sample, bytes."""
    memory: tuple[tuple[float, int], ...]
    """Seconds since the start and resident bytes; of many samples some."""
    read_bytes: int
    """Read from storage, bytes."""
    written_bytes: int
    """Written to storage, bytes."""
    libraries: tuple[str, ...]
    """Paths of the libraries of MPI, OpenMP, BLAS, FFT and the network that were loaded."""
    threads: tuple[ObservedThread, ...]
    """Every thread that was seen."""


class ObservedRank(Struct, frozen=True, tag="observed", tag_field="kind"):
    """One rank: a program with all processes that it started."""

    host: str
    """The name of its host."""
    ended: bool
    """Whether it had ended when this was written."""
    wall_seconds: float
    """From its start to its end, seconds."""
    user_seconds: float
    """CPU time in user mode of all processes that ended, seconds."""
    system_seconds: float
    """The same in the system, seconds."""
    peak_bytes: int
    """The most resident memory of any one process, bytes."""
    minor_faults: int
    """Page faults that read no disk."""
    major_faults: int
    """Page faults that did."""
    voluntary_switches: int
    """Context switches to wait."""
    involuntary_switches: int
    """Context switches for the sake of others."""
    left_processes: int
    """Processes that were there when the program returned, and were ended."""
    cpus: tuple[int, ...]
    """The CPUs of the rank, or all that it may use."""
    busy_seconds: float
    """Time in which these were busy, whoever it was, each counted, seconds."""
    tree: ObservedTree
    """What was seen while it ran."""
    boot: str = ""
    """The boot of its kernel, the same for hosts of one machine; empty where not known."""
    kernel_started: float | None = None
    """When its kernel started, seconds since 1970; null where not known."""

    @property
    def working(self) -> tuple[ObservedThread, ...]:
        """The threads that worked: with at least a tenth of the CPU time of the busiest one."""
        most = max((one.seconds for one in self.tree.threads), default=0.0)
        return tuple(one for one in self.tree.threads if one.seconds >= _WORKED_SHARE * most > 0)

    @property
    def saw_every_thread(self) -> bool:
        """Whether no thread that worked began or ended between samples: CPU time that no sample
        shows is no more than what the threads that worked at once can have spent after the last
        one, and less than what makes a thread one that worked."""
        sampled = [one.seconds for one in self.tree.threads]
        unseen = self.user_seconds + self.system_seconds - sum(sampled)
        last = self.tree.memory[-1][0] if self.tree.memory else 0.0
        after = self.tree.at_once * max(self.wall_seconds - last, 0.0)
        return unseen < after + _WORKED_SHARE * max(sampled, default=0.0)

    @property
    def saw_threads(self) -> bool:
        """Whether samples show threads: two at least, with half of all CPU time before the last,
        and more CPU time than the start of an MPI takes.

        While an MPI starts, hwloc binds the thread that asks it to every CPU in turn.
        """
        sampled = sum(one.seconds for one in self.tree.threads)
        spent = self.user_seconds + self.system_seconds
        enough = max(_LEAST_SECONDS, _COVERED_SHARE * spent)
        return self.tree.samples >= LEAST_SAMPLES and sampled >= enough
