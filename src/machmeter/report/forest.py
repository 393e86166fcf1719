"""The forest plot: ratios of two machines with their intervals, one line a figure, grouped.

The form follows meta-analyses (Lewis and Clarke, "Forest plots: trying to see the wood and the
trees", BMJ 322, 2001): a logarithmic axis, a line at 1, and the numbers beside each mark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import altair as alt
from msgspec import Struct

from machmeter.benchmarks.catalogue import is_primary
from machmeter.layout.assign import even_shares
from machmeter.model.compared import Basis, ComparedFigure
from machmeter.model.estimate import Comparison
from machmeter.model.units import is_unbounded
from machmeter.report.axes import Row, ratio_ticks
from machmeter.report.beside import AS_PRINTED, Compared, group_title, ratio_text
from machmeter.report.drawing import Chart, draw
from machmeter.report.panels import WIDTH, Panel, color_of, shape_of, short
from machmeter.report.words import count_text, plain

MOST_LINES = 36
# A mark stands close below its own numbers, and far from those of the next.
_STEP = 40
_ABOVE = -10
_BELOW = 4
_MIDDLE_HEIGHT = 22
_MIDDLE_BELOW = 8
_LETTER = 6.4
_LEAST_NAME = 60
Item = TypeVar("Item")


class Line(Struct, frozen=True):
    """One figure of the plot: the benchmark it belongs to, the machine that is set beside."""

    benchmark: str
    figure: ComparedFigure
    other: str


def forest_lines(pairs: Sequence[Compared]) -> tuple[Line, ...]:
    """Every figure that has a ratio, those of one benchmark together, and in it all of a figure.

    What follows from another figure of its point (bus bytes from STREAM bytes) has no line beside
    that one: it would draw one ratio twice.
    `other` is what tells the pairs apart: the second machine, or the first where the second is
    always the same.
    """
    second = len({pair.b.id for pair in pairs}) > 1
    lines = [
        Line(figure.a.point.benchmark, figure, plain((pair.b if second else pair.a).title, 60))
        for pair in pairs
        for figure in _by_themselves(pair.comparison.figures)
    ]
    order = {name: n for n, name in enumerate(dict.fromkeys(line.benchmark for line in lines))}
    within = {one: n for n, one in enumerate(dict.fromkeys(map(_figure_of, lines)))}
    return tuple(sorted(lines, key=lambda x: (order[x.benchmark], within[_figure_of(x)])))


def _figure_of(line: Line) -> tuple[str, str, str]:
    """What lines of several machines are of."""
    one = line.figure.a
    return line.benchmark, one.point.key, one.metric


def _by_themselves(figures: Sequence[ComparedFigure]) -> list[ComparedFigure]:
    every = [figure for figure in figures if _drawable(figure)]
    primary = {_point_of(one) for one in every if _is_primary(one)}
    return [one for one in every if _is_primary(one) or _point_of(one) not in primary]


def _point_of(figure: ComparedFigure) -> tuple[str, str]:
    return figure.a.point.benchmark, figure.a.point.key


def _is_primary(figure: ComparedFigure) -> bool:
    return is_primary(figure.a.point.benchmark, figure.a.metric)


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
        forest_panel(rows, names, "ratio, logarithmic"),
        _note(every, chosen),
    )


def few_of_each(lines: Sequence[Line], most: int = MOST_LINES) -> tuple[Line, ...]:
    """At most `most` lines, but one figure at least of each benchmark: even steps through them.

    Figures come with the largest difference first: even steps show large and small ones alike. One
    that is drawn is drawn of all machines; those that more machines have are drawn first.
    """
    groups: dict[str, dict[tuple[str, str, str], list[Line]]] = {}
    for line in lines:
        groups.setdefault(line.benchmark, {}).setdefault(_figure_of(line), []).append(line)
    figures = [list(group.values()) for group in groups.values()]
    sizes = [len(group) for group in figures]
    fewest = len(sizes)
    for count in range(max(min(most, sum(sizes)), fewest), fewest - 1, -1):
        shares = even_shares(sizes, count)
        chosen = [
            line
            for group, share in zip(figures, shares, strict=True)
            for of in _few_figures(group, max(share, 1))
            for line in of
        ]
        if len(chosen) <= most:
            break
    return tuple(chosen) if lines else ()


def _few_figures(group: Sequence[list[Line]], count: int) -> list[list[Line]]:
    widest = max(map(len, group))
    common = [n for n, of in enumerate(group) if len(of) == widest]
    others = [n for n, of in enumerate(group) if len(of) < widest]
    first = evenly(common, min(count, len(common)))
    return [group[n] for n in sorted([*first, *evenly(others, count - len(first))])]


def evenly(group: Sequence[Item], count: int) -> list[Item]:
    """`count` of the group, in even steps from its first to its last."""
    if count >= len(group):
        return list(group)
    if count < 2:
        return list(group[:count])
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
    """A heading for each benchmark, then its figures; `y` keeps their order.

    What all figures of a benchmark are called stands in its heading alone.
    """
    rows: list[Row] = []
    for benchmark in dict.fromkeys(line.benchmark for line in lines):
        group = [line for line in lines if line.benchmark == benchmark]
        common = _common_title(group)
        rows.append({"y": len(rows), "heading": f"{group_title(benchmark)}{common}"})
        for line in group:
            rows.append({"y": len(rows), **_row(line, several, common.removeprefix(": "))})
    return rows


def _common_title(group: Sequence[Line]) -> str:
    """What all these figures are called, where their names say more than that."""
    title = group[0].figure.a.title
    return f": {title}" if all(one.figure.name.startswith(f"{title}: ") for one in group) else ""


def _row(line: Line, several: bool, heading: str) -> Row:
    found = line.figure.by[Basis.AS_MEASURED]
    known = not (line.figure.as_printed or is_unbounded(found.high))
    numbers = ratio_text(found) if known else f"{ratio_text(found)} {AS_PRINTED}"
    flags = _flags(line.figure)
    numbers += ", contradicted" * bool(flags)
    name = plain(line.figure.name.removeprefix(f"{heading}: "), 120)
    return {
        "series": line.other,
        "name": f"{name} · {line.other}" if several else name,
        "value": short(found.ratio),
        "low": short(found.low if known else found.ratio),
        "high": short(found.high if known else found.ratio),
        "known": known,
        "numbers": numbers,
        "label": "; ".join((f"{name}: {numbers}", *flags)),
    }


def _flags(figure: ComparedFigure) -> list[str]:
    """What contradicts the figures of a line, by their own sources."""
    told = (one.words.get("flag", "") for one in (figure.a, figure.b))
    return [plain(flag, 200) for flag in dict.fromkeys(told) if flag]


def forest_panel(
    rows: Sequence[Row], names: Sequence[str], title: str, middle: float | None = 1.0
) -> Panel:
    """The plot of rows: those of a `heading`, and those of a `value` with its `low` and `high`.

    y: places from 0 on; `known` is false for a hollow mark; `name` and `numbers` stand above the
    mark, `label` in its tooltip, `series` is one of `names`. title: of the axis, short, for a
    narrow screen has room for no other; middle: where a line parts better from worse.
    """
    data = alt.InlineData(values=list(rows))
    order = alt.Scale(domain=[row["y"] for row in rows], padding=0)
    y = alt.Y("y:O", title=None, axis=None, sort=None, scale=order)
    marks = alt.Chart(data).transform_filter("isValid(datum.value)")
    domain = _domain(rows, middle)
    scale = alt.Scale(type="log", domain=domain, nice=False)
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
    text = alt.Chart(data).encode(y=y)
    heading = text.transform_filter("isValid(datum.heading)").mark_text(
        style="ink", align="left", fontWeight=600, fontSize=13, limit=alt.ExprRef("width")
    )
    name = text.transform_filter("isValid(datum.value)").mark_text(
        style="ink",
        align="left",
        fontSize=11.5,
        yOffset=_ABOVE,
        limit=alt.ExprRef(f"max(width - {_room_for_numbers(rows)}, {_LEAST_NAME})"),
    )
    # Where it would cross the labels, the line in the middle is left out.
    middle_marks = marks.mark_tick(
        style="guide",
        orient="vertical",
        size=_MIDDLE_HEIGHT,
        thickness=1.5,
        strokeDash=[1, 0],
        yOffset=_MIDDLE_BELOW,
    )
    numbers = text.transform_filter("isValid(datum.value)").mark_text(
        style="ink", align="right", fontSize=11.5, yOffset=_ABOVE
    )
    left, right = alt.value(0), alt.value("width")
    return alt.layer(
        *([middle_marks.encode(x=alt.X(datum=middle), y=y)] if middle else []),
        interval,
        measured,
        printed,
        heading.encode(x=left, text="heading:N"),
        name.encode(x=left, text="name:N"),
        numbers.encode(x=right, text="numbers:N"),
    ).properties(width=WIDTH, height=_STEP * len(rows))


def _room_for_numbers(rows: Sequence[Row]) -> int:
    """Pixels of the longest numbers beside a name."""
    return round(_LETTER * max((len(str(row.get("numbers", ""))) for row in rows), default=0))


def _domain(rows: Sequence[Row], middle: float | None) -> list[float]:
    """From below the smallest to above the largest; the middle is always within."""
    around = [0.9 * middle, 1.1 * middle] if middle else []
    ends = [row[end] for row in rows if "value" in row for end in ("low", "high") if row[end] > 0]
    low, high = min(ends + around), max(ends + around)
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
    if any(_flags(line.figure) for line in chosen):
        parts.append("Contradicted: by its own source; the table says by what.")
    if len(chosen) < len(every):
        parts.append(
            f"{len(chosen)} of {len(every)} figures, in even steps from the largest difference "
            "to the smallest of each benchmark; the tables have the others."
        )
    return " ".join(parts)


def _ratios(lines: Sequence[Line]) -> list[Comparison]:
    return [line.figure.by[Basis.AS_MEASURED] for line in lines]
