"""Charts of memory under load and of allocation."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes, is_unbounded, scale_for
from machmeter.report.benchmarks.selection import (
    most_threads,
    number,
    of_metric,
    parameter,
    positive,
    threads,
    values_of,
    where,
)
from machmeter.report.drawing.axes import Row, log_axis, log_x, thread_axis
from machmeter.report.drawing.chart import Chart, draw, inline
from machmeter.report.drawing.heat import log_middle
from machmeter.report.drawing.panels import (
    WIDTH,
    Panel,
    color_of,
    curves,
    dash_of,
    dots,
    scaled_rows,
    shape_of,
    short,
    stack,
    tooltip,
)
from machmeter.text.layouts import layout_text
from machmeter.text.numbers import count_text
from machmeter.text.results import value_text

PHASES = ("allocate", "first_touch", "second_pass", "release")


def loaded_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Latency against bandwidth, one curve a mix; one panel a page size."""
    panels = []
    for pages in sorted({e.point.layout.page_bytes for e in estimates}):
        found = [e for e in estimates if e.point.layout.page_bytes == pages]
        panel = _against(most_threads(found), f"{format_bytes(pages)} pages")
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


def _against(estimates: Sequence[Estimate], pages: str) -> Panel | None:
    latencies = {_load(e): e for e in of_metric(estimates, "latency")}
    bandwidths = {_load(e): e for e in of_metric(estimates, "bandwidth")}
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
    x = alt.X(
        "x:Q",
        title=f"bandwidth of the load, STREAM bytes, {x_symbol}",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(tickCount=8, format="~r", grid=False),
    )
    y = alt.Y(
        "value:Q",
        title=f"latency, {y_symbol}, {pages}",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(tickCount=6, format="~r"),
    )
    base = alt.Chart(inline(rows)).encode(color=color_of(names))
    line = base.mark_line(strokeWidth=1.8).encode(
        x=x, y=y, order="order:Q", strokeDash=dash_of(names)
    )
    upright = base.mark_rule().encode(x=x, y="low:Q", y2="high:Q")
    level = base.mark_rule().encode(y=y, x="left:Q", x2="right:Q")
    marks = base.mark_point(size=46, filled=True, opacity=1).encode(
        x=x, y=y, shape=shape_of(names), tooltip=tooltip()
    )
    return alt.layer(line, upright, level, marks).properties(width=WIDTH, height=280)


def _load(estimate: Estimate) -> tuple[str, int]:
    return str(parameter(estimate, "mix")), number(estimate, "pause")


def _pace_row(
    load: tuple[str, int], latency: Estimate, bandwidth: Estimate, up: float, across: float
) -> Row:
    low, high = _ends(latency)
    left, right = _ends(bandwidth)
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


def _ends(estimate: Estimate) -> tuple[float, float]:
    if is_unbounded(estimate.high):
        return estimate.value, estimate.value
    return estimate.low, estimate.high


def allocation_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Phases on all threads by way and pages; over threads by pages; allocators side by side."""
    linked = tuple(e for e in estimates if not e.point.layout.allocator) or estimates
    charts = [_phases(most_threads(linked))]
    mapped = where(linked, "way", "map")
    if len({threads(e) for e in mapped}) > 1:
        charts.append(_phases_over_threads(mapped))
    if len({e.point.layout.allocator for e in estimates}) > 1:
        charts.append(_allocators(most_threads(estimates)))
    return [chart for chart in charts if chart is not None]


def _place(estimate: Estimate) -> str:
    way, pages = parameter(estimate, "way"), parameter(estimate, "pages")
    return f"{way}, {pages} pages"


def _phase(estimate: Estimate) -> str:
    return estimate.metric.replace("_", " ")


def _phases(estimates: tuple[Estimate, ...]) -> Chart | None:
    found = [e for e in estimates if e.metric in PHASES]
    if not found:
        return None
    scaled = scaled_rows(found, _place, _phase)
    rows = [row for row in scaled.rows if row["low"] > 0]
    places = list(dict.fromkeys(_place(e) for e in found))
    names = [name.replace("_", " ") for name in PHASES if of_metric(found, name)]
    return draw(
        "memory-allocation-phases",
        f"Phases of allocation, {count_text(threads(found[0]), 'thread', 'threads')}",
        "Time of each phase on a logarithmic axis with 95 % intervals, for each way of allocating "
        "and kind of page: allocate, first touch, second pass, release.",
        dots(rows, log_x(f"time, {scaled.symbol}", rows), places, names),
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
        scaled = scaled_rows(ordered, threads, lambda e: str(parameter(e, "pages")))
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
    found = [e for e in of_metric(estimates, "total") if parameter(e, "way") != "map"]
    if not found:
        return None
    scaled = scaled_rows(found, lambda e: str(parameter(e, "way")), _allocator)
    rows = [row for row in scaled.rows if row["low"] > 0]
    names = list(dict.fromkeys(_allocator(e) for e in found))
    return draw(
        "memory-allocation-allocators",
        f"Allocators side by side, {layout_text(most_threads(estimates)[0].point.layout)}",
        "Time to allocate, touch first and release on a logarithmic axis with 95 % intervals, for "
        "each way of allocating and each allocator.",
        dots(rows, log_x(f"time, {scaled.symbol}", rows), values_of(found, "way"), names),
    )


def _allocator(estimate: Estimate) -> str:
    return estimate.point.layout.allocator or "as linked"
