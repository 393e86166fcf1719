"""Charts of the network benchmarks: latency, bandwidth, message rate, overlap."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from machmeter.model.estimate import Estimate
from machmeter.model.run import RunResult
from machmeter.report.axes import log_axis, size_axis, value_axis
from machmeter.report.drawing import Chart, draw
from machmeter.report.panels import Choose, Panel, curves, guide, precision_rows, scaled_rows, stack
from machmeter.report.selection import parameter
from machmeter.report.words import layout_text

PRECISION_NOTE = "Below: the 95 % interval in percent of the value, which a log axis would hide."


def _size(estimate: Estimate) -> int:
    return int(parameter(estimate, "size") or 0)


def _layout(estimate: Estimate) -> str:
    return layout_text(estimate.point.layout)


def _flow(estimate: Estimate) -> str:
    direction = str(parameter(estimate, "direction")).replace("-", " ")
    window = parameter(estimate, "window")
    return direction if window is None else f"{direction}, window {window}"


def _side(estimate: Estimate) -> str:
    work = parameter(estimate, "work_percent")
    side = f"{parameter(estimate, 'side')} side"
    return side if work is None else f"{side}, work {work} % of communication"


def message_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Half round trip over the message size."""
    return [
        draw(
            "network-latency",
            "Half round trip by message size",
            "Half of the round trip time over the message size on logarithmic axes; below, the "
            "95 % interval in percent of the value.",
            _over_sizes(estimates, _layout, "half round trip"),
            PRECISION_NOTE,
        )
    ]


def bandwidth_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Bandwidth and message rate over the message size, one way and both ways."""
    charts = []
    for metric, title in (("bandwidth", "Bandwidth"), ("message_rate", "Message rate")):
        found = tuple(e for e in estimates if e.metric.startswith(metric))
        if found:
            charts.append(
                draw(
                    f"network-{metric.replace('_', '-')}",
                    f"{title} by message size",
                    f"{title} over the message size on logarithmic axes, one way and both ways; "
                    "below, the 95 % interval in percent of the value.",
                    _over_sizes(found, _flow, title.lower()),
                    f"Both ways: the sum of both directions. {PRECISION_NOTE}",
                )
            )
    return charts


def overlap_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Share of work and of communication hidden, over the message size."""
    panels: list[Panel] = []
    for metric in ("communication_hidden", "work_hidden"):
        found = sorted((e for e in estimates if e.metric == metric), key=_size)
        if not found:
            continue
        names = list(dict.fromkeys(_side(e) for e in found))
        title = f"{metric.replace('_', ' ')}, %"
        x = size_axis([_size(e) for e in found], "message size")
        rows = scaled_rows(found, _size, _side).rows
        panel = curves(rows, x, value_axis(title), names, height=210)
        panels.append(alt.layer(*(guide(at, "", vertical=False) for at in (0, 100)), panel))
    if not panels:
        return []
    return [
        draw(
            "network-overlap",
            "Overlap of communication and work",
            "Share of the communication and share of the work hidden over the message size with "
            "95 % bands, sender and receiver apart.",
            stack(*panels),
            "Dashed: none and all hidden. Values outside are shown as measured.",
        )
    ]


def _over_sizes(estimates: Sequence[Estimate], series: Choose, title: str) -> alt.VConcatChart:
    ordered = sorted(estimates, key=_size)
    names = list(dict.fromkeys(series(e) for e in ordered))
    scaled = scaled_rows(ordered, _size, series)
    x = size_axis([_size(e) for e in ordered], "message size")
    upper = curves(scaled.rows, x, log_axis(f"{title}, {scaled.symbol}", scaled.rows), names)
    narrow = precision_rows(ordered, _size, series)
    lower = curves(narrow, x, value_axis("interval, %"), names, height=110)
    return stack(upper, lower)
