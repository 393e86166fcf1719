"""Charts and tables of memory: bandwidth, latency, both under load, and allocation."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.model.layout import BASE_PAGE, Binding
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes, scale_for
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import (
    best,
    of_metric,
    positive,
    threads,
    usually_bound,
    values_of,
)
from machmeter.report.drawing.axes import (
    Row,
    linear_x,
    log_axis,
    size_axis,
    thread_axis,
    value_axis,
)
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import log_middle
from machmeter.report.drawing.panel import (
    Channel,
    Panel,
    data_of,
    layer,
    mark,
    quantitative,
    stack,
    until,
)
from machmeter.report.drawing.panels import (
    FEWEST_OF_A_CURVE,
    WIDTH,
    color_of,
    curves,
    dash_of,
    dots,
    guide,
    ratio_rows,
    scaled_rows,
    shape_of,
    short,
    tooltip,
)
from machmeter.report.table import Table
from machmeter.report.views.axis import number
from machmeter.text.labels import Name, names_of, point_label
from machmeter.text.layouts import binding_text, layout_text
from machmeter.text.numbers import count_text
from machmeter.text.results import knee_text, level_range_text, level_texts, pages_text, value_text

_BUS_BYTES = (
    "Bus bytes are a model: what the program names and, assuming write-allocate, the lines that "
    "temporal stores read before they write them."
)


def stream_charts(section: Section) -> list[Chart]:
    """Every kernel on all threads with its gain over the plain one; triad over threads."""
    found = extreme(section.estimates, "size")
    every = of_metric(found, "stream_bandwidth")
    rates = usually_bound(every)
    buses = usually_bound(of_metric(found, "bus_bandwidth"))
    charts = []
    if rates:
        charts.append(_kernels(extreme(rates, "threads")))
    if buses:
        charts.append(_bus(buses))
    triads = [e for e in rates if _kernel(e) == "triad"]
    if len({e.point.layout.threads for e in triads}) > 1:
        charts.append(_triad_over_threads(triads))
    return charts + _placement(every)


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
        panels.append(layer(guide(1.0, "", vertical=False), ratio))
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
    return str(value_of(estimate, "kernel"))


def _variant(estimate: Estimate) -> str:
    pages = format_bytes(estimate.point.layout.page_bytes)
    return f"{value_of(estimate, 'stores')} stores, {pages} pages"


def _threads(estimate: Estimate) -> int:
    return estimate.point.layout.threads


def _threads_text(estimate: Estimate) -> str:
    return count_text(_threads(estimate), "thread", "threads")


def _names(estimates: Sequence[Estimate]) -> list[str]:
    return names_of(estimates, _variant)


def _plain_variant() -> str:
    return f"temporal stores, {format_bytes(BASE_PAGE)} pages"


def _variant_dots(rates: Sequence[Estimate], category: Name, title: str) -> Panel:
    """A line for each category and kind of store and page; below, the ratios to the plain one."""
    categories, names = names_of(rates, category), _names(rates)
    scaled = scaled_rows(rates, category, _variant)
    x = linear_x(f"{title}, {scaled.symbol}", zero=True)
    panels: list[Panel] = [dots(scaled.rows, x, categories, names)]
    plain = _plain_variant()
    ratios = ratio_rows(rates, category, _variant, plain)
    if ratios:
        others = [name for name in names if name != plain]
        compared = [k for k in categories if any(row["x"] == k for row in ratios)]
        times = linear_x(f"times {plain}", zero=False)
        ratio = dots(ratios, times, compared, names, others)
        panels.append(layer(guide(1.0, "", vertical=True), ratio))
    return stack(*panels)


def _kernels(rates: tuple[Estimate, ...]) -> Chart:
    threads = count_text(_threads(rates[0]), "thread", "threads")
    return draw(
        "memory-stream-kernels",
        f"Bandwidth by kernel, {threads}",
        "Bandwidth of each kernel in STREAM bytes with 95 % intervals, for each kind of store and "
        f"page; below, the ratio to {_plain_variant()}.",
        _variant_dots(rates, _kernel, "bandwidth in STREAM bytes"),
        "STREAM bytes count what the program reads and writes; the bus may carry more.",
    )


def _bus(buses: tuple[Estimate, ...]) -> Chart:
    ceiling = best(buses)
    widest = extreme(buses, "threads")
    kernels, names = list(dict.fromkeys(_kernel(e) for e in widest)), _names(widest)
    scaled = scaled_rows(widest, _kernel, _variant)
    x = linear_x(f"bandwidth in bus bytes, {scaled.symbol}", zero=True)
    panel: Panel = dots(scaled.rows, x, kernels, names)
    note = _BUS_BYTES
    if ceiling is not None:
        at = scaled_rows([ceiling, *widest], _kernel, _variant).rows[0]["value"]
        panel = layer(guide(at, "", vertical=True), panel)
        note = (
            f"{_BUS_BYTES} Dashed: the peak observed in this run, {value_text(ceiling)} "
            f"({point_label(ceiling, ('size',))})."
        )
    return draw(
        "memory-stream-bus",
        "Traffic on the memory bus by kernel, assuming write-allocate",
        "Bandwidth of each kernel in bus bytes, assuming write-allocate, with 95 % intervals, "
        "against the peak observed.",
        panel,
        note,
    )


def _triad_over_threads(triads: list[Estimate]) -> Chart:
    curved = len({_threads(e) for e in triads}) >= FEWEST_OF_A_CURVE
    title = "triad, STREAM bytes"
    return draw(
        "memory-stream-threads",
        "Triad over threads",
        f"Triad bandwidth over the number of threads with 95 % {'bands' if curved else 'intervals'}"
        f", for each kind of store and page; below, the ratio to {_plain_variant()}.",
        _thread_curves(triads, title) if curved else _variant_dots(triads, _threads_text, title),
    )


def _thread_curves(triads: list[Estimate], title: str) -> Panel:
    names, plain = _names(triads), _plain_variant()
    scaled = scaled_rows(triads, _threads, _variant)
    x = thread_axis([_threads(e) for e in triads])
    y = value_axis(f"{title}, {scaled.symbol}", zero=True)
    panels: list[Panel] = [curves(scaled.rows, x, y, names)]
    ratios = ratio_rows(triads, _threads, _variant, plain)
    if ratios:
        ratio = curves(ratios, x, value_axis(f"times {plain}"), names, height=130)
        panels.append(layer(guide(1.0, "", vertical=False), ratio))
    return stack(*panels)


def _pages(estimate: Estimate) -> str:
    return f"{format_bytes(estimate.point.layout.page_bytes)} pages"


def _size(estimate: Estimate) -> int:
    return int(value_of(estimate, "size") or 0)


def latency_charts(section: Section) -> list[Chart]:
    """Latency over the working set, with the knees; the pages' ratio below. None of one size."""
    ordered = sorted(section.estimates, key=lambda e: (e.point.layout.page_bytes, _size(e)))
    names = list(dict.fromkeys(_pages(e) for e in ordered))
    scaled = scaled_rows(ordered, _size, _pages)
    sizes = [_size(e) for e in ordered]
    if len(set(sizes)) < 2:
        return []
    x = size_axis(sizes, "working set")
    upper = curves(scaled.rows, x, log_axis(f"latency, {scaled.symbol}", scaled.rows), names)
    knees = _knee_guides(section.result, max(sizes))
    panels: list[Panel] = [layer(*knees, upper) if knees else upper]
    ratios = ratio_rows(ordered, _size, _pages, names[0])
    if ratios:
        ratio = curves(ratios, x, value_axis("times faster"), names, height=130)
        panels.append(layer(guide(1.0, "", vertical=False), ratio))
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


PHASES = ("allocate", "first_touch", "second_pass", "release")


def loaded_charts(section: Section) -> list[Chart]:
    """Latency against bandwidth, one curve a mix; one panel a page size."""
    panels = []
    for pages in sorted({e.point.layout.page_bytes for e in section.estimates}):
        found = [e for e in section.estimates if e.point.layout.page_bytes == pages]
        panel = _loaded_panel(extreme(found, "threads"), f"{format_bytes(pages)} pages")
        panels += [panel] if panel else []
    if not panels:
        return []
    return [
        draw(
            "memory-loaded",
            "Latency against bandwidth",
            "Latency of one dependent load against the bandwidth that the other threads get at "
            "the same time, one curve for each mix of reads and writes, with 95 % intervals both "
            "ways; one panel a page size.",
            stack(*panels),
            "Along a curve, from left to right, the loading threads rest less.",
        )
    ]


def _loaded_panel(estimates: Sequence[Estimate], pages: str) -> Panel | None:
    latencies = {_mix_and_pause(e): e for e in of_metric(estimates, "latency")}
    bandwidths = {_mix_and_pause(e): e for e in of_metric(estimates, "bandwidth")}
    both = sorted(latencies.keys() & bandwidths.keys(), key=lambda load: (load[0], -load[1]))
    if not both:
        return None
    across, x_symbol = scale_for(
        log_middle([bandwidths[load].value for load in both]), bandwidths[both[0]].unit
    )
    up, y_symbol = scale_for(
        log_middle([latencies[load].value for load in both]), latencies[both[0]].unit
    )
    rows = [_pace_row(load, latencies[load], bandwidths[load], up, across) for load in both]
    names = list(dict.fromkeys(load[0] for load in both))
    x = quantitative(
        "x",
        title=f"bandwidth of the load, STREAM bytes, {x_symbol}",
        scale={"zero": True},
        axis={"tickCount": 8, "format": "~r", "grid": False},
    )
    y = value_axis(f"latency, {y_symbol}, {pages}", zero=True)
    return _loaded_layers(rows, x, y, names).properties(width=WIDTH, height=280)


def _loaded_layers(rows: Sequence[Row], x: Channel, y: Channel, names: Sequence[str]) -> Panel:
    data, base = data_of(rows), {"color": color_of(names)}
    place = {**base, "x": x, "y": y}
    dashed = {**place, "order": quantitative("order"), "strokeDash": dash_of(names)}
    upright = {**base, "x": x, "y": quantitative("low"), "y2": until("high")}
    level = {**base, "y": y, "x": quantitative("left"), "x2": until("right")}
    shaped = {**place, "shape": shape_of(names), "tooltip": tooltip()}
    return layer(
        mark("line", data, dashed, strokeWidth=1.8),
        mark("rule", data, upright),
        mark("rule", data, level),
        mark("point", data, shaped, size=46, filled=True, opacity=1),
    )


def _mix_and_pause(estimate: Estimate) -> tuple[str, int]:
    return str(value_of(estimate, "mix")), number(estimate, "pause")


def _pace_row(
    load: tuple[str, int], latency: Estimate, bandwidth: Estimate, up: float, across: float
) -> Row:
    low, high = _bounds(latency)
    left, right = _bounds(bandwidth)
    mix, pause = load
    return {
        "series": mix,
        "order": -pause,
        "x": short(bandwidth.value / across),
        "left": short(left / across),
        "right": short(right / across),
        "value": short(latency.value / up),
        "low": short(low / up),
        "high": short(high / up),
        "label": f"{value_text(latency)} beside {value_text(bandwidth)}, rest {pause} ns",
    }


def _bounds(estimate: Estimate) -> tuple[float, float]:
    if not estimate.is_bounded:
        return estimate.value, estimate.value
    return estimate.low, estimate.high


def allocation_charts(section: Section) -> list[Chart]:
    """Phases on all threads by way and pages; over threads by pages; allocators side by side."""
    estimates = section.estimates
    linked = tuple(e for e in estimates if not e.point.layout.allocator) or estimates
    charts = [_phases(extreme(linked, "threads"))]
    mapped = where(linked, "way", "map")
    if len({threads(e) for e in mapped}) > 1:
        charts.append(_phases_over_threads(mapped))
    if len({e.point.layout.allocator for e in estimates}) > 1:
        charts.append(_allocators(extreme(estimates, "threads")))
    return [chart for chart in charts if chart is not None]


def _way_and_pages(estimate: Estimate) -> str:
    way, pages = value_of(estimate, "way"), value_of(estimate, "pages")
    return f"{way}, {pages} pages"


def _phase(estimate: Estimate) -> str:
    return estimate.metric.replace("_", " ")


def _phases(estimates: tuple[Estimate, ...]) -> Chart | None:
    found = [e for e in estimates if e.metric in PHASES]
    if not found:
        return None
    scaled = scaled_rows(found, _way_and_pages, _phase)
    rows = [row for row in scaled.rows if row["low"] > 0]
    places = list(dict.fromkeys(_way_and_pages(e) for e in found))
    names = [name.replace("_", " ") for name in PHASES if of_metric(found, name)]
    return draw(
        "memory-allocation-phases",
        f"Phases of allocation, {count_text(threads(found[0]), 'thread', 'threads')}",
        "Time of each phase on a logarithmic axis with 95 % intervals, for each way of allocating "
        "and kind of page: allocate, first touch, second pass, release.",
        dots(rows, log_axis(f"time, {scaled.symbol}", rows), places, names),
        "All threads together, the same bytes in every row.",
    )


def _phases_over_threads(mapped: Sequence[Estimate]) -> Chart:
    panels = []
    names = values_of(mapped, "pages")
    for metric in ("first_touch", "second_pass", "total"):
        found = positive(of_metric(mapped, metric))
        if not found:
            continue
        ordered = sorted(found, key=threads)
        scaled = scaled_rows(ordered, threads, lambda e: str(value_of(e, "pages")))
        x = thread_axis([threads(e) for e in ordered])
        y = log_axis(f"{metric.replace('_', ' ')}, {scaled.symbol}", scaled.rows)
        panels.append(curves(scaled.rows, x, y, names, height=180))
    return draw(
        "memory-allocation-threads",
        "Mapped memory over threads",
        "Time of first touch, of a second pass and of all phases together over the number of "
        "threads on logarithmic axes with 95 % bands, one curve a kind of page.",
        stack(*panels),
        "One block for all threads, each touches its part first.",
    )


def _allocators(estimates: Sequence[Estimate]) -> Chart | None:
    found = [e for e in of_metric(estimates, "total") if value_of(e, "way") != "map"]
    if not found:
        return None
    scaled = scaled_rows(found, lambda e: str(value_of(e, "way")), _allocator)
    rows = [row for row in scaled.rows if row["low"] > 0]
    names = list(dict.fromkeys(_allocator(e) for e in found))
    return draw(
        "memory-allocation-allocators",
        f"Allocators side by side, {layout_text(extreme(estimates, 'threads')[0].point.layout)}",
        "Time to allocate, touch first and release on a logarithmic axis with 95 % intervals, for "
        "each way of allocating and each allocator.",
        dots(rows, log_axis(f"time, {scaled.symbol}", rows), values_of(found, "way"), names),
    )


def _allocator(estimate: Estimate) -> str:
    return estimate.point.layout.allocator or "as linked"


def level_tables(section: Section) -> list[Table]:
    """Size and latency of each level of the memory hierarchy, by page size."""
    result = section.result
    if not result.knees:
        return []
    topology = result.header.machine.topology
    rows = [
        (pages_text(pages), name, level_range_text(knee), knee_text(knee))
        for pages, knees in result.knees.items()
        for name, knee in zip(level_texts(knees, topology), knees, strict=True)
    ]
    columns = ("pages", "level", "where it ends", "latency and 95 % interval")
    return [Table("Levels of the memory hierarchy, found by fit", columns, tuple(rows), (3,))]
