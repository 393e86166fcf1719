"""The roofline as a picture: roofs with their intervals as bands, kernels with theirs as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from machmeter.analysis.scaling.roofline import ridge
from machmeter.benchmarks.compute import FMA
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import FLOPS, scale_for
from machmeter.report.benchmarks.groups.roofline.marks import (
    DOUBLE,
    Roofline,
    RoofMark,
    roofline_of,
)
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row, log_axis, ratio_ticks, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    Channel,
    Panel,
    data_of,
    layer,
    mark,
    quantitative,
    until,
)
from machmeter.report.drawing.panels import (
    WIDTH,
    color_of,
    dash_of,
    shape_of,
    short,
    tooltip,
)
from machmeter.report.views.axis import parameter
from machmeter.text.numbers import count_text
from machmeter.text.results import result_text, value_text

_BEYOND = 2.0  # The axis goes so many times beyond what is drawn.


def roofline_charts(section: Section) -> list[Chart]:
    """The roofline in double precision, on all cores; none without a peak and a bandwidth."""
    found = roofline_of(section.result)
    if found is None or section.name != FMA.name:
        return []
    marks = [one for one in found.marks if one.precision == DOUBLE]
    factor, symbol = scale_for(found.peak.value, FLOPS)
    low, high = _ends(found, marks)
    roofs = list(_roof_rows(found, low, high, factor))
    kernels = list(_mark_rows(marks, factor))
    rows = [*roofs, *kernels]
    ticks = ratio_ticks(low, high)
    x = quantitative(
        "x",
        title="operations per byte",
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis={"values": ticks, "format": "~r", "grid": False},
    )
    names = list(dict.fromkeys(row["series"] for row in rows))
    threads = count_text(found.bandwidth.point.layout.threads, "thread", "threads")
    return [
        draw(
            "compute-roofline",
            f"Roofline in double precision, {threads}",
            "Rate of operations over operations per byte on logarithmic axes: the slope is what "
            f"the memory allows ({value_text(found.bandwidth)}), the level what the cores allow "
            f"({value_text(found.peak)}), each with its 95 % band; kernels below with theirs.",
            _drawn(roofs, kernels, x, log_axis(f"rate, {symbol}", rows), names),
            "Both roofs are measured in this run. How bytes are counted stands in the table.",
        )
    ]


def _drawn(
    roofs: Sequence[Row], kernels: Sequence[Row], x: Channel, y: Channel, names: Sequence[str]
) -> Panel:
    """Roofs as lines with bands, kernels as points with bars."""
    base = {"x": x, "color": color_of(names)}
    within = {"y": renamed(y, "low"), "y2": until("high")}
    lines, points = data_of(roofs), data_of(kernels)
    shaped = {**base, "y": y, "shape": shape_of(names), "tooltip": tooltip()}
    dashed = {**base, "y": y, "strokeDash": dash_of(names)}
    return layer(
        mark("area", lines, base | within, opacity=0.22, line=False),
        mark("line", lines, dashed, strokeWidth=1.8),
        mark("rule", points, base | within, strokeWidth=1.8),
        mark("point", points, shaped, size=60, filled=True, opacity=1),
    ).properties(width=WIDTH, height=380)


def _ends(found: Roofline, marks: Sequence[RoofMark]) -> tuple[float, float]:
    """From the lowest intensity that is drawn to the highest."""
    meeting = ridge(found.peak, found.bandwidth)
    drawn = [meeting, *(one.standing.intensity for one in marks)]
    return short(min(drawn) / _BEYOND), short(max(drawn) * _BEYOND)


def _roof_rows(found: Roofline, low: float, high: float, factor: float) -> Iterator[Row]:
    """The slope up to where it meets the highest peak, and each peak from where it is met."""
    name = f"memory roof, by {parameter(found.bandwidth, 'kernel')}"
    for x in (low, ridge(found.peak, found.bandwidth)):
        yield _row(name, x, found.bandwidth, x / factor)
    for peak in found.peaks:
        name = f"peak, {parameter(peak, 'width')}"
        for x in (max(low, ridge(peak, found.bandwidth)), high):
            yield _row(name, x, peak, 1 / factor)


def _mark_rows(marks: Sequence[RoofMark], factor: float) -> Iterator[Row]:
    for one in marks:
        yield _row(one.name, one.standing.intensity, one.flops, 1 / factor)


def _row(series: str, x: float, estimate: Estimate, times: float) -> Row:
    return {
        "x": short(x),
        "series": series,
        "value": short(estimate.value * times),
        "low": short(estimate.low * times),
        "high": short(estimate.high * times),
        "resolved": True,
        "label": result_text(estimate),
    }
