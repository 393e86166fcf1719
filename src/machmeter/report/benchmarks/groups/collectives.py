"""Charts of collective operations: barriers, overlap with work."""

from __future__ import annotations

from machmeter.analysis.stats.fields import value_of
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import of_metric, positive, size
from machmeter.report.drawing.axes import linear_x, log_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import side_by_side
from machmeter.report.drawing.panel import Panel, layer
from machmeter.report.drawing.panels import dots, few, guide, scaled_rows
from machmeter.text.labels import distinguishing_label, names_of

_TOGETHER = "Ranks begin together; the last one to end sets the time."


def barrier_charts(section: Section) -> list[Chart]:
    """Time of a barrier by form and start."""
    found = positive(section.estimates)
    if not found:
        return []
    kept, left = few(found, distinguishing_label(found, ("form", "start")))
    name = distinguishing_label(kept, ("form", "start"))
    scaled = scaled_rows(kept, _form_and_start, name)
    chart = dots(
        scaled.rows,
        log_axis(f"slowest rank, {scaled.symbol}", scaled.rows),
        names_of(kept, _form_and_start),
        names_of(kept, name),
    )
    text = "Time of the slowest rank in a barrier, for each form and start, with 95 % intervals."
    return [
        draw("network-barrier", "Time of a barrier", text, chart, f"{_TOGETHER} {left}".strip())
    ]


def _form_and_start(estimate: Estimate) -> str:
    return f"{value_of(estimate, 'form')}, start by {value_of(estimate, 'start')}"


def collective_overlap_charts(section: Section) -> list[Chart]:
    """Both shares hidden, by operation and size."""
    every, without = section.estimates, ("size", "operation")
    kept, left = few(every, distinguishing_label(every, without))
    name = distinguishing_label(kept, without)
    panels: list[Panel] = []
    for metric in ("communication_hidden", "work_hidden"):
        found = [e for e in of_metric(kept, metric) if e.resolved]
        rows = scaled_rows(found, _operation_and_size, name).rows
        if rows:
            x = linear_x(f"{metric.replace('_', ' ')}, %", zero=False)
            categories = names_of(found, _operation_and_size)
            lines = dots(rows, x, categories, names_of(kept, name))
            panels.append(layer(*(guide(at, "", vertical=True) for at in (0, 100)), lines))
    if not panels:
        return []
    text = (
        "Share of the communication and share of the work hidden for each collective operation "
        "and size, with 95 % intervals."
    )
    note = f"Dashed: none and all hidden. {left}".strip()
    title = "Overlap of collective operations and work"
    return [draw("network-collective-overlap", title, text, side_by_side(*panels, columns=2), note)]


def _operation_and_size(estimate: Estimate) -> str:
    return f"{value_of(estimate, 'operation')}, {format_bytes(size(estimate))}"
