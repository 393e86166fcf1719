"""Benchmarks of memory under load, and over time."""

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
from machmeter.model.display import ChartKind, Display, Headline, LayoutFilter, Selection, TableKind
from machmeter.model.layout import Binding
from machmeter.model.units import SECONDS, STREAM_BYTES_PER_SECOND

LOADED = Benchmark(
    name="memory.loaded",
    title="Memory latency under load",
    summary="Dependent loads of one thread while all others read and write memory, at paces from "
    "none to as fast as they can: latency against bandwidth.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "mix",
            ParameterKind.CHOICE,
            ("read", "two-to-one", "write"),
            "what the load does: reads, two reads to one write, writes",
            choices=("read", "two-to-one", "write"),
        ),
        Parameter(
            "pause",
            ParameterKind.COUNT,
            (0, 30, 100, 300, 1000, 3000),
            "nanoseconds that a loading thread rests after each 1 KiB",
            maximum=10**9,
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes each thread works on; auto is four times the last cache level as measured",
            minimum=2**20,
            multiple=4096,
            auto=AutoRule.CACHES_THREAD,
        ),
    ),
    metrics=(
        Metric(
            "latency",
            "Load latency under load",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("latency_seconds",),
        ),
        Metric(
            "bandwidth",
            "Bandwidth of the load, STREAM bytes",
            STREAM_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            series=("kibibyte_seconds",),
            amount="kibibyte_bytes",
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Memory latency, lightest load",
                select=Selection(
                    prefer=(("mix", "read"),),
                    layouts=(LayoutFilter.USUAL,),
                    largest=("pause",),
                ),
                hide=("pause", "size"),
            ),
            Headline(
                title="Memory latency, full load",
                select=Selection(
                    prefer=(("mix", "read"),),
                    layouts=(LayoutFilter.USUAL,),
                    smallest=("pause",),
                ),
                hide=("pause", "size"),
            ),
        ),
        charts=(ChartKind.LOADED_LATENCY,),
    ),
    seconds_per_point=0.03,
    threads=ThreadSweep.ALL,
    sweep_pages=True,
    least_threads=2,
)

TIMELINE = Benchmark(
    name="memory.timeline",
    title="Memory bandwidth over time",
    subject=Subject.MEMORY_BANDWIDTH,
    summary="Triad in slices of 10 to 50 ms, unbound and bound: bandwidth, migrations, the CPU of "
    "every thread (64 at most) and the NUMA domain of sampled pages in each slice.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "seconds",
            ParameterKind.COUNT,
            (AUTO,),
            "length of the series; auto is a thirtieth of the budget, a minute at most",
            minimum=1,
            maximum=3600,
            auto=AutoRule.SERIES_SECONDS,
            phrase="{} s",
        ),
        Parameter(
            "slice_ms",
            ParameterKind.COUNT,
            (20,),
            "milliseconds of one slice, at least: it ends with the sweep that passes them",
            minimum=10,
            maximum=50,
            phrase="slices of {} ms",
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of each array; auto is four times the last-level caches as measured",
            minimum=512,
            multiple=512,
            least_per_thread=512,
            auto=AutoRule.CACHES_ARRAY,
        ),
    ),
    metrics=(
        Metric(
            "stream_bandwidth",
            "Triad bandwidth, STREAM bytes",
            STREAM_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="stream_bytes",
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Triad over time, {binding}",
                select=Selection(layouts=(LayoutFilter.MOST_THREADS,)),
                by="binding",
                most=3,
                hide=("slice_ms", "size"),
            ),
        ),
        charts=(ChartKind.TIME_SERIES,),
        tables=(TableKind.TIME_SERIES,),
    ),
    arrays=3,
    threads=ThreadSweep.ALL,
    bindings=(Binding.NONE, Binding.CLOSE, Binding.SPREAD),
    shows_samples=True,
)

MEMORY_LOAD = (LOADED, TIMELINE)
