"""Codes by launch modes as one picture, and the table of what it shows."""

from __future__ import annotations

from collections.abc import Iterator

from machmeter.model.layout import LaunchMode
from machmeter.report.benchmarks.groups.modes.matrix import BASELINE, ModeMatrix, ModeRow
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    Data,
    Encoding,
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
from machmeter.report.drawing.panels import WIDTH, tooltip
from machmeter.report.table import Table, TableRow
from machmeter.text.layouts import mode_text
from machmeter.text.numbers import NO_INTERVAL, NOTHING, ValueText
from machmeter.text.plain import plain
from machmeter.text.ratios import comparison_parts, comparison_text
from machmeter.text.results import value_text

# Pixels: a line of a heading, the name of a row, its cells, and what parts it from the next one.
_HEAD_LINE, _NAME, _CELL, _GAP = 15, 20, 40, 8
_ROW = _NAME + _CELL + _GAP
# Of the width of a cell the part that a point of an interval's font takes.
_FONT_PART = 6.8


def matrix_chart(matrix: ModeMatrix) -> Chart:
    """A cell for each code and mode, its interval below its ratio; names stand above their cells,
    so that these have the whole width."""
    heads = [mode_text(mode).replace(" + ", "\n+ ") for mode in matrix.modes]
    top = _HEAD_LINE * (1 + max(text.count("\n") for text in heads)) + _GAP
    rows = list(_rows(matrix, top))
    rows += [{"column": n, "top": 0, "text": text} for n, text in enumerate(heads)]
    height = max(row.get("bottom", row["top"] + _NAME) for row in rows)
    return draw(
        "launch-modes",
        f"What a node does in each launch mode, over {mode_text(BASELINE)}",
        _description(matrix),
        _panel(data_of(rows), len(heads)).properties(width=WIDTH, height=height),
        "Ratio of rates (or of times, turned), above 1 is better, and its 95 % interval by rounds. "
        "Outlined: the best mode of a row; dashed: not distinguishable from it, corrected for "
        "multiple comparisons."
        + " Applications stand below the mean, which does not hold them."
        * bool(matrix.applications),
    )


def matrix_table(matrix: ModeMatrix) -> Table:
    """The same numbers, with the rate of each code that they are ratios to."""
    others = [mode for mode in matrix.modes if mode is not BASELINE]
    each: tuple[TableRow, ...] = ()
    if matrix.each_best is not None:
        dashes = [NOTHING] * len(others)
        each = (
            ("All, each in its best mode", NOTHING, *dashes, comparison_text(matrix.each_best)),
        )
    return Table(
        f"Launch modes: ratio to {mode_text(BASELINE)} with its 95 % interval",
        ("code", f"value with {mode_text(BASELINE)}", *map(mode_text, others), "best mode"),
        (
            *(_table_row(row, matrix) for row in matrix.own_rows),
            *each,
            *(_table_row(row, matrix) for row in matrix.applications),
        ),
        tuple(range(1, 2 + len(others))),
        "Best, tied: the best mode of the row, and those not distinguishable from it. The best "
        "mode of each code is chosen by half of the rounds and compared by the others, and vice "
        "versa.",
    )


def _table_row(row: ModeRow, matrix: ModeMatrix) -> TableRow:
    base = row.results.get(BASELINE)
    value = value_text(base) if base else NOTHING
    cells = [_cell_text(row, mode) for mode in matrix.modes if mode is not BASELINE]
    standing = mode_text(row.best)
    if row.tied:
        standing += f" (tied: {', '.join(map(mode_text, row.tied))})"
    return (row.name, f"{value}{_standing(row, BASELINE)}", *cells, standing)


def _cell_text(row: ModeRow, mode: LaunchMode) -> str:
    if mode not in row.ratios:
        return "no result" if row.results else "not all codes"
    return f"{comparison_text(row.ratios[mode])}{_standing(row, mode)}"


def _standing(row: ModeRow, mode: LaunchMode) -> str:
    return ", best" if mode is row.best else ", tied" if mode in row.tied else ""


def _rows(matrix: ModeMatrix, top: int) -> Iterator[Row]:
    """Names and cells, from `top` on; below all codes the figure of each in its best mode, and
    below that the applications."""
    for row in matrix.own_rows:
        yield from _row(row, matrix, top)
        top += _ROW
    if matrix.each_best is not None:
        each = comparison_text(matrix.each_best)
        yield {"name": f"Each code in its best mode: {each}", "bold": True, "top": top}
        top += _NAME + _GAP
    for row in matrix.applications:
        yield from _row(row, matrix, top)
        top += _ROW


def _row(row: ModeRow, matrix: ModeMatrix, top: int) -> Iterator[Row]:
    yield {"name": plain(row.name, 120), "bold": row is matrix.system, "top": top}
    for column, mode in enumerate(matrix.modes):
        yield {"column": column, "bottom": top + _NAME + _CELL, **_cell(row, mode, top + _NAME)}


def _cell(row: ModeRow, mode: LaunchMode, top: int) -> Row:
    whole, found = _cell_text(row, mode), row.ratios.get(mode)
    parts = comparison_parts(found) if found else ValueText(whole)
    # A cell is narrow: words stand in its two lines.
    ratio, interval = parts if parts.interval else parts.value.partition(" ")[::2]
    if mode is BASELINE:
        ratio, interval, whole = "1", "baseline", "baseline"
    return {
        "top": top,
        "middle": top + _CELL // 2,
        "value": ratio,
        "interval": interval or NO_INTERVAL,
        "best": mode is row.best,
        "shaded": mode is row.best or mode in row.tied,
        "series": mode_text(mode),
        "label": f"{plain(row.name, 120)}: {whole}",
    }


def _panel(data: Data, columns: int) -> Panel:
    scale = {"domain": list(range(columns)), "paddingInner": 0.04, "paddingOuter": 0.02}
    x = ordinal("column", axis=None, scale=scale)
    top, middle = (quantitative(name, axis=None, scale=None) for name in ("top", "middle"))
    box: Encoding = {"x": x, "y": top, "y2": until("bottom")}
    cells = [only("isValid(datum.value)")]
    best, others = ([*cells, only(f"{no}datum.best")] for no in ("", "!"))
    shaded = only("datum.shaded")
    at: Encoding = {"x": x, "y": middle}
    value = {**at, "text": nominal("value")}
    interval = {**at, "text": nominal("interval")}
    name: Encoding = {"x": fixed(0), "y": top, "text": nominal("name")}
    head = {"x": x, "y": top, "text": nominal("text")}
    names = {"align": "left", "baseline": "top", "limit": {"expr": "width"}, "fontSize": 12}
    over = {**box, "tooltip": tooltip()}
    # So that an interval stays within its cell where many share a narrow page.
    small = {"expr": f"min(10, width / {_FONT_PART * columns:g})"}
    accent = {"style": "accent", "filled": False}
    return layer(
        mark("rect", data, box, [*cells, shaded], style="region"),
        mark("rect", data, over, cells, style="outline", filled=False),
        mark("rect", data, box, [*others, shaded], **accent, strokeDash=[3, 3]),
        mark("rect", data, box, best, **accent, strokeWidth=2.5),
        mark("text", data, value, best, style="ink", fontSize=13, fontWeight=700, yOffset=-8),
        mark("text", data, value, others, style="ink", fontSize=13, yOffset=-8),
        mark("text", data, interval, cells, style="ink", fontSize=small, yOffset=9),
        mark("text", data, head, [only("isValid(datum.text)")], lineBreak="\n", baseline="top"),
        mark("text", data, name, [only("datum.bold === false")], style="ink", **names),
        mark("text", data, name, [only("datum.bold")], style="ink", fontWeight=600, **names),
    )


def _description(matrix: ModeMatrix) -> str:
    rows = (
        f"{row.name}: best {mode_text(row.best)}"
        + (f", {comparison_text(row.ratios[row.best])}" if row.best in row.ratios else "")
        for row in matrix.every_row
    )
    text = f"Matrix of codes by launch modes. {'; '.join(rows)}. The table has every number."
    return plain(text, 1000)
