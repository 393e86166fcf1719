"""What the words of a benchmark's parameters mean, where other tools mean something else."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.selection import parameter


class Definition(Struct, frozen=True):
    """One word and its meaning; told where a run has the parameter with one of the values.

    values: that bring it up (empty: any).
    """

    name: str
    meaning: str
    parameter: str = ""
    values: tuple[str, ...] = ()


_BUFFERS = Definition(
    "Buffers",
    "Hot: every message uses the same buffers, which stay in the caches. Cold: each uses others, "
    "out of caches.",
    "buffers",
)
_OUTSTANDING = Definition(
    "Outstanding",
    "Operations begun before their completion is waited for. The time is until all are complete, "
    "at the target too; a tool that flushes locally only shows less.",
    "outstanding",
)
_TARGET = Definition(
    "Target",
    "Waiting: the target waits inside MPI, where it advances what others do to its memory. "
    "Working: it computes outside MPI, as programs do.",
    "target",
    ("working",),
)
_WINDOW_KIND = Definition(
    "Window",
    "Allocate: MPI took the memory (MPI_Win_allocate) and may choose memory it reaches fast. "
    "Create: the program brought it. Dynamic: it was attached later. Shared: both ranks map it. "
    "Tools differ in which they take, and small puts by several times.",
    "window",
)
_HIDDEN = Definition(
    "Hidden",
    "Share of the work hidden: 1 - (total - communication) / work (Austin et al. 2013). Share of "
    "the communication hidden: 1 - (total - work) / communication (OSU, IMB). They are equal only "
    "where work takes as long as communication. Neither is cut at 0 or 100 %.",
)
_STARTED = Definition(
    "Start",
    "By time: all ranks begin at one moment on synchronized clocks, and rounds with a late start "
    "do not count. By barrier: as OSU and IMB do; ranks leave a barrier one after the other, "
    "which the figure then holds.",
    "start",
)
_INJECTED = Definition(
    "Injected",
    "Bytes that the ranks of one node send to others in an all-to-all, over its time.",
    "operation",
    ("alltoall", "alltoallv"),
)

_KNOWN: dict[str, tuple[Definition, ...]] = {
    "network.latency": (
        Definition(
            "Ping-ping",
            "Both ranks send at once, so that messages meet; the time of one exchange, not half.",
            "pattern",
            ("ping-ping",),
        ),
        Definition(
            "Data",
            "Contiguous: the bytes lie together. Vector, indexed: in steps or at listed places, "
            "as many bytes; MPI packs them.",
            "data",
            ("vector", "indexed"),
        ),
        _BUFFERS,
    ),
    "network.pairs": (
        Definition(
            "Classic and barrier",
            "Classic: pairs run on without stopping (OSU up to 5.8). Barrier: all ranks meet "
            "before every exchange (OSU from 5.9 on), and what the barrier leaves uneven counts.",
            "definition",
        ),
        Definition("Slowest", "The time of the slowest pair, where other tools take the mean."),
    ),
    "network.bandwidth": (
        Definition(
            "Window",
            "Messages in flight before one short answer: 64 as in osu_bw; IMB takes 256.",
            "window",
        ),
        Definition("Pairs", "Of several pairs the slowest sets the time, not the mean of senders."),
        _BUFFERS,
    ),
    "network.overlap": (_HIDDEN,),
    "network.collective-overlap": (_HIDDEN,),
    "network.availability": (
        Definition(
            "Availability",
            "Work between start and wait is raised in random order, and the two lines of the total "
            "time, flat while work hides and rising after, are fitted; 1 - overhead / base. "
            "Sandia's SMB stops at the first time over 1.5 times the base. It is not cut at 0.",
        ),
    ),
    "network.collective": (
        _STARTED,
        Definition(
            "Elements",
            "What a reduction sums; OSU up to 7.0 summed floats, from 7.1 on chars, which are "
            "slower for as many bytes.",
            "datatype",
        ),
        _INJECTED,
    ),
    "network.barrier": (_STARTED,),
    "network.onesided": (_WINDOW_KIND, _OUTSTANDING, _TARGET),
    "network.atomics": (_WINDOW_KIND, _OUTSTANDING, _TARGET),
    "shmem.transfer": (_OUTSTANDING,),
    "shmem.atomics": (_OUTSTANDING,),
    "network.consistency": (
        Definition(
            "Apart",
            "A pair slower than usual by 10 % at least and by more than five deviations, or twice. "
            "Usual is the middle of the densest half of the pairs without blamed nodes.",
        ),
    ),
    "network.startup": (
        Definition(
            "Memory",
            "What the kernel says that a rank holds, shared memory included: pages that ranks "
            "share count for each of them.",
        ),
    ),
}


def definitions(benchmark: str, estimates: tuple[Estimate, ...]) -> tuple[tuple[str, str], ...]:
    """Names and meanings that the figures of a benchmark need."""
    return tuple(
        (one.name, one.meaning) for one in _KNOWN.get(benchmark, ()) if _is_needed(one, estimates)
    )


def _is_needed(one: Definition, estimates: tuple[Estimate, ...]) -> bool:
    if not one.parameter:
        return True
    found = {str(parameter(e, one.parameter)) for e in estimates} - {"None"}
    return bool(found.intersection(one.values)) if one.values else bool(found)
