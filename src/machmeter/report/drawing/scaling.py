"""Charts of scaling: speedup over the count with the laws fitted to it, and its table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from machmeter.analysis.scaling.steps import inverse, times
from machmeter.model.benchmark import Direction
from machmeter.model.interval import Interval
from machmeter.model.results.scaling import CurvePoint, FittedLaw, Problem, Scaling
from machmeter.model.units import scale_for
from machmeter.report.drawing.axes import Row, binary_logarithms, log_axis, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import Channel, Panel, data_of, layer, mark, quantitative, until
from machmeter.report.drawing.panels import WIDTH, color_of, dash_of, shape_of, short, tooltip
from machmeter.text.machines import within_a_line
from machmeter.text.scaling import (
    count_value_text,
    counted,
    efficiency_text,
    speedup_text,
)

MOST_LAWS = 3
_MEASURED = "measured"
_PRINTED = "published"
_IN_PROPORTION = "ideal"
_HEIGHT = 320


def scaling_chart(scaling: Scaling) -> Chart:
    """Speedup (of a cost, the cost) over the count: figures, the best laws, their intervals.

    Laws are drawn up to twice the largest count, which a line marks.
    """
    cost = scaling.problem is Problem.COST
    scale = scale_for(scaling.results[0].value.value, scaling.unit) if cost else (1.0, "")
    laws = scaling.laws[:MOST_LAWS]
    figures = _measured_rows(scaling, scale[0], cost=cost)
    curves = [row for law in laws for row in _law_rows(law, scaling, scale[0], cost=cost)]
    guide = [] if cost else _proportion_rows(scaling)
    title = f"{within_a_line(scaling.title)}, {scale[1]}" if cost else _speedup_title(scaling)
    chart = _layers(scaling, figures, [*curves, *guide], title)
    what = "the cost" if cost else "speedup and ideal speedup"
    return draw(
        chart_name(scaling),
        scaling.name,
        f"{scaling.name}: {what} over {scaling.axis.value} on logarithmic axes with 95 % intervals,"
        f" with the curves of {len(laws)} laws up to twice the largest count.",
        chart,
        _note(scaling, laws),
    )


def chart_name(scaling: Scaling) -> str:
    """A name fit for a file."""
    words = f"scaling-{scaling.benchmark}-{scaling.name}-{scaling.axis.value}".lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:120]


def _layers(scaling: Scaling, figures: Sequence[Row], curves: Sequence[Row], title: str) -> Panel:
    names = list(dict.fromkeys(str(row["series"]) for row in (*figures, *curves)))
    x = _count_axis(scaling)
    y = log_axis(title, figures)
    laws, measured = data_of(curves), data_of(figures)
    base = {"x": x, "color": color_of(names)}
    within = {**base, "y": renamed(y, "low"), "y2": until("high")}
    dashed = {**base, "y": y, "strokeDash": dash_of(names)}
    shaped = {**base, "y": y, "shape": shape_of(names), "tooltip": tooltip()}
    return layer(
        mark("area", laws, within, opacity=0.15, line=False, clip=True),
        mark("line", laws, dashed, strokeWidth=1.8, clip=True),
        mark("rule", measured, within, strokeWidth=2),
        mark("point", measured, shaped, size=60, filled=True, opacity=1),
        _end_of_data(scaling),
    ).properties(width=WIDTH, height=_HEIGHT)


def _count_axis(scaling: Scaling) -> Channel:
    counts = [one.count for one in scaling.results]
    ends = [counts[0], 2 * counts[-1]]
    axis = {"values": [*counts, ends[1]], "grid": False}
    scale = binary_logarithms(*ends)
    return quantitative("x", title=scaling.axis.value, scale=scale, axis=axis)


def _end_of_data(scaling: Scaling) -> Panel:
    at = [{"x": scaling.results[-1].count}]
    return layer(mark("rule", data_of(at), {"x": quantitative("x")}, style="guide"))


def _measured_rows(scaling: Scaling, factor: float, *, cost: bool) -> list[Row]:
    rows = []
    for one in scaling.results:
        shown = one.value if cost else one.speedup
        label = count_value_text(one, scaling)
        if not cost:
            label = f"{speedup_text(one.speedup)}, {efficiency_text(one.efficiency)}; {label}"
        at = counted(one.count, scaling.axis)
        series = scaling.origin.value if scaling.origin.is_own else _PRINTED
        rows.append(_row(one.count, series, shown, factor, f"{at}: {label}"))
    return rows


def _law_rows(law: FittedLaw, scaling: Scaling, factor: float, *, cost: bool) -> list[Row]:
    return [
        _row(
            point.count,
            law.law.value,
            point.value if cost else _speedup(point, scaling),
            factor,
            law.formula,
        )
        for point in law.curve
    ]


def _speedup(point: CurvePoint, scaling: Scaling) -> Interval:
    """Over the result of the smallest count, which a law need not pass through."""
    first = scaling.results[0]
    if scaling.direction is Direction.HIGHER:
        return times(point.value, 1 / first.value.value)
    work = point.count / first.count if scaling.problem is Problem.GROWING else 1.0
    return times(inverse(point.value), work * first.value.value)


def _proportion_rows(scaling: Scaling) -> list[Row]:
    first, last = scaling.results[0].count, 2 * scaling.results[-1].count
    return [
        _row(count, _IN_PROPORTION, Interval(count / first), 1.0, _IN_PROPORTION)
        for count in (first, last)
    ]


def _row(count: float, series: str, interval: Interval, factor: float, label: str) -> Row:
    value = interval.value
    known = interval.is_bounded
    low, high = (interval.low, interval.high) if known else (value, value)
    return {
        "x": short(count),
        "series": series,
        "value": short(value / factor),
        "low": short(low / factor),
        "high": short(high / factor),
        "label": label,
    }


def _speedup_title(scaling: Scaling) -> str:
    return f"speedup over {counted(scaling.results[0].count, scaling.axis)}"


def _note(scaling: Scaling, laws: Sequence[FittedLaw]) -> str:
    parts = ["The vertical line marks the largest count measured; beyond it laws extrapolate."]
    left = len(scaling.laws) - len(laws)
    if left:
        parts.append(f"{left} more in the table of laws.")
    if not laws:
        parts = [*scaling.notes]
    return " ".join(parts)
