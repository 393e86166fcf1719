"""The roofline as a picture: roofs with their intervals as bands, kernels with theirs as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from machmeter.analysis.scaling.roofline import ridge
from machmeter.analysis.stats.fields import value_of
from machmeter.benchmarks.compute import FMA
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import FLOPS, scale_for
from machmeter.report.benchmarks.groups.roofline.marks import Roofline, RoofMark, roofline_of
from machmeter.report.benchmarks.groups.roofline.roofs import DOUBLE, Roofs
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row, log_axis, ratio_ticks, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
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
from machmeter.text.numbers import count_text
from machmeter.text.results import result_text, value_text

_BEYOND = 2.0  # The axis goes so many times beyond what is drawn.
_SLOPE = 8.0  # Where no kernel is drawn, that far below the first ridge.


def roofline_charts(section: Section) -> list[Chart]:
    """The roofline in double precision, on all cores; none without a peak and a bandwidth."""
    found = roofline_of(section.result)
    if found is None or section.name != FMA.name:
        return []
    marks = [one for one in found.marks if one.precision == DOUBLE]
    peak, bandwidth = found.roofs.peak, found.roofs.bandwidth
    factor, symbol = scale_for(peak.value, FLOPS)
    slopes = _slopes(found)
    meeting = [ridge(peak, slope) for slope in slopes.values()]
    ends = _ends([*meeting, *(one.standing.intensity for one in marks)])
    roofs = list(_roof_rows(found.roofs, slopes, ends, factor))
    kernels = list(_mark_rows(marks, factor))
    threads = count_text(bandwidth.point.layout.threads, "thread", "threads")
    return [
        draw(
            "compute-roofline",
            f"Roofline in double precision, {threads}",
            "Rate of operations over operations per byte on logarithmic axes: the slope is what "
            f"the memory allows ({value_text(bandwidth)}), the level what the cores allow "
            f"({value_text(peak)}), each with its 95 % band; kernels below with theirs.",
            _drawn(roofs, kernels, ends, symbol),
            "Roofs are measured in this run. How bytes are counted stands in the table.",
        )
    ]


def compared_chart(
    name: str, title: str, description: str, machines: Sequence[tuple[str, Roofs]]
) -> Chart:
    """The highest roofs of several, each by its name, in one picture."""
    meeting = [ridge(roofs.peak, roofs.bandwidth) for _, roofs in machines]
    ends = _ends([min(meeting) / _SLOPE, *meeting])
    factor, symbol = scale_for(max(roofs.peak.value for _, roofs in machines), FLOPS)
    rows = [
        _row(one, x, limit, (x if limit is roofs.bandwidth else 1) / factor)
        for (one, roofs), bend in zip(machines, meeting, strict=True)
        for x, limit in (
            (ends[0], roofs.bandwidth),
            (bend, roofs.peak),
            (ends[1], roofs.peak),
        )
    ]
    return draw(name, title, description, _drawn(rows, [], ends, symbol))


def _drawn(
    roofs: Sequence[Row], kernels: Sequence[Row], ends: tuple[float, float], symbol: str
) -> Panel:
    """Roofs as lines with bands, kernels as points with bars."""
    rows = [*roofs, *kernels]
    names = list(dict.fromkeys(row["series"] for row in rows))
    x = quantitative(
        "x",
        title="operations per byte",
        scale={"type": "log", "domain": list(ends), "nice": False},
        axis={"values": ratio_ticks(*ends), "format": "~r", "grid": False},
    )
    y = log_axis(f"rate, {symbol}", rows)
    base = {"x": x, "color": color_of(names)}
    within = {"y": renamed(y, "low"), "y2": until("high")}
    lines, points = data_of(roofs), data_of(kernels)
    shaped = {**base, "y": y, "shape": shape_of(names), "tooltip": tooltip()}
    dashed = {**base, "y": y, "strokeDash": dash_of(names)}
    marks = (
        mark("rule", points, base | within, strokeWidth=1.8),
        mark("point", points, shaped, size=60, filled=True, opacity=1),
    )
    return layer(
        mark("area", lines, base | within, opacity=0.22, line=False),
        mark("line", lines, dashed, strokeWidth=1.8),
        *(marks if kernels else ()),
    ).properties(width=WIDTH, height=380)


def _ends(drawn: Sequence[float]) -> tuple[float, float]:
    """From below the lowest intensity that is drawn to above the highest."""
    return short(min(drawn) / _BEYOND), short(max(drawn) * _BEYOND)


def _slopes(found: Roofline) -> dict[str, Estimate]:
    """The bandwidths that limit, by their names as roofs, the highest first."""
    memory = found.roofs.bandwidth
    caches = {f"{one.name} roof": one.bandwidth for one in found.caches}
    return caches | {f"memory roof, by {value_of(memory, 'kernel')}": memory}


def _roof_rows(
    roofs: Roofs, slopes: Mapping[str, Estimate], ends: tuple[float, float], factor: float
) -> Iterator[Row]:
    """Each slope up to where it meets the highest peak, and each peak from where it is met."""
    low, high = ends
    for name, slope in slopes.items():
        for x in (low, ridge(roofs.peak, slope)):
            yield _row(name, x, slope, x / factor)
    steepest = next(iter(slopes.values()))
    for peak in roofs.peaks:
        name = f"peak, {value_of(peak, 'width')}"
        for x in (max(low, ridge(peak, steepest)), high):
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
