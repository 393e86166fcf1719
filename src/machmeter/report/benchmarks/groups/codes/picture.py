"""Efficiency over threads as small panels, one for each code."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.report.benchmarks.groups.codes.code_scaling import CodeScaling
from machmeter.report.drawing.axes import Row, count_axis, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    data_of,
    facet,
    layer,
    mark,
    nominal,
    quantitative,
    until,
)
from machmeter.report.drawing.panels import WIDTH, color_of, shape_of, short, tooltip
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.scaling import efficiency_text

_COLUMNS = 4
_SPACING = 14
_HEIGHT = 74
_LONGEST = 34
_LINES = r"split(datum.label, '\n')"


class EfficiencyLine(Struct, frozen=True):
    """A line of a panel."""

    panel: tuple[str, ...]
    """What stands above the panel, line by line."""
    series: str
    """Beside those of other panels that are drawn the same way."""
    code: CodeScaling
    """What is drawn."""


def efficiency_chart(drawn: Sequence[EfficiencyLine], title: str, note: str) -> Chart:
    """Percent of the rate of the fewest threads that each thread keeps; note: what panels and lines
    are."""
    rows: list[Row] = [
        {
            "panel": "\n".join(plain(text, _LONGEST) for text in one.panel),
            "series": plain(one.series, _LONGEST),
            "x": threads,
            "value": short(100 * efficiency.value),
            "low": short(100 * (efficiency.low if efficiency.is_bounded else efficiency.value)),
            "high": short(100 * (efficiency.high if efficiency.is_bounded else efficiency.value)),
            "label": f"{count_text(threads, 'thread', 'threads')}: {efficiency_text(efficiency)}",
        }
        for one in drawn
        for threads, efficiency in zip(one.code.threads, one.code.efficiencies, strict=True)
    ]
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    top = max(110.0, *(float(row["value"]) * 1.05 for row in rows))
    x = count_axis([int(row["x"]) for row in rows], "threads")
    y = quantitative(
        "value",
        title=None,
        scale={"domain": [0, short(top)], "nice": False},
        axis={"values": [0, 50, 100]},
    )
    data = data_of(rows)
    base = {"x": x, "color": color_of(names)}
    lines = layer(
        mark(
            "area",
            data,
            {**base, "y": renamed(y, "low"), "y2": until("high")},
            opacity=0.18,
            line=False,
            clip=True,
        ),
        mark("line", data, {**base, "y": y}, strokeWidth=1.6),
        mark(
            "point",
            data,
            {**base, "y": y, "shape": shape_of(names), "tooltip": tooltip()},
            size=30,
            filled=False,
        ),
    ).properties(width=WIDTH // _COLUMNS - 46, height=_HEIGHT)
    header = {"title": None, "labelFontSize": 11.5, "labelFontWeight": 500, "labelExpr": _LINES}
    by = nominal("panel", sort=list(dict.fromkeys(row["panel"] for row in rows)), header=header)
    return draw(
        "codes-efficiency",
        title,
        f"A small panel for each of {len({one.code.name for one in drawn})} codes. {note} The "
        "table has every number.",
        facet(lines, by, _COLUMNS, _SPACING),
        note,
    )
