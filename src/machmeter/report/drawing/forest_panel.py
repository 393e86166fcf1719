"""How a forest plot is drawn: a name and its numbers above each mark, on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from machmeter.report.drawing.axes import Row, ratio_ticks
from machmeter.report.drawing.chart import inline
from machmeter.report.drawing.panel import Panel, layer
from machmeter.report.drawing.panels import WIDTH, color_of, shape_of, short

# A mark stands close below its own numbers, and far from those of the next.
_STEP = 40
_ABOVE = -10
_BELOW = 4
_MIDDLE_HEIGHT = 22
_MIDDLE_BELOW = 8
_LETTER = 6.4
_LEAST_NAME = 60


def forest_panel(
    rows: Sequence[Row], names: Sequence[str], title: str, middle: float | None = 1.0
) -> Panel:
    """The plot of rows: those of a `heading`, and those of a `value` with its `low` and `high`.

    y: places from 0 on; `known` is false for a hollow mark; `name` and `numbers` stand above the
    mark, `label` in its tooltip, `series` is one of `names`. title: of the axis, short, for a
    narrow screen has room for no other; middle: where a line parts better from worse.
    """
    data = inline(rows)
    order = alt.Scale(domain=[row["y"] for row in rows], padding=0)
    y = alt.Y("y:O", title=None, axis=None, sort=None, scale=order)
    return layer(
        *_marks(data, y, names, title, _domain(rows, middle), middle),
        *_texts(data, y, _room_for_numbers(rows)),
    ).properties(width=WIDTH, height=_STEP * len(rows))


def _marks(
    data: alt.InlineData,
    y: alt.Y,
    names: Sequence[str],
    title: str,
    domain: Sequence[float],
    middle: float | None,
) -> list[alt.Chart]:
    """The line in the middle, the intervals, and the marks on them: filled ones, and hollow ones.

    Where it would cross the labels, the line in the middle is left out.
    """
    marks = alt.Chart(data).transform_filter("isValid(datum.value)")
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(format="~r", values=ratio_ticks(*domain), grid=True, orient="bottom")
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    color, shape = color_of(names), shape_of(names)
    tip = [alt.Tooltip("series:N", title=" "), alt.Tooltip("label:N", title="  ")]
    interval = marks.mark_rule(strokeWidth=2, yOffset=_BELOW).encode(
        x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q", y=y, color=color
    )
    base = marks.encode(x=x, y=y, color=color, shape=shape, tooltip=tip)
    measured = base.transform_filter("datum.known").mark_point(
        size=70, filled=True, opacity=1, yOffset=_BELOW
    )
    printed = base.transform_filter("!datum.known").mark_point(
        size=80, filled=False, strokeWidth=2, opacity=1, yOffset=_BELOW
    )
    return [*_middle(marks, y, middle), interval, measured, printed]


def _middle(marks: alt.Chart, y: alt.Y, middle: float | None) -> list[alt.Chart]:
    if middle is None:
        return []
    ticks = marks.mark_tick(
        style="guide",
        orient="vertical",
        size=_MIDDLE_HEIGHT,
        thickness=1.5,
        strokeDash=[1, 0],
        yOffset=_MIDDLE_BELOW,
    )
    return [ticks.encode(x=alt.X(datum=middle), y=y)]


def _texts(data: alt.InlineData, y: alt.Y, room: int) -> list[alt.Chart]:
    """Headings, and above each mark its name and its numbers, which take `room` pixels."""
    text = alt.Chart(data).encode(y=y)
    heading = text.transform_filter("isValid(datum.heading)").mark_text(
        style="ink", align="left", fontWeight=600, fontSize=13, limit=alt.ExprRef("width")
    )
    name = text.transform_filter("isValid(datum.value)").mark_text(
        style="ink",
        align="left",
        fontSize=11.5,
        yOffset=_ABOVE,
        limit=alt.ExprRef(f"max(width - {room}, {_LEAST_NAME})"),
    )
    numbers = text.transform_filter("isValid(datum.value)").mark_text(
        style="ink", align="right", fontSize=11.5, yOffset=_ABOVE
    )
    left, right = alt.value(0), alt.value("width")
    return [
        heading.encode(x=left, text="heading:N"),
        name.encode(x=left, text="name:N"),
        numbers.encode(x=right, text="numbers:N"),
    ]


def _room_for_numbers(rows: Sequence[Row]) -> int:
    """Pixels of the longest numbers beside a name."""
    return round(_LETTER * max((len(str(row.get("numbers", ""))) for row in rows), default=0))


def _domain(rows: Sequence[Row], middle: float | None) -> list[float]:
    """From below the smallest to above the largest; the middle is always within."""
    near_middle = [0.9 * middle, 1.1 * middle] if middle else []
    ends = [row[end] for row in rows if "value" in row for end in ("low", "high") if row[end] > 0]
    low, high = min(ends + near_middle), max(ends + near_middle)
    room = (high / low) ** 0.04
    return [short(low / room), short(high * room)]
