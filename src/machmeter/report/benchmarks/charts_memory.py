"""Charts of the memory benchmarks: bandwidth by kernel and threads, latency by working set."""

from __future__ import annotations

import altair as alt

from machmeter.model.layout import BASE_PAGE, Binding
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.selection import (
    best,
    most_threads,
    of_metric,
    parameter,
    usually_bound,
    where,
)
from machmeter.report.drawing.axes import linear_x, log_axis, size_axis, thread_axis, value_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panels import (
    Panel,
    curves,
    dots,
    guide,
    ratio_rows,
    scaled_rows,
    stack,
)
from machmeter.text.labels import point_label
from machmeter.text.layouts import binding_text
from machmeter.text.numbers import count_text
from machmeter.text.results import value_text

_BUS_BYTES = (
    "Bus bytes are a model: what the program names and, assuming write-allocate, the lines that "
    "temporal stores read before they write them."
)


def stream_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Every kernel on all threads with its gain over the plain one; triad over threads."""
    rates = usually_bound(of_metric(estimates, "stream_bandwidth"))
    buses = usually_bound(of_metric(estimates, "bus_bandwidth"))
    charts = []
    if rates:
        charts.append(_kernels(most_threads(rates)))
    if buses:
        charts.append(_bus(buses))
    triads = [e for e in rates if _kernel(e) == "triad"]
    if len({e.point.layout.threads for e in triads}) > 1:
        charts.append(_triad_over_threads(triads))
    return charts + _placement(of_metric(estimates, "stream_bandwidth"))


def _placement(rates: tuple[Estimate, ...]) -> list[Chart]:
    """Bandwidth over the number of cores, filled close and spread; none where one way was taken.

    Of each number of threads and binding, the best kind of store and page.
    """
    triads = where(rates, "kernel", "triad") or rates
    bindings = list(dict.fromkeys(e.point.layout.binding for e in triads))
    counts = sorted({_threads(e) for e in triads})
    if len(bindings) < 2 or len(counts) < 2:
        return []
    found = [
        one
        for binding in bindings
        for count in counts
        if (one := best(e for e in triads if _place(e) == (binding, count)))
    ]
    names = [binding_text(binding) for binding in bindings]
    scaled = scaled_rows(found, _threads, _bound)
    x = thread_axis(counts)
    y = value_axis(f"triad, STREAM bytes, {scaled.symbol}", zero=True)
    panels: list[Panel] = [curves(scaled.rows, x, y, names)]
    ratios = ratio_rows(found, _threads, _bound, names[0])
    if ratios:
        ratio = curves(ratios, x, value_axis(f"times {names[0]}"), names, height=130)
        panels.append(alt.layer(guide(1.0, "", vertical=False), ratio))
    return [
        draw(
            "memory-stream-placement",
            "Triad by number of cores and placement",
            "Triad bandwidth over the number of cores with 95 % bands, one curve a placement: "
            f"cores next to each other, or far from each other; below, the ratio to {names[0]}.",
            stack(*panels),
            "Of each number of cores and placement, the best kind of store and page.",
        )
    ]


def _place(estimate: Estimate) -> tuple[Binding, int]:
    return estimate.point.layout.binding, _threads(estimate)


def _bound(estimate: Estimate) -> str:
    return binding_text(estimate.point.layout.binding)


def _kernel(estimate: Estimate) -> str:
    return str(parameter(estimate, "kernel"))


def _variant(estimate: Estimate) -> str:
    pages = format_bytes(estimate.point.layout.page_bytes)
    return f"{parameter(estimate, 'stores')} stores, {pages} pages"


def _threads(estimate: Estimate) -> int:
    return estimate.point.layout.threads


def _names(estimates: tuple[Estimate, ...] | list[Estimate]) -> list[str]:
    return list(dict.fromkeys(_variant(e) for e in estimates))


def _plain_variant() -> str:
    return f"temporal stores, {format_bytes(BASE_PAGE)} pages"


def _kernels(rates: tuple[Estimate, ...]) -> Chart:
    kernels, names = list(dict.fromkeys(_kernel(e) for e in rates)), _names(rates)
    scaled = scaled_rows(rates, _kernel, _variant)
    x = linear_x(f"bandwidth in STREAM bytes, {scaled.symbol}", zero=True)
    panels: list[Panel] = [dots(scaled.rows, x, kernels, names)]
    plain = _plain_variant()
    ratios = ratio_rows(rates, _kernel, _variant, plain)
    if ratios:
        others = [name for name in names if name != plain]
        compared = [k for k in kernels if any(row["x"] == k for row in ratios)]
        times = linear_x(f"times {plain}", zero=False)
        ratio = dots(ratios, times, compared, names, others)
        panels.append(alt.layer(guide(1.0, "", vertical=True), ratio))
    threads = count_text(_threads(rates[0]), "thread", "threads")
    return draw(
        "memory-stream-kernels",
        f"Bandwidth by kernel, {threads}",
        "Bandwidth of each kernel in STREAM bytes with 95 % intervals, for each kind of store and "
        f"page; below, the ratio to {plain}.",
        stack(*panels),
        "STREAM bytes count what the program reads and writes; the bus may carry more.",
    )


def _bus(buses: tuple[Estimate, ...]) -> Chart:
    ceiling = best(buses)
    widest = most_threads(buses)
    kernels, names = list(dict.fromkeys(_kernel(e) for e in widest)), _names(widest)
    scaled = scaled_rows(widest, _kernel, _variant)
    x = linear_x(f"bandwidth in bus bytes, {scaled.symbol}", zero=True)
    panel: Panel = dots(scaled.rows, x, kernels, names)
    note = _BUS_BYTES
    if ceiling is not None:
        at = scaled_rows([ceiling, *widest], _kernel, _variant).rows[0]["value"]
        panel = alt.layer(guide(at, "", vertical=True), panel)
        note = (
            f"{_BUS_BYTES} Dashed: the best seen in this run, {value_text(ceiling)} "
            f"({point_label(ceiling, ('size',))})."
        )
    return draw(
        "memory-stream-bus",
        "Traffic on the memory bus by kernel, assuming write-allocate",
        "Bandwidth of each kernel in bus bytes, assuming write-allocate, with 95 % intervals, "
        "against the best seen.",
        panel,
        note,
    )


def _triad_over_threads(triads: list[Estimate]) -> Chart:
    names = _names(triads)
    scaled = scaled_rows(triads, _threads, _variant)
    x = thread_axis([_threads(e) for e in triads])
    panels: list[Panel] = [
        curves(
            scaled.rows, x, value_axis(f"triad, STREAM bytes, {scaled.symbol}", zero=True), names
        )
    ]
    ratios = ratio_rows(triads, _threads, _variant, _plain_variant())
    if ratios:
        ratio = curves(ratios, x, value_axis("times plain"), names, height=130)
        panels.append(alt.layer(guide(1.0, "", vertical=False), ratio))
    return draw(
        "memory-stream-threads",
        "Triad over threads",
        "Triad bandwidth over the number of threads with 95 % bands, for each kind of store and "
        f"page; below, the ratio to {_plain_variant()}.",
        stack(*panels),
        f"Plain: {_plain_variant()}.",
    )


def _pages(estimate: Estimate) -> str:
    return f"{format_bytes(estimate.point.layout.page_bytes)} pages"


def _size(estimate: Estimate) -> int:
    return int(parameter(estimate, "size") or 0)


def latency_charts(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Latency over the working set, with the knees; the pages' ratio below."""
    ordered = sorted(estimates, key=lambda e: (e.point.layout.page_bytes, _size(e)))
    names = list(dict.fromkeys(_pages(e) for e in ordered))
    scaled = scaled_rows(ordered, _size, _pages)
    sizes = [_size(e) for e in ordered]
    x = size_axis(sizes, "working set")
    upper = curves(scaled.rows, x, log_axis(f"latency, {scaled.symbol}", scaled.rows), names)
    knees = _knee_guides(result, max(sizes))
    panels: list[Panel] = [alt.layer(*knees, upper) if knees else upper]
    ratios = ratio_rows(ordered, _size, _pages, names[0])
    if ratios:
        ratio = curves(ratios, x, value_axis("times faster"), names, height=130)
        panels.append(alt.layer(guide(1.0, "", vertical=False), ratio))
    below = f" Below: how many times faster than {names[0]}." if ratios else ""
    return [
        draw(
            "memory-latency",
            "Latency by working set",
            "Latency of one dependent load over the working set on logarithmic axes with 95 % "
            "bands, one curve a page size; dashed lines where a level of the memory hierarchy "
            "ends.",
            stack(*panels),
            f"Order is random over the whole buffer. Dashed: where a level ends, by fit.{below}",
        )
    ]


def _knee_guides(result: RunResult, largest: int) -> list[Panel]:
    """The ends of the levels with the largest pages that were fitted: caches, least of the TLB."""
    fitted = {int(pages): knees for pages, knees in result.knees.items() if knees}
    if not fitted:
        return []
    return [
        guide(knee.size_bytes, format_bytes(knee.size_bytes), vertical=True)
        for knee in fitted[max(fitted)]
        if 0 < knee.size_bytes < largest
    ]
