"""Charts of the whole system: start-up and memory over ranks, and a matrix of nodes."""

from __future__ import annotations

import altair as alt

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import scale_for
from machmeter.report.benchmarks.consistency import PairsOfSize, node_name, pairs_by_size
from machmeter.report.benchmarks.curve_charts import Words, curve_chart
from machmeter.report.benchmarks.grids import three_digits
from machmeter.report.benchmarks.pivots import with_interval
from machmeter.report.benchmarks.selection import of_metric
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw, inline
from machmeter.report.drawing.heat import MOST_LABELED, heat_map, log_middle, thresholds
from machmeter.text.labels import RANKS
from machmeter.text.results import result_text

_MOST_PAIRS = 1300


def startup_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of MPI_Init and of the first messages, and memory of a rank, over ranks."""
    charts = []
    for metric, title in (
        ("init", "Time of MPI_Init"),
        ("contact", "Time of the first message with every peer"),
        ("memory", "Memory of a rank after contact with every peer"),
    ):
        words = Words(
            f"network-startup-{metric}",
            title,
            f"{title} over the number of ranks, on the slowest or largest rank; below, the 95 % "
            "interval in percent of the value.",
            title[0].lower() + title[1:] if metric != "init" else "MPI_Init",
        )
        charts += curve_chart(words, of_metric(estimates, metric), RANKS)
    return charts


def consistency_charts(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Node by node: latency of the smallest message, bandwidth of the largest."""
    groups = pairs_by_size(estimates)
    latencies = [group for group in groups if group.metric == "latency"]
    bandwidths = [group for group in groups if group.metric == "bandwidth"]
    charts = []
    for title, chosen in (("Latency", latencies[:1]), ("Bandwidth", bandwidths[-1:])):
        for pairs in chosen:
            charts += _matrix(result, title, pairs)
    return charts


def _matrix(result: RunResult, title: str, pairs: PairsOfSize) -> list[Chart]:
    """No matrix of two nodes, nor of more pairs than a page can hold: the table has the worst."""
    estimates = pairs.estimates
    if len(pairs.places) < 3 or len(estimates) > _MOST_PAIRS:
        return []
    values = [one.value for one in estimates.values()]
    factor, symbol = scale_for(log_middle(values), next(iter(estimates.values())).unit)
    bounds = thresholds([value / factor for value in values])
    small = len(pairs.places) <= MOST_LABELED
    rows = _rows(result, pairs, factor, mirrored=small)
    axis = ([node_name(result, place) for place in pairs.places], "")
    chart = heat_map(rows, axis, axis, (bounds, symbol), symbol)
    framed = _framed(result, pairs, mirrored=small)
    if framed:
        base = alt.Chart(inline(framed))
        frames = base.mark_rect(style="event", filled=False, strokeWidth=2.5 if small else 1.2)
        chart = alt.layer(chart, frames.encode(x="x:O", y="y:O"))
    text = (
        f"{title} as a matrix, node by node, for messages of {pairs.size_text}; "
        f"{len(pairs.outliers)} of {len(estimates)} pairs are worse than usual."
    )
    name = f"network-consistency-{title.lower()}"
    marked = " Framed: worse than usual by more than five deviations, or twice." if framed else ""
    once = "A pair stands on both sides of the diagonal." if small else "A pair stands once."
    note = f"{once} Empty: not measured.{marked}"
    return [draw(name, f"{title} node by node, {pairs.size_text}", text, chart, note)]


def _rows(result: RunResult, pairs: PairsOfSize, factor: float, mirrored: bool) -> list[Row]:
    """mirrored: on both sides of the diagonal, with text; a page cannot hold that of many nodes."""
    rows = []
    outliers = pairs.outliers
    for pair, one in pairs.estimates.items():
        a, b = (node_name(result, place) for place in pair)
        value = one.value / factor
        row = {
            "value": float(f"{value:.4g}"),
            "where": f"{a} – {b}{', worse than usual' if pair in outliers else ''}",
            "label": result_text(one) if mirrored else with_interval(one),
        }
        if mirrored:
            row["text"] = three_digits(value)
            rows.append({"x": a, "y": b, **row})
        rows.append({"x": b, "y": a, **row})
    return rows


def _framed(result: RunResult, pairs: PairsOfSize, mirrored: bool) -> list[Row]:
    """Places of the outliers."""
    named = [tuple(node_name(result, place) for place in pair) for pair in sorted(pairs.outliers)]
    once = [{"x": b, "y": a} for a, b in named]
    return [*once, *({"x": a, "y": b} for a, b in named)] if mirrored else once
