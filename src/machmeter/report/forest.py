"""The forest plot: ratios of two machines with their intervals, one line a figure, grouped.

The form follows meta-analyses (Lewis and Clarke, "Forest plots: trying to see the wood and the
trees", BMJ 322, 2001): a logarithmic axis, a line at 1, and the numbers beside each mark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
from msgspec import Struct

from machmeter.layout.assign import even_shares
from machmeter.model.compared import Basis, ComparedFigure
from machmeter.model.estimate import Comparison
from machmeter.model.units import is_unbounded
from machmeter.report.axes import Row
from machmeter.report.beside import AS_PRINTED, Compared, group_title, ratio_text
from machmeter.report.drawing import Chart, draw
from machmeter.report.panels import WIDTH, Panel, color_of, guide, shape_of, short
from machmeter.report.words import count_text, plain

MOST_LINES = 36
_STEP = 34
_ABOVE = -11
_BELOW = 6
_ROOM_FOR_NUMBERS = 150


class Line(Struct, frozen=True):
    """One figure of the plot: the benchmark it belongs to, the machine that is set beside."""

    benchmark: str
    figure: ComparedFigure
    other: str


def forest_lines(pairs: Sequence[Compared]) -> tuple[Line, ...]:
    """Every figure that has a ratio, those of one benchmark together, in the order given.

    `other` is what tells the pairs apart: the second machine, or the first where the second is
    always the same.
    """
    second = len({pair.b.id for pair in pairs}) > 1
    lines = [
        Line(figure.a.point.benchmark, figure, plain((pair.b if second else pair.a).title, 60))
        for pair in pairs
        for figure in pair.comparison.figures
        if _drawable(figure)
    ]
    order = {name: n for n, name in enumerate(dict.fromkeys(line.benchmark for line in lines))}
    return tuple(sorted(lines, key=lambda line: order[line.benchmark]))


def forest_chart(name: str, pairs: Sequence[Compared], who: str) -> Chart | None:
    """The plot of all pairs; `who` says what the ratio is, `B over A`. None without a ratio.

    Of more lines than it can hold it draws some of each benchmark, evenly from the first to the
    last, and says so.
    """
    every = forest_lines(pairs)
    if not every:
        return None
    chosen = few_of_each(every)
    names = list(dict.fromkeys(line.other for line in every))
    rows = _rows(chosen, several=len(names) > 1)
    title = f"{plain(who, 140)}: above 1 is better"
    return draw(
        name,
        title,
        _description(chosen, who),
        _panel(rows, names, f"{plain(who, 80)}, logarithmic"),
        _note(every, chosen),
    )


def few_of_each(lines: Sequence[Line], most: int = MOST_LINES) -> tuple[Line, ...]:
    """At most `most` lines (one at least of each benchmark): even steps through those of each.

    Figures come with the largest difference first: even steps show large and small ones alike.
    """
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.benchmark, []).append(line)
    sizes = [len(group) for group in groups.values()]
    shares = even_shares(sizes, min(max(most, len(sizes)), sum(sizes)))
    return tuple(
        line
        for group, share in zip(groups.values(), shares, strict=True)
        for line in _evenly(group, max(share, 1))
    )


def _evenly(group: Sequence[Line], count: int) -> list[Line]:
    if count >= len(group):
        return list(group)
    if count == 1:
        return [group[0]]
    step = (len(group) - 1) / (count - 1)
    return [group[round(i * step)] for i in range(count)]


def _drawable(figure: ComparedFigure) -> bool:
    found = figure.by.get(Basis.AS_MEASURED)
    if figure.points is not None or found is None:
        return False
    if found.ratio <= 0 or not math.isfinite(found.ratio):
        return False
    return figure.as_printed or not is_unbounded(found.high)


def _rows(lines: Sequence[Line], several: bool) -> list[Row]:
    """A heading for each benchmark, then its figures; `y` keeps their order."""
    rows: list[Row] = []
    benchmark = ""
    for line in lines:
        if line.benchmark != benchmark:
            benchmark = line.benchmark
            rows.append({"y": len(rows), "heading": group_title(benchmark)})
        rows.append({"y": len(rows), **_row(line, several)})
    return rows


def _row(line: Line, several: bool) -> Row:
    found = line.figure.by[Basis.AS_MEASURED]
    known = not (line.figure.as_printed or is_unbounded(found.high))
    numbers = ratio_text(found) if known else f"{ratio_text(found)} {AS_PRINTED}"
    name = plain(line.figure.name, 120)
    return {
        "series": line.other,
        "name": f"{name} · {line.other}" if several else name,
        "value": short(found.ratio),
        "low": short(found.low if known else found.ratio),
        "high": short(found.high if known else found.ratio),
        "known": known,
        "numbers": numbers,
        "label": f"{name}: {numbers}",
    }


def _panel(rows: Sequence[Row], names: Sequence[str], title: str) -> Panel:
    data = alt.InlineData(values=list(rows))
    order = alt.Scale(domain=[row["y"] for row in rows], padding=0)
    y = alt.Y("y:O", title=None, axis=None, sort=None, scale=order)
    marks = alt.Chart(data).transform_filter("isValid(datum.value)")
    scale = alt.Scale(type="log", domain=_domain(rows), nice=False)
    axis = alt.Axis(format="~r", tickCount=6, grid=True, orient="bottom")
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
    text = alt.Chart(data).encode(y=y)
    heading = text.transform_filter("isValid(datum.heading)").mark_text(
        style="ink", align="left", fontWeight=600, fontSize=13, limit=alt.ExprRef("width")
    )
    name = text.transform_filter("isValid(datum.value)").mark_text(
        style="ink",
        align="left",
        fontSize=11.5,
        yOffset=_ABOVE,
        limit=alt.ExprRef(f"max(width - {_ROOM_FOR_NUMBERS}, 60)"),
    )
    numbers = text.transform_filter("isValid(datum.value)").mark_text(
        style="ink", align="right", fontSize=11.5, yOffset=_ABOVE
    )
    left, right = alt.value(0), alt.value("width")
    return alt.layer(
        guide(1.0, "", vertical=True),
        interval,
        measured,
        printed,
        heading.encode(x=left, text="heading:N"),
        name.encode(x=left, text="name:N"),
        numbers.encode(x=right, text="numbers:N"),
    ).properties(width=WIDTH, height=_STEP * len(rows))


def _domain(rows: Sequence[Row]) -> list[float]:
    """From below the smallest to above the largest; 1 is always within."""
    ends = [row[end] for row in rows if "value" in row for end in ("low", "high") if row[end] > 0]
    low, high = min(*ends, 0.9), max(*ends, 1.1)
    room = (high / low) ** 0.04
    return [short(low / room), short(high * room)]


def _description(lines: Sequence[Line], who: str) -> str:
    groups: dict[str, list[Comparison]] = {}
    for line in lines:
        groups.setdefault(line.benchmark, []).append(line.figure.by[Basis.AS_MEASURED])
    told = "; ".join(
        f"{group_title(name)}: {count_text(len(found), 'figure', 'figures')}, "
        f"{_span([c.ratio for c in found])}"
        for name, found in groups.items()
    )
    return f"Forest plot, {plain(who, 140)}. {told}. The table has every number."


def _span(ratios: Sequence[float]) -> str:
    if math.isclose(min(ratios), max(ratios)):
        return f"{ratios[0]:.3g}x"
    return f"{min(ratios):.3g}x to {max(ratios):.3g}x"


def _note(every: Sequence[Line], chosen: Sequence[Line]) -> str:
    parts = []
    if any(not is_unbounded(c.high) for c in _ratios(chosen)):
        parts.append("Lines are 95 % intervals.")
    if any(line.figure.as_printed for line in chosen):
        parts.append("A hollow mark is a figure as printed: it has no interval.")
    if len(chosen) < len(every):
        parts.append(
            f"{len(chosen)} of {len(every)} figures, in even steps from the largest difference "
            "to the smallest of each benchmark; the tables have the others."
        )
    return " ".join(parts)


def _ratios(lines: Sequence[Line]) -> list[Comparison]:
    return [line.figure.by[Basis.AS_MEASURED] for line in lines]
