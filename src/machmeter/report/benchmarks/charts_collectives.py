"""Charts of collective operations: time by size, forms, starts, injection, overlap."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.curve_charts import Words, curve_chart, multiple_chart
from machmeter.report.benchmarks.selection import (
    of_metric,
    parameter,
    plain_choices,
    positive,
    size,
    values_of,
)
from machmeter.report.benchmarks.variant_pairs import twin_dots, twin_names, twins_of
from machmeter.report.drawing.axes import linear_x, log_x
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import beside
from machmeter.report.drawing.panels import Panel, dots, guide, scaled_rows
from machmeter.text.labels import NODES, RANKS, SIZE, distinguishing_label, few, names_of

_TOGETHER = "Ranks begin together; the last one to end sets the time."
_BESIDE_ONE = "Above 1: faster. Paired by launch."


def operation_of(estimate: Estimate) -> str:
    """The parameter `operation`, as text."""
    return str(parameter(estimate, "operation"))


def collective_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of every operation by size; other forms, starts and datatypes; injection by nodes."""
    times = of_metric(estimates, "time")
    plain = plain_choices(times, "operation")
    words = Words(
        "network-collective",
        "Time of collective operations by size",
        "Time of the slowest rank over the size on logarithmic axes with 95 % bands, a small "
        "panel an operation.",
        "slowest rank",
        _TOGETHER,
    )
    charts = multiple_chart(words, plain, SIZE, operation_of, ("operation",))
    for name, what, than in (
        ("form", "Non-blocking and persistent forms", "the blocking form"),
        ("start", "Started after a barrier", "started by time on synchronized clocks"),
        ("datatype", "Other elements of reductions", "float"),
    ):
        charts += _compared(times, name, what, than)
    return [*charts, *_injection(of_metric(estimates, "injection"))]


def barrier_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of a barrier by form and start."""
    found = positive(estimates)
    if not found:
        return []
    kept, left = few(found, distinguishing_label(found, but=("form", "start")))
    name = distinguishing_label(kept, but=("form", "start"))
    scaled = scaled_rows(kept, _form_and_start, name)
    chart = dots(
        scaled.rows,
        log_x(f"slowest rank, {scaled.symbol}", scaled.rows),
        names_of(kept, _form_and_start),
        names_of(kept, name),
    )
    text = "Time of the slowest rank in a barrier, for each form and start, with 95 % intervals."
    return [
        draw("network-barrier", "Time of a barrier", text, chart, f"{_TOGETHER} {left}".strip())
    ]


def _form_and_start(estimate: Estimate) -> str:
    return f"{parameter(estimate, 'form')}, start by {parameter(estimate, 'start')}"


def _compared(times: Sequence[Estimate], name: str, what: str, than: str) -> list[Chart]:
    """Ratios to the plain value of one parameter, one line an operation, one panel a size."""
    twins = twins_of(plain_choices(times, name, "operation"), name)
    called = twin_names(twins, SIZE, but=("operation",))
    rows = twin_dots(twins, operation_of, lambda e: called[id(e)])
    if not rows:
        return []
    names = list(dict.fromkeys(row["series"] for row in rows))
    panels: list[Panel] = []
    for at in sorted({size(e) for e, _ in twins}):
        of_size = [row for row in rows if row["size"] == at]
        if of_size:
            x = log_x(f"ratio, {format_bytes(at)}", rows)
            lines = dots(of_size, x, values_of([e for e, _ in twins], "operation"), names)
            panels.append(alt.layer(guide(1, "", vertical=True), lines))
    text = f"Ratio of the time of {than} to that of others, for each operation and size, with "
    return [
        draw(
            f"network-collective-{name}",
            f"{what}, over {than}",
            f"{text}95 % intervals.",
            beside(*panels, columns=2),
            _BESIDE_ONE,
        )
    ]


def _injection(rates: Sequence[Estimate]) -> list[Chart]:
    """Bytes that each node injects in an all-to-all: over nodes, else ranks, else sizes."""
    found = [e for e in plain_choices(rates, "operation") if operation_of(e) == "alltoall"]
    if not found:
        return []
    several = [axis for axis in (NODES, RANKS) if len({axis.of(e) for e in found}) > 1]
    axis = several[0] if several else SIZE
    by = "message size" if axis is SIZE else axis.name
    words = Words(
        "network-injection",
        f"All-to-all: injected by each node, by {by}",
        f"Bytes per second that each node injects in an all-to-all over the {by}, on logarithmic "
        "axes; below, the 95 % interval in percent of the value.",
        "injected by each node",
    )
    return curve_chart(words, found, axis)


def collective_overlap_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Both shares hidden, by operation and size."""
    kept, left = few(estimates, distinguishing_label(estimates, SIZE, but=("operation",)))
    name = distinguishing_label(kept, SIZE, but=("operation",))
    panels: list[Panel] = []
    for metric in ("communication_hidden", "work_hidden"):
        found = [e for e in of_metric(kept, metric) if e.resolved]
        rows = scaled_rows(found, _operation_and_size, name).rows
        if rows:
            x = linear_x(f"{metric.replace('_', ' ')}, %", zero=False)
            categories = names_of(found, _operation_and_size)
            lines = dots(rows, x, categories, names_of(kept, name))
            panels.append(alt.layer(*(guide(at, "", vertical=True) for at in (0, 100)), lines))
    if not panels:
        return []
    text = (
        "Share of the communication and share of the work hidden for each collective operation "
        "and size, with 95 % intervals."
    )
    note = f"Dashed: none and all hidden. {left}".strip()
    title = "Overlap of collective operations and work"
    return [draw("network-collective-overlap", title, text, beside(*panels, columns=2), note)]


def _operation_and_size(estimate: Estimate) -> str:
    return f"{operation_of(estimate)}, {format_bytes(size(estimate))}"
