"""Building blocks of charts: curves with interval bands, dots with intervals, their axes.

Every block draws plain rows: x or category, series, value, low and high in the unit of the axis,
and `label`, the text of the tooltip. Width is set by the page; 640 stands for papers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import altair as alt
from msgspec import Struct

from machmeter.analysis.comparison import compare_estimates
from machmeter.model.estimate import ComparisonVerdict, Estimate
from machmeter.model.units import SHARE, is_unbounded, scale_for
from machmeter.report.theme import DASHES, SHAPES
from machmeter.report.words import figure_text

WIDTH = 640
SHARED: Literal["shared"] = "shared"
AxisOf = TypeVar("AxisOf", alt.X, alt.Y)
Row = dict[str, Any]
Panel = alt.LayerChart | alt.FacetChart
Choose = Callable[[Estimate], Any]

BYTES_LABEL = (
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, '~g') + ' GiB' : "
    "datum.value >= 1048576 ? format(datum.value / 1048576, '~g') + ' MiB' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '~g') + ' KiB' : datum.value + ' B'"
)


class Scaled(Struct, frozen=True):
    """Rows in one readable unit, and that unit's symbol for the axis."""

    rows: tuple[Row, ...]
    symbol: str


def scaled_rows(estimates: Sequence[Estimate], x: Choose, series: Choose) -> Scaled:
    """Rows of estimates of one unit, on the prefix midway (on logs); shares in percent.

    An unresolved overhead has only its upper bound: it is drawn there, with `resolved` false. What
    one launch says has no interval: it is drawn without a band, an overhead not at all.
    """
    factor, symbol = 1.0, ""
    known = sorted(abs(e.value) for e in estimates if e.resolved and e.value)
    if estimates:
        unit = estimates[0].unit
        middle = math.sqrt(known[0] * known[-1]) if known else abs(estimates[0].high)
        factor, symbol = (0.01, "%") if unit == SHARE else scale_for(middle, unit)
    rows = []
    for one in estimates:
        low, value, high = (one.low, one.value, one.high) if one.resolved else (one.high,) * 3
        if is_unbounded(high):
            low = high = one.value
        if is_unbounded(value):
            continue
        rows.append(
            {
                "x": x(one),
                "series": series(one),
                "value": _short(value / factor),
                "low": _short(low / factor),
                "high": _short(high / factor),
                "resolved": one.resolved,
                "label": figure_text(one),
            }
        )
    return Scaled(tuple(rows), symbol)


def ratio_rows(
    estimates: Sequence[Estimate], x: Choose, series: Choose, reference: str
) -> tuple[Row, ...]:
    """Each estimate over that of the reference series at the same x; above 1 is better.

    Launches are interleaved, so the comparison is paired.
    """
    base = {x(e): e for e in estimates if series(e) == reference}
    rows = []
    for one in estimates:
        if series(one) == reference or x(one) not in base:
            continue
        found = compare_estimates(one, base[x(one)], paired=True)
        if is_unbounded(found.high) or found.degrees == 0:
            continue
        verdict = "" if found.verdict is ComparisonVerdict.SAME else f", {found.verdict.value}"
        rows.append(
            {
                "x": x(one),
                "series": series(one),
                "value": _short(found.ratio),
                "low": _short(found.low),
                "high": _short(found.high),
                "resolved": True,
                "label": f"{found.ratio:.2f}x [{found.low:.2f}, {found.high:.2f}]{verdict}",
            }
        )
    return tuple(rows)


def precision_rows(estimates: Sequence[Estimate], x: Choose, series: Choose) -> tuple[Row, ...]:
    """The interval of each estimate in percent of its value, for curves without a reference."""
    return tuple(
        {
            "x": x(e),
            "series": series(e),
            "value": 0,
            "low": _short(100 * (e.low / e.value - 1)),
            "high": _short(100 * (e.high / e.value - 1)),
            "resolved": True,
            "label": figure_text(e),
        }
        for e in estimates
        if e.resolved and e.value > 0 and not is_unbounded(e.high)
    )


def size_axis(sizes: Sequence[int], title: str = "size") -> alt.X:
    """A binary logarithmic axis of bytes; symmetric around zero where a size is 0."""
    positive = sorted({s for s in sizes if s > 0})
    low, high = (positive[0], positive[-1]) if positive else (1, 2)
    step = max(1, round((math.log2(high) - math.log2(low)) / 9))
    first = math.ceil(math.log2(low))
    ticks = [2**power for power in range(first, math.floor(math.log2(high)) + 1, step)]
    zero = 0 in sizes
    scale = (
        alt.Scale(type="symlog", constant=1, domain=[0, high], nice=False)
        if zero
        else alt.Scale(type="log", base=2, domain=[low, high], nice=False)
    )
    axis = alt.Axis(values=[0, *ticks] if zero else ticks, labelExpr=BYTES_LABEL, grid=False)
    return alt.X("x:Q", title=title, scale=scale, axis=axis)


def thread_axis(counts: Sequence[int]) -> alt.X:
    """Threads: every count where few, powers of two on a logarithmic axis where many."""
    every = sorted(set(counts))
    if len(every) <= 12 and every[-1] <= 16:
        return alt.X("x:O", title="threads", axis=alt.Axis(labelAngle=0))
    ticks = [2**power for power in range(math.floor(math.log2(every[-1])) + 1)]
    scale = alt.Scale(type="log", base=2, domain=[every[0], every[-1]], nice=False)
    return alt.X("x:Q", title="threads", scale=scale, axis=alt.Axis(values=ticks, grid=False))


def value_axis(title: str, zero: bool = False) -> alt.Y:
    """A linear axis of values."""
    scale = alt.Scale(zero=zero)
    return alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6, format="~r"))


def log_axis(title: str, rows: Sequence[Row]) -> alt.Y:
    """A logarithmic axis over the intervals of `rows`."""
    ticks = log_ticks(rows)
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
    return alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(values=ticks, format="~r"))


def log_x(title: str, rows: Sequence[Row]) -> alt.X:
    """As `log_axis`, for dots."""
    ticks = log_ticks(rows)
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
    return alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(values=ticks, format="~r"))


def linear_x(title: str, zero: bool) -> alt.X:
    """A linear axis for dots."""
    scale = alt.Scale(domainMin=0) if zero else alt.Scale(zero=False)
    return alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=8, format="~r"))


def log_ticks(rows: Sequence[Row]) -> list[float]:
    """Ticks that hold all intervals: decades where they span many, else 1, 2 and 5 of each."""
    low = min((row["low"] for row in rows if row["low"] > 0), default=1.0)
    high = max((row["high"] for row in rows if row["high"] > 0), default=10.0)
    high = max(high, 1.01 * low)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1,) if last - first > 3 else (1, 2, 5)
    every = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
    start = max((t for t in every if t <= low), default=every[0])
    end = min((t for t in every if t >= high), default=every[-1])
    return [tick for tick in every if start <= tick <= end]


def curves(
    rows: Sequence[Row], x: alt.X, y: alt.Y, names: Sequence[str], height: int = 300
) -> Panel:
    """Curves with 95 % bands, a mark at each point, tooltips."""
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(x=x, color=_color(names))
    band = base.mark_area(opacity=0.22, line=False).encode(
        y=_renamed(y, "low:Q"),
        y2="high:Q",
    )
    line = base.mark_line(strokeWidth=1.8).encode(y=y, strokeDash=_dash(names))
    points = base.mark_point(size=36, filled=True, opacity=1).encode(
        y=y, shape=_shape(names), tooltip=_tooltip()
    )
    return alt.layer(band, line, points).properties(width=WIDTH, height=height)


def dots(
    rows: Sequence[Row],
    x: alt.X,
    categories: Sequence[str],
    names: Sequence[str],
    shown: Sequence[str] | None = None,
) -> Panel:
    """One line a category and series: a mark with its 95 % interval.

    names: all series, for color and shape; shown: those that take room here, by default all.
    An upper bound (an unresolved overhead) is an arrow that points to smaller values.
    """
    y = alt.Y("x:N", title=None, sort=list(categories), axis=alt.Axis(labelFontSize=12))
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=list(shown or names), paddingOuter=0.4))
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        y=y, yOffset=offset, color=_color(names)
    )
    bars = base.mark_rule(strokeWidth=2).encode(
        x=_renamed(x, "low:Q"),
        x2="high:Q",
    )
    marks = base.transform_filter("datum.resolved").mark_point(size=60, filled=True, opacity=1)
    bounds = base.transform_filter("!datum.resolved").mark_text(
        text="◀ below", align="left", dx=-4, fontSize=11
    )
    layers = [bars, marks.encode(x=x, shape=_shape(names), tooltip=_tooltip())]
    if any(not row["resolved"] for row in rows):
        layers.append(bounds.encode(x=x, tooltip=_tooltip()))
    height = len(categories) * (14 * len(shown or names) + 10)
    return alt.layer(*layers).properties(width=WIDTH, height=height)


def guide(value: float, text: str, vertical: bool) -> Panel:
    """A quiet line at `value` of the value axis, with its name."""
    base = alt.Chart(alt.InlineData(values=[{"at": value, "name": text}]))
    place: dict[str, Any] = {"x": "at:Q"} if vertical else {"y": "at:Q"}
    rule = base.mark_rule(style="guide").encode(**place)
    if not text:
        return alt.layer(rule)
    name = base.mark_text(style="guide-text", align="right" if vertical else "left", dx=-4, dy=-6)
    pinned: dict[str, Any] = {"y": alt.value(8)} if vertical else {"x": alt.value(6)}
    return alt.layer(rule, name.encode(text="name:N", **place, **pinned))


def stack(*panels: Panel) -> alt.VConcatChart:
    """Panels one below the other, on one set of series."""
    stacked = alt.vconcat(*panels)
    stacked.resolve = alt.Resolve(
        scale=alt.ScaleResolveMap(color=SHARED, shape=SHARED, strokeDash=SHARED)
    )
    return stacked


def _renamed(axis: AxisOf, field: str) -> AxisOf:
    """The same axis over another field."""
    other = axis.copy()
    other["shorthand"] = field
    return other


def _legend(names: Sequence[str]) -> alt.Legend | None:
    return alt.Legend(title=None, symbolOpacity=1) if len(names) > 1 else None


def _color(names: Sequence[str]) -> alt.Color:
    return alt.Color("series:N", scale=alt.Scale(domain=list(names)), legend=_legend(names))


def _shape(names: Sequence[str]) -> alt.Shape:
    shapes = [SHAPES[n % len(SHAPES)] for n in range(len(names))]
    scale = alt.Scale(domain=list(names), range=shapes)
    return alt.Shape("series:N", scale=scale, legend=_legend(names))


def _dash(names: Sequence[str]) -> alt.StrokeDash:
    dashes = [DASHES[n % len(DASHES)] for n in range(len(names))]
    scale = alt.Scale(domain=list(names), range=dashes)
    return alt.StrokeDash("series:N", scale=scale, legend=_legend(names))


def _tooltip() -> list[alt.Tooltip]:
    return [alt.Tooltip("series:N", title=" "), alt.Tooltip("label:N", title="  ")]


def _short(value: float) -> float:
    """Five digits: more is below every interval and doubles the page."""
    return float(f"{value:.5g}")
