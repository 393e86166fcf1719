"""Building blocks of charts: curves with interval bands, dots with intervals.

Every block draws plain rows: x or category, series, value, low and high in the unit of the axis,
and `label`, the text of the tooltip. Width is set by the page; 640 stands for papers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import altair as alt
from msgspec import Struct

from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SHARE, is_unbounded, scale_for
from machmeter.report.drawing.axes import Row, renamed
from machmeter.report.drawing.chart import inline
from machmeter.report.drawing.panel import Panel, layer
from machmeter.report.drawing.theme import DASHES, SHAPES
from machmeter.text.labels import Name
from machmeter.text.ratios import comparison_text
from machmeter.text.results import result_text

WIDTH = 640
MOST_CURVES = 10
Item = TypeVar("Item")
Choose = Callable[[Estimate], Any]


class Scaled(Struct, frozen=True):
    """Rows in one readable unit, and that unit's symbol for the axis."""

    rows: tuple[Row, ...]
    """Values in that unit."""
    symbol: str
    """For the axis."""


def scaled_rows(estimates: Sequence[Estimate], x: Choose, series: Choose) -> Scaled:
    """Rows of estimates of one unit, on the prefix midway (on logs); shares in percent.

    An overhead below resolution has only its upper bound: it is drawn there, with `resolved` false.
    What one launch says has no interval: it is drawn without a band, an overhead not at all.
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
                "value": short(value / factor),
                "low": short(low / factor),
                "high": short(high / factor),
                "resolved": one.resolved,
                "label": result_text(one),
            }
        )
    return Scaled(tuple(rows), symbol)


def few(estimates: Sequence[Estimate], name: Name) -> tuple[tuple[Estimate, ...], str]:
    """The estimates of as many names as a chart can hold, and words about what is left out."""
    names = list(dict.fromkeys(name(e) for e in estimates))
    kept = set(names[:MOST_CURVES])
    left = len(names) - len(kept)
    note = f"{left} more in the table." if left else ""
    return tuple(e for e in estimates if name(e) in kept), note


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
        rows.append(ratio_row(x(one), series(one), found))
    return tuple(rows)


def ratio_row(x: int | str, series: str, found: Comparison) -> Row:
    """A ratio with its interval and, in its label, its verdict where there is one."""
    verdict = "" if found.verdict is ComparisonVerdict.INCONCLUSIVE else f", {found.verdict.value}"
    return {
        "x": x,
        "series": series,
        "value": short(found.ratio),
        "low": short(found.low),
        "high": short(found.high),
        "resolved": True,
        "label": f"{comparison_text(found)}{verdict}",
    }


def precision_rows(estimates: Sequence[Estimate], x: Choose, series: Choose) -> tuple[Row, ...]:
    """The interval of each estimate in percent of its value, for curves without a reference."""
    return tuple(
        {
            "x": x(e),
            "series": series(e),
            "value": 0,
            "low": short(100 * (e.low / e.value - 1)),
            "high": short(100 * (e.high / e.value - 1)),
            "resolved": True,
            "label": result_text(e),
        }
        for e in estimates
        if e.resolved and e.value > 0 and not is_unbounded(e.high)
    )


def curves(
    rows: Sequence[Row], x: alt.X, y: alt.Y, names: Sequence[str], height: int = 300
) -> Panel:
    """CurveChart with 95 % bands, a mark at each point, tooltips."""
    base = alt.Chart(inline(rows)).encode(x=x, color=color_of(names))
    band = base.mark_area(opacity=0.22, line=False).encode(
        y=renamed(y, "low:Q"),
        y2="high:Q",
    )
    line = base.mark_line(strokeWidth=1.8).encode(y=y, strokeDash=dash_of(names))
    points = base.mark_point(size=36, filled=True, opacity=1).encode(
        y=y, shape=shape_of(names), tooltip=tooltip()
    )
    return layer(band, line, points).properties(width=WIDTH, height=height)


def dots(
    rows: Sequence[Row],
    x: alt.X,
    categories: Sequence[str],
    names: Sequence[str],
    shown: Sequence[str] | None = None,
) -> Panel:
    """One line a category and series: a mark with its 95 % interval.

    names: all series, for color and shape; shown: those that take room here, by default all.
    An upper bound (an overhead below resolution) is an arrow that points to smaller values.
    """
    y = alt.Y("x:N", title=None, sort=list(categories), axis=alt.Axis(labelFontSize=12))
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=list(shown or names), paddingOuter=0.4))
    base = alt.Chart(inline(rows)).encode(y=y, yOffset=offset, color=color_of(names))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=renamed(x, "low:Q"),
        x2="high:Q",
    )
    marks = base.transform_filter("datum.resolved").mark_point(size=60, filled=True, opacity=1)
    bounds = base.transform_filter("!datum.resolved").mark_text(
        text="◀ below", align="left", dx=-4, fontSize=11
    )
    layers = [bars, marks.encode(x=x, shape=shape_of(names), tooltip=tooltip())]
    if any(not row["resolved"] for row in rows):
        layers.append(bounds.encode(x=x, tooltip=tooltip()))
    height = len(categories) * (14 * len(shown or names) + 10)
    return layer(*layers).properties(width=WIDTH, height=height)


def guide(value: float, text: str, vertical: bool) -> Panel:
    """A quiet line at `value` of the value axis, with its name."""
    base = alt.Chart(inline([{"at": value, "name": text}]))
    place: dict[str, Any] = {"x": "at:Q"} if vertical else {"y": "at:Q"}
    rule = base.mark_rule(style="guide").encode(**place)
    if not text:
        return layer(rule)
    name = base.mark_text(style="guide-text", align="right" if vertical else "left", dx=-4, dy=-6)
    pinned: dict[str, Any] = {"y": alt.value(8)} if vertical else {"x": alt.value(6)}
    return layer(rule, name.encode(text="name:N", **place, **pinned))


def _legend(names: Sequence[str]) -> alt.Legend | None:
    return alt.Legend(title=None, symbolOpacity=1) if len(names) > 1 else None


def color_of(names: Sequence[str]) -> alt.Color:
    """Color by series; past the last color they begin again, and shapes distinguish them."""
    return alt.Color("series:N", scale=alt.Scale(domain=list(names)), legend=_legend(names))


def shape_of(names: Sequence[str]) -> alt.Shape:
    """Shape by series, so that color alone never carries the difference."""
    shapes = [_of_round(SHAPES, n) for n in range(len(names))]
    scale = alt.Scale(domain=list(names), range=shapes)
    return alt.Shape("series:N", scale=scale, legend=_legend(names))


def dash_of(names: Sequence[str]) -> alt.StrokeDash:
    """Dash by series, as `shape_of`."""
    dashes = [_of_round(DASHES, n) for n in range(len(names))]
    scale = alt.Scale(domain=list(names), range=dashes)
    return alt.StrokeDash("series:N", scale=scale, legend=_legend(names))


def _of_round(values: Sequence[Item], position: int) -> Item:
    """Each round of the values begins one further: color and value repeat together only late."""
    return values[(position + position // len(values)) % len(values)]


def tooltip() -> list[alt.Tooltip]:
    """The series, and the words of the row."""
    return [alt.Tooltip("series:N", title=" "), alt.Tooltip("label:N", title="  ")]


def short(value: float) -> float:
    """Five digits: more is below every interval and doubles the page."""
    return float(f"{value:.5g}")
