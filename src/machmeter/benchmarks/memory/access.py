"""Benchmarks of the memory system."""

from __future__ import annotations

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import (
    ChartKind,
    Counted,
    Display,
    Headline,
    LayoutFilter,
    Limit,
    LimitKind,
    Pick,
    Selection,
    TableKind,
    Yardstick,
    YardstickKind,
)
from machmeter.model.units import BUS_BYTES_PER_SECOND, SECONDS, STREAM_BYTES_PER_SECOND

# The shortest lines of any processor: the kernel asks for those of its own.
SHORTEST_LINE_BYTES = 64
# Threads share arrays out in pieces of this size.
STREAM_GRANULE_BYTES = 512

STREAM = Benchmark(
    name="memory.stream",
    title="Memory bandwidth",
    subject=Subject.MEMORY_BANDWIDTH,
    summary="Sweeps over arrays larger than every cache: copy, scale, add, triad (McCalpin 1995), "
    "read, write and update; plain and non-temporal stores; first touch by the owning thread. Over "
    "thread counts, bound close and spread, the bandwidth as cores and domains fill up.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "kernel",
            ParameterKind.CHOICE,
            ("copy", "scale", "add", "triad", "read", "write", "update"),
            "what one sweep does",
            choices=("copy", "scale", "add", "triad", "read", "write", "update"),
        ),
        Parameter(
            "stores",
            ParameterKind.CHOICE,
            ("temporal", "nontemporal"),
            "whether stores go through the caches",
            choices=("temporal", "nontemporal"),
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of each array; auto is four times the last-level caches as measured",
            minimum=STREAM_GRANULE_BYTES,
            multiple=STREAM_GRANULE_BYTES,
            least_per_thread=STREAM_GRANULE_BYTES,
            auto=AutoRule.CACHES_ARRAY,
        ),
    ),
    metrics=(
        Metric(
            "stream_bandwidth",
            "Bandwidth, STREAM bytes",
            STREAM_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="stream_bytes",
        ),
        Metric(
            "bus_bandwidth",
            "Bandwidth, bus bytes assuming write-allocate",
            BUS_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="bus_bytes",
            primary=False,
        ),
    ),
    display=Display(
        limit=Limit(LimitKind.TRAFFIC),
        counted=Counted(
            bytes="bus_bandwidth",
            model="STREAM bytes, and a read before each temporal store (write-allocate, assumed)",
            flops="stream_bandwidth",
            # Over elements of 8 bytes in one to three arrays.
            flops_of=(
                "kernel",
                (
                    ("scale", 1 / 16),
                    ("add", 1 / 24),
                    ("triad", 2 / 24),
                    ("read", 1 / 8),
                    ("update", 1 / 16),
                ),
            ),
            each=("kernel", "stores"),
            largest=("size",),
            name="{kernel}, {stores}",
        ),
        yardsticks=(
            Yardstick(kind=YardstickKind.HARDWARE, name="the memory's channels"),
            Yardstick(kind=YardstickKind.PEAK_TRAFFIC),
        ),
        headlines=(
            Headline(
                title="Memory bandwidth, {kernel}",
                select=Selection(prefer=(("kernel", "triad"),), largest=("size",)),
                pick=Pick.BEST,
                hide=("kernel", "size"),
            ),
            Headline(
                title="{kernel} as compiled",
                select=Selection(
                    where=(("stores", "temporal"),),
                    prefer=(("kernel", "triad"),),
                    layouts=(LayoutFilter.MOST_THREADS, LayoutFilter.NO_HUGE_PAGES),
                    largest=("size",),
                ),
                pick=Pick.BEST,
                hide=("kernel", "size"),
            ),
            Headline(
                title="{kernel}, one thread",
                select=Selection(
                    prefer=(("kernel", "triad"),),
                    layouts=(LayoutFilter.ONE_THREAD,),
                    largest=("size",),
                ),
                pick=Pick.BEST,
                hide=("kernel", "size"),
            ),
        ),
        charts=(ChartKind.KERNEL_BANDWIDTH,),
    ),
    seconds_per_point=0.1,
    arrays=3,
    threads=ThreadSweep.POWERS,
    sweep_pages=True,
    skips=((("kernel", "read"), ("stores", "nontemporal")),),
)

MEMORY_ACCESS = Yardstick(
    kind=YardstickKind.TIMES,
    of="memory.latency",
    select=Selection(layouts=(LayoutFilter.USUAL,), largest=("size",)),
    name="memory access",
    in_memory=True,
)
ONE_THREAD_TRIAD = Yardstick(
    kind=YardstickKind.SHARE,
    of="memory.stream",
    select=Selection(
        where=(("kernel", "triad"),), layouts=(LayoutFilter.ONE_THREAD,), largest=("size",)
    ),
    name="1-core triad",
)

LATENCY = Benchmark(
    name="memory.latency",
    title="Memory latency",
    subject=Subject.MEMORY_LATENCY,
    summary="Dependent loads, one a cache line, in random order over the whole working set; "
    "the curve over working sets shows the cache levels.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of the working set; auto sweeps from 4 KiB to four times the last cache level",
            minimum=2 * SHORTEST_LINE_BYTES,
            maximum=(2**32 - 1) * SHORTEST_LINE_BYTES,
            auto=AutoRule.CACHES_CURVE,
        ),
    ),
    metrics=(Metric("latency", "Load latency", SECONDS, Direction.LOWER, Formula.TIME),),
    display=Display(
        limit=Limit(LimitKind.LEVELS),
        yardsticks=(Yardstick(kind=YardstickKind.FIRST_CACHE),),
        headlines=(
            Headline(
                title="Memory latency, {pages} pages",
                select=Selection(largest=("size",)),
                by="pages",
            ),
        ),
        charts=(ChartKind.WORKING_SETS,),
        tables=(TableKind.LEVELS,),
    ),
    seconds_per_point=0.02,
    # The random cycle of a working set is made once and followed once for its check.
    setup_seconds_per_byte=2.4e-9,
    sweep_pages=True,
)

MEMORY = (STREAM, LATENCY)
