"""The figures of the memory benchmarks that matter, without those over pairs of places."""

from __future__ import annotations

from machmeter.model.layout import HUGE_PAGE
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.figure import Headline, figure
from machmeter.report.benchmarks.selection import (
    best,
    most_threads,
    number,
    of_metric,
    parameter,
    size,
    threads,
    usual,
    values_of,
    where,
)
from machmeter.text.layouts import binding_text, layout_text
from machmeter.text.numbers import count_text


def stream(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The best triad on all threads, the plain one, and the best of one thread."""
    rates = of_metric(estimates, "stream_bandwidth")
    triads = where(rates, "kernel", "triad") or rates
    everywhere = most_threads(triads)
    as_usual = [
        e
        for e in everywhere
        if parameter(e, "stores") == "temporal" and e.point.layout.page_bytes != HUGE_PAGE
    ]
    alone = [e for e in triads if threads(e) == 1]
    fastest = best(everywhere)
    figures = figure("Bandwidth, best triad", fastest, ("kernel", "size"))
    if best(as_usual) != fastest:
        figures += figure("Bandwidth, triad as compiled", best(as_usual), ("kernel", "size"))
    if best(alone) != fastest:
        figures += figure("Bandwidth, triad, one thread", best(alone), ("kernel", "size"))
    return figures


def latency(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The largest working set, by page size."""
    figures = []
    for pages in sorted({e.point.layout.page_bytes for e in estimates}):
        with_pages = [e for e in estimates if e.point.layout.page_bytes == pages]
        largest = max(with_pages, key=size)
        title = f"Memory latency, {format_bytes(pages)} pages"
        figures.append(Headline(title, f"{format_bytes(size(largest))} at random", largest))
    return figures


def loaded(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """Latency beside the slowest and the fastest load of reads."""
    plain = usual(of_metric(estimates, "latency"))
    reads = where(plain, "mix", "read") or plain
    figures = []
    for title, choose in (("Latency, load at its slowest", max), ("Latency, load full on", min)):
        if reads:
            found = choose(reads, key=lambda e: number(e, "pause"))
            text = f"{parameter(found, 'mix')}, {layout_text(found.point.layout)}"
            figures.append(Headline(title, text, found))
    return figures


def timeline(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """Bandwidth over the whole series, by binding."""
    figures = []
    for one in most_threads(of_metric(estimates, "stream_bandwidth")):
        how = binding_text(one.point.layout.binding)
        during = count_text(number(one, "seconds"), "second", "seconds")
        text = f"{during}, {layout_text(one.point.layout)}"
        figures.append(Headline(f"Triad over time, {how}", text, one))
    return figures[:3]


def allocation(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """First touch on all threads, by kind of page."""
    touches = most_threads(of_metric(estimates, "first_touch"))
    mapped = where(touches, "way", "map") or touches
    linked = [e for e in mapped if not e.point.layout.allocator] or list(mapped)
    figures = []
    for pages in values_of(linked, "pages"):
        found = best(e for e in linked if parameter(e, "pages") == pages)
        figures += figure(f"First touch, {pages} pages", found, ("pages",))
    return figures[:3]
