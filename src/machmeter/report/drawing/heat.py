"""Building blocks of charts: heat maps, ranges over pairs, and small multiples."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from machmeter.report.drawing.axes import Row, renamed
from machmeter.report.drawing.panel import (
    Channel,
    Panel,
    concat,
    data_of,
    facet,
    layer,
    mark,
    nominal,
    only,
    ordinal,
    until,
)
from machmeter.report.drawing.panels import (
    WIDTH,
    color_of,
    curve_layers,
    lines_of,
    shape_of,
    tooltip,
)
from machmeter.report.drawing.theme import HEAT_STEPS

MOST_LABELED = 10
_RATIO_OF_LOGARITHMS = 5.0


def thresholds(values: Sequence[float]) -> list[float]:
    """Bounds between the steps of color, on three digits: even, on logs where values span 5 x."""
    low, high = min(values), max(values)
    if high <= low or (low <= 0 and high <= 0):
        return [high]
    steps = range(1, HEAT_STEPS)
    if low > 0 and high / low >= _RATIO_OF_LOGARITHMS:
        bounds = [low * (high / low) ** (n / HEAT_STEPS) for n in steps]
    else:
        bounds = [low + (high - low) * n / HEAT_STEPS for n in steps]
    return sorted({float(f"{bound:.3g}") for bound in bounds})


def heat_map(
    rows: Sequence[Row],
    x: tuple[Sequence[int | str], str],
    y: tuple[Sequence[int | str], str],
    scale: tuple[Sequence[float], str],
    title: str = "",
) -> Panel:
    """Cells colored by `value`, with their text inside where they are few, else with a legend.

    rows: x, y, value, text, where, label; x, y: the places in order and the title of the axis;
    scale: the bounds between colors, which maps that are compared share, and the symbol of their
    unit.
    """
    bounds, symbol = scale
    steps = _step_names(bounds, symbol)
    labeled = max(len(x[0]), len(y[0])) <= MOST_LABELED
    axis = {"labelAngle": 0, "grid": False, "domain": False, "ticks": False}
    data = data_of(row | {"step": steps[bisect_right(bounds, row["value"])]} for row in rows)
    place = {
        "x": ordinal("x", title=x[1], scale={"domain": list(x[0])}, axis=axis),
        "y": ordinal("y", title=y[1], scale={"domain": list(y[0])}, axis=axis),
    }
    legend = None if labeled else {"title": None, "symbolType": "square", "symbolSize": 160}
    color = ordinal("step", scale={"domain": steps, "range": "heatmap"}, legend=legend)
    tip = [nominal("where", title=" "), nominal("label", title="  ")]
    layers = [mark("rect", data, {**place, "color": color, "tooltip": tip}, stroke=None)]
    if labeled:
        layers.append(mark("text", data, {**place, "text": nominal("text")}, fontSize=11))
    side = len(y[0])
    height = max(34 * side, 70) if side <= MOST_LABELED else 300
    named: dict[str, Any] = {"title": title} if title else {}
    return layer(*layers).properties(width=WIDTH, height=height, **named)


def _step_names(bounds: Sequence[float], symbol: str) -> list[str]:
    """What each color stands for, from the lowest on."""
    ends = [f"{bound:g} {symbol}" for bound in bounds]
    between = [f"to {end}" for end in ends]
    return [*between, f"from {ends[-1]}"]


def side_by_side(*panels: Panel, columns: int = 3) -> Panel:
    """Panels side by side, fewer in a row where a page has no room for that."""
    if len(panels) == 1:
        return panels[0]
    columns = min(columns, len(panels))
    narrow = [panel.properties(width=WIDTH // columns - 40) for panel in panels]
    return concat(*narrow, columns=columns)


def ranges(
    rows: Sequence[Row], x: Channel, categories: Sequence[str], names: Sequence[str]
) -> Panel:
    """One line a category and series: lowest to highest, the middle half, the middle.

    rows: x (category), series, low, first, value, third, high, label; the middle half is drawn
    where `boxed` is true.
    """
    data, base = data_of(rows), lines_of(categories, names) | {"color": color_of(names)}
    whole = {**base, "x": renamed(x, "low"), "x2": until("high")}
    half = {**base, "x": renamed(x, "first"), "x2": until("third")}
    middle = {**base, "x": x, "shape": shape_of(names), "tooltip": tooltip()}
    height = len(categories) * (15 * len(names) + 10)
    return layer(
        mark("rule", data, whole, strokeWidth=1.5),
        mark("rule", data, half, [only("datum.boxed")], strokeWidth=8, opacity=0.35),
        mark("point", data, middle, size=60, filled=True, opacity=1),
    ).properties(width=WIDTH, height=height)


def multiples(
    rows: Sequence[Row],
    x: Channel,
    y: Channel,
    panels: Sequence[str],
    names: Sequence[str],
    columns: int = 4,
) -> Panel:
    """Small curves side by side on the same axes, one a `panel` of the rows."""
    header = {"title": None, "labelFontSize": 12, "labelFontWeight": 500}
    curves = curve_layers(rows, x, y, names, (1.6, 26))
    curves = curves.properties(width=WIDTH // columns - 40, height=120)
    by = nominal("panel", sort=list(panels), header=header)
    return facet(curves, by, columns, spacing=12)


def log_middle(values: Sequence[float]) -> float:
    """The value midway on logs, for choosing the prefix of a unit; 0 where none is positive."""
    positive = [value for value in values if value > 0]
    return math.sqrt(min(positive) * max(positive)) if positive else 0.0
