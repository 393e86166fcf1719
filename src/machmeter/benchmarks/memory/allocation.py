"""Benchmark of allocating and first touching memory."""

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
from machmeter.model.display import ChartKind, Display, Headline, LayoutFilter, Pick, Selection
from machmeter.model.units import SECONDS

_PAGES = ("base", "transparent", "hugetlb-2m", "hugetlb-1g")
_WAYS = ("map", "malloc-outside", "malloc-inside", "malloc-loop")


def _phase(name: str, title: str, *, primary: bool) -> Metric:
    return Metric(name, title, SECONDS, Direction.LOWER, Formula.TIME, (name,), primary=primary)


ALLOCATION = Benchmark(
    name="memory.allocation",
    title="Allocation and first touch",
    summary="Getting memory, touching it first, sweeping it a second time and giving it back, each "
    "by itself. An allocator that keeps what it is given back makes the next first touch free.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "way",
            ParameterKind.CHOICE,
            _WAYS,
            "one mmap for all; one malloc outside the parallel region; one of each thread inside "
            "it; many small ones of each thread (64 KiB to 1 MiB), again and again",
            choices=_WAYS,
        ),
        Parameter(
            "pages",
            ParameterKind.CHOICE,
            (AUTO,),
            "what backs the memory: base pages, transparent huge pages, the kernel's pools of "
            "huge pages; auto takes those that can be had; only map has a choice",
            choices=_PAGES,
            auto=AutoRule.PAGE_KINDS,
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of all threads together",
            minimum=2**20,
            multiple=2**20,
            auto=AutoRule.ALLOCATION,
        ),
    ),
    metrics=(
        _phase("total", "Allocate, touch first and release", primary=True),
        _phase("allocate", "Allocate", primary=False),
        _phase("first_touch", "First touch", primary=True),
        _phase("second_pass", "Second pass", primary=False),
        _phase("release", "Release", primary=False),
        Metric(
            "fault",
            "First touch of a page, over a second, to its thread",
            SECONDS,
            Direction.LOWER,
            Formula.OVERHEAD,
            series=("first_touch", "second_pass"),
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="First touch, {pages} pages",
                select=Selection(
                    metrics=("first_touch",),
                    prefer=(("way", "map"),),
                    layouts=(LayoutFilter.MOST_THREADS, LayoutFilter.LINKED_ALLOCATOR),
                ),
                by="pages",
                most=3,
                pick=Pick.BEST,
                hide=("pages",),
            ),
        ),
        charts=(ChartKind.ALLOCATION_PHASES,),
    ),
    seconds_per_point=0.15,
    threads=ThreadSweep.POWERS,
    sweep_allocators=True,
    skips=tuple(
        (("pages", pages), ("way", way))
        for pages in ("transparent", "hugetlb-2m", "hugetlb-1g")
        for way in _WAYS[1:]
    ),
)
