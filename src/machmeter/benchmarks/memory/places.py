"""Benchmarks of memory between two CPUs or two NUMA domains."""

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
    ThreadSweep,
)
from machmeter.model.display import (
    ChartKind,
    Display,
    Headline,
    LayoutFilter,
    Limit,
    LimitKind,
    Pick,
    Selection,
    TableKind,
)
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import SECONDS, STREAM_BYTES_PER_SECOND

PAGES = Benchmark(
    name="memory.pages",
    title="Pages that another core last wrote",
    summary="Visits to pages that a thread at one place last wrote, by a thread at another: the "
    "page access times of Schmidl et al. 2010, by pair of CPUs and size of the set.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "pair",
            ParameterKind.PAIR,
            (AUTO,),
            "CPU that wrote the pages and CPU that visits them, 0-1; auto covers the topology",
            auto=AutoRule.PAIRS_BOTH_WAYS,
            phrase="pair {}",
        ),
        Parameter(
            "visit",
            ParameterKind.CHOICE,
            ("read", "write"),
            "what a visit does",
            choices=("read", "write"),
        ),
        Parameter(
            "extent",
            ParameterKind.CHOICE,
            ("word", "page"),
            "one word of each page, or all of it",
            choices=("word", "page"),
        ),
        Parameter(
            "order",
            ParameterKind.CHOICE,
            ("dependent", "independent"),
            "whether a visit needs what the one before it brought",
            choices=("dependent", "independent"),
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of the set, in pages of 4096 bytes whatever the page size of the layout; auto "
            "goes from inside a core's cache to beyond the last",
            minimum=2 * 4096,
            multiple=4096,
            auto=AutoRule.CACHES_PAGES,
        ),
    ),
    metrics=(
        Metric("visit_time", "Time of one page visit", SECONDS, Direction.LOWER, Formula.TIME),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Page visit, {place}",
                select=Selection(
                    prefer=(("visit", "read"), ("extent", "word"), ("order", "dependent")),
                    layouts=(LayoutFilter.USUAL,),
                    largest=("size",),
                ),
                pick=Pick.NEAREST_AND_FARTHEST,
                hide=("visit", "extent", "order"),
            ),
        ),
        charts=(ChartKind.PAGE_VISITS,),
        tables=(TableKind.PAGE_VISITS,),
    ),
    seconds_per_point=0.01,
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
    sweep_pages=True,
)

MATRIX = Benchmark(
    name="memory.matrix",
    title="Memory between NUMA domains",
    summary="Latency and bandwidth from the CPUs of each NUMA domain to the memory of each.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "pair",
            ParameterKind.DOMAIN_PAIR,
            (AUTO,),
            "NUMA domain of the CPUs and of the memory, 0-1; auto takes every pair",
            auto=AutoRule.DOMAIN_PAIRS,
            phrase="pair {}",
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of the memory visited; auto is four times the last cache level as measured",
            minimum=2**20,
            multiple=4096,
            auto=AutoRule.CACHES_DOMAIN,
        ),
    ),
    metrics=(
        Metric(
            "latency",
            "Load latency",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("latency_seconds",),
        ),
        Metric(
            "bandwidth",
            "Read bandwidth, STREAM bytes",
            STREAM_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            series=("sweep_seconds",),
            amount="stream_bytes",
        ),
    ),
    display=Display(
        limit=Limit(LimitKind.FARTHEST),
        headlines=(
            Headline(
                title="Memory latency, {place}",
                select=Selection(layouts=(LayoutFilter.USUAL,)),
                pick=Pick.NEAREST_AND_FARTHEST,
                hide=("size",),
            ),
            Headline(
                title="Read bandwidth, {place}",
                select=Selection(metrics=("bandwidth",), layouts=(LayoutFilter.USUAL,)),
                pick=Pick.FARTHEST,
                hide=("size",),
            ),
        ),
        charts=(ChartKind.DOMAIN_MATRIX,),
        tables=(TableKind.DOMAIN_MATRIX,),
    ),
    seconds_per_point=0.05,
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
    sweep_pages=True,
)

MEMORY_PLACES = (PAGES, MATRIX)
