"""How a forest plot is drawn: a name and its numbers above each mark, on one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.report.drawing.axes import Row, ratio_ticks, renamed
from machmeter.report.drawing.panel import (
    Channel,
    Data,
    Panel,
    data_of,
    fixed,
    layer,
    mark,
    nominal,
    only,
    ordinal,
    quantitative,
    until,
)
from machmeter.report.drawing.panels import WIDTH, color_of, shape_of, short, tooltip

# A mark stands close below its own numbers, and far from those of the next.
_STEP = 40
_ABOVE = -10
_BELOW = 4
_MIDDLE_HEIGHT = 22
_MIDDLE_BELOW = 8
_LETTER = 6.4
_LEAST_NAME = 60
# About 1 % to either side of results that are all alike: far more than rounding takes away.
_LEAST_SPAN = 1.02
_RESULTS = only("isValid(datum.value)")


def forest_panel(
    rows: Sequence[Row], names: Sequence[str], title: str, middle: float | None = 1.0
) -> Panel:
    """The plot of rows: those of a `heading`, and those of a `value` with its `low` and `high`.

    y: places from 0 on; `known` is false for a hollow mark; `name` and `numbers` stand above the
    mark, `label` in its tooltip, `series` is one of `names`; rows with `shaded` have a background.
    title: of the axis, short, for a
    narrow screen has room for no other; middle: where a line parts better from worse.
    """
    data = data_of(rows)
    order = {"domain": [row["y"] for row in rows], "padding": 0}
    y = ordinal("y", title=None, axis=None, sort=None, scale=order)
    return layer(
        *_backgrounds(data, y, rows),
        *_marks(data, y, names, title, _domain(rows, middle), middle),
        *_texts(data, y, _room_for_numbers(rows)),
    ).properties(width=WIDTH, height=_STEP * len(rows))


def _marks(
    data: Data,
    y: Channel,
    names: Sequence[str],
    title: str,
    domain: Sequence[float],
    middle: float | None,
) -> list[Panel]:
    """The line in the middle, the intervals, and the marks on them: filled ones, and hollow ones.

    Where it would cross the labels, the line in the middle is left out.
    """
    scale = {"type": "log", "domain": list(domain), "nice": False}
    axis = {"format": "~r", "values": ratio_ticks(*domain), "grid": True, "orient": "bottom"}
    x = quantitative("value", title=title, scale=scale, axis=axis)
    base = {"y": y, "color": color_of(names)}
    within = {**base, "x": renamed(x, "low"), "x2": until("high")}
    shaped = {**base, "x": x, "shape": shape_of(names), "tooltip": tooltip()}
    known, printed = [_RESULTS, only("datum.known")], [_RESULTS, only("!datum.known")]
    solid = {"size": 70, "filled": True, "opacity": 1}
    hollow = {"size": 80, "filled": False, "strokeWidth": 2, "opacity": 1}
    return [
        *_middle(data, y, middle),
        mark("rule", data, within, [_RESULTS], strokeWidth=2, yOffset=_BELOW),
        mark("point", data, shaped, known, **solid, yOffset=_BELOW),
        mark("point", data, shaped, printed, **hollow, yOffset=_BELOW),
    ]


def _backgrounds(data: Data, y: Channel, rows: Sequence[Row]) -> list[Panel]:
    if not any(row.get("shaded") for row in rows):
        return []
    across = {"x": fixed(0), "x2": fixed("width"), "y": y}
    return [mark("rect", data, across, [only("datum.shaded")], style="region")]


def _middle(data: Data, y: Channel, middle: float | None) -> list[Panel]:
    if middle is None:
        return []
    ticks = {"orient": "vertical", "size": _MIDDLE_HEIGHT, "thickness": 1.5, "strokeDash": [1, 0]}
    place = {"x": {"datum": middle}, "y": y}
    return [mark("tick", data, place, [_RESULTS], style="guide", **ticks, yOffset=_MIDDLE_BELOW)]


def _texts(data: Data, y: Channel, room: int) -> list[Panel]:
    """Headings, and above each mark its name and its numbers, which take `room` pixels."""
    left, right = {"x": fixed(0), "y": y}, {"x": fixed("width"), "y": y}
    bold = {"fontWeight": 600, "fontSize": 13, "limit": {"expr": "width"}}
    small = {"style": "ink", "fontSize": 11.5, "yOffset": _ABOVE}
    limit = {"expr": f"max(width - {room}, {_LEAST_NAME})"}
    headings = [only("isValid(datum.heading)")]
    heading, name = {**left, "text": nominal("heading")}, {**left, "text": nominal("name")}
    numbers = {**right, "text": nominal("numbers")}
    return [
        mark("text", data, heading, headings, style="ink", align="left", **bold),
        mark("text", data, name, [_RESULTS], align="left", limit=limit, **small),
        mark("text", data, numbers, [_RESULTS], align="right", **small),
    ]


def _room_for_numbers(rows: Sequence[Row]) -> int:
    """Pixels of the longest numbers beside a name."""
    return round(_LETTER * max((len(str(row.get("numbers", ""))) for row in rows), default=0))


def _domain(rows: Sequence[Row], middle: float | None) -> list[float]:
    """From below the smallest to above the largest, which differ; the middle is always within."""
    near_middle = [0.9 * middle, 1.1 * middle] if middle else []
    ends = [row[end] for row in rows if "value" in row for end in ("low", "high") if row[end] > 0]
    low, high = min(ends + near_middle), max(ends + near_middle)
    room = max((high / low) ** 0.04, math.sqrt(_LEAST_SPAN * low / high))
    return [short(low / room), short(high * room)]
