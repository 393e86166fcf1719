"""Building blocks of charts: curves with interval bands, dots with intervals.

Every block draws plain rows: x or category, series, value, low and high in the unit of the axis,
and `label`, the text of the tooltip. Width is set by the page; 640 stands for papers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from msgspec import Struct

from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SECONDS, SHARE, is_unbounded, scale_for
from machmeter.report.drawing.axes import Row, renamed
from machmeter.report.drawing.panel import (
    Channel,
    Encoding,
    Panel,
    data_of,
    fixed,
    layer,
    mark,
    nominal,
    only,
    quantitative,
    until,
)
from machmeter.report.drawing.theme import DASHES, SHAPES
from machmeter.text.labels import Name
from machmeter.text.ratios import comparison_text
from machmeter.text.results import result_text

WIDTH = 640
MOST_CURVES = 10
FEWEST_OF_A_CURVE = 3
"""Points of a curve: two are a ratio."""
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

    Rates are on the prefix of the largest where midway it would be 1000 or more.

    An overhead below resolution has only its upper bound: it is drawn there, with `resolved` false.
    What one launch says has no interval: it is drawn without a band, an overhead not at all.
    """
    factor, symbol = 1.0, ""
    known = sorted(abs(e.value) for e in estimates if e.resolved and e.value)
    if estimates:
        unit = estimates[0].unit
        middle = math.sqrt(known[0] * known[-1]) if known else abs(estimates[0].high)
        factor, symbol = (0.01, "%") if unit == SHARE else scale_for(middle, unit)
        if known and unit not in (SECONDS, SHARE) and known[-1] >= 1000 * factor:
            factor, symbol = scale_for(known[-1], unit)
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
        if not found.is_bounded or found.degrees == 0:
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
    """Half the interval of each estimate in percent of its value; without a reference to draw."""
    return tuple(
        {
            "x": x(e),
            "series": series(e),
            **dict.fromkeys(("value", "low", "high"), short(100 * e.precision)),
            "resolved": True,
            "label": result_text(e),
        }
        for e in estimates
        if e.resolved and e.value > 0 and e.is_bounded
    )


def curves(
    rows: Sequence[Row], x: Channel, y: Channel, names: Sequence[str], height: int = 300
) -> Panel:
    """Lines with 95 % bands, a mark at each point, tooltips; lines join neighbors only."""
    return curve_layers(rows, x, y, names, (1.8, 36)).properties(width=WIDTH, height=height)


def curve_layers(
    rows: Sequence[Row],
    x: Channel,
    y: Channel,
    names: Sequence[str],
    sizes: tuple[float, int],
) -> Panel:
    """Bands, lines and marks; sizes: width of the lines and area of the marks, pixels.

    A point without a neighbor has its interval as a bar: a band would have no width.
    """
    pieces = in_pieces(rows)
    data, base = data_of(pieces), {"x": x, "color": color_of(names)}
    broken = any("piece" in row for row in pieces)
    joined = base | ({"detail": nominal("piece")} if broken else {})
    within = {"y": renamed(y, "low"), "y2": until("high")}
    width, area = sizes
    band = mark("area", data, joined | within, opacity=0.22, line=False)
    lone = [only("datum.lone")]
    bars = [mark("rule", data, base | within, lone, strokeWidth=width)] if broken else []
    line = mark("line", data, {**joined, "y": y, "strokeDash": dash_of(names)}, strokeWidth=width)
    shaped = {**base, "y": y, "shape": shape_of(names), "tooltip": tooltip()}
    points = mark("point", data, shaped, size=area, filled=True, opacity=1)
    return layer(band, *bars, line, points)


def in_pieces(rows: Sequence[Row]) -> list[Row]:
    """The rows with the number of their `piece`, from 0: lines join points of one piece.

    A series is broken where it lacks an x that another series of its panel has between two of its
    own. Two values of x make no curve: no points are joined. Rows are as they were where nothing
    is broken.
    """
    xs: dict[Any, list[float]] = {}
    for row in rows:
        xs.setdefault(row.get("panel"), []).append(row["x"])
    places = {
        panel: {at: position for position, at in enumerate(sorted(set(found)))}
        for panel, found in xs.items()
    }
    pieces: dict[tuple[Any, str, float], int] = {}
    for panel, series in dict.fromkeys((row.get("panel"), row["series"]) for row in rows):
        own = {r["x"] for r in rows if (r.get("panel"), r["series"]) == (panel, series)}
        joined = len(places[panel]) >= FEWEST_OF_A_CURVE
        at = sorted(own)
        steps = (places[panel][after] - places[panel][before] for before, after in pairwise(at))
        gaps = [0, *(not joined or step > 1 for step in steps)]
        pieces |= {(panel, series, x): n for x, n in zip(at, accumulate(gaps), strict=True)}
    members = Counter((panel, series, piece) for (panel, series, _), piece in pieces.items())
    if not any(pieces.values()) and 1 not in members.values():
        return list(rows)
    return [row | _place_of(row, pieces, members) for row in rows]


def _place_of(
    row: Row,
    pieces: Mapping[tuple[Any, str, float], int],
    members: Mapping[tuple[Any, str, int], int],
) -> Row:
    """The piece of a point, and whether it is the only one of it."""
    panel, series = row.get("panel"), row["series"]
    piece = pieces[panel, series, row["x"]]
    return {"piece": piece, "lone": members[panel, series, piece] == 1}


def dots(
    rows: Sequence[Row],
    x: Channel,
    categories: Sequence[str],
    names: Sequence[str],
    shown: Sequence[str] | None = None,
) -> Panel:
    """One line a category and series: a mark with its 95 % interval.

    names: all series, for color and shape; shown: those that take room here, by default all.
    An upper bound (an overhead below resolution) is an arrow that points to smaller values.
    """
    data, base = data_of(rows), lines_of(categories, shown or names) | {"color": color_of(names)}
    within = {**base, "x": renamed(x, "low"), "x2": until("high")}
    labeled = {**base, "x": x, "tooltip": tooltip()}
    shaped = {**labeled, "shape": shape_of(names)}
    resolved, below = [only("datum.resolved")], [only("!datum.resolved")]
    layers = [
        mark("rule", data, within, strokeWidth=2),
        mark("point", data, shaped, resolved, size=60, filled=True, opacity=1),
    ]
    if any(not row["resolved"] for row in rows):
        arrow = {"text": "◀ below", "align": "left", "dx": -4, "fontSize": 11}
        layers.append(mark("text", data, labeled, below, **arrow))
    height = len(categories) * (14 * len(shown or names) + 10)
    return layer(*layers).properties(width=WIDTH, height=height)


def lines_of(categories: Sequence[str], names: Sequence[str]) -> Encoding:
    """A line for each category, the field `x`, and in it one for each series."""
    axis = {"labelFontSize": 12}
    return {
        "y": nominal("x", title=None, sort=list(categories), axis=axis),
        "yOffset": nominal("series", scale={"domain": list(names), "paddingOuter": 0.4}),
    }


def guide(value: float, text: str, vertical: bool) -> Panel:
    """A quiet line at `value` of the value axis, with its name."""
    data = data_of([{"at": value, "name": text}])
    place: Encoding = {"x" if vertical else "y": quantitative("at")}
    rule = mark("rule", data, place, style="guide")
    if not text:
        return layer(rule)
    pinned = {"y": fixed(8)} if vertical else {"x": fixed(6)}
    named = {**place, **pinned, "text": nominal("name")}
    style: dict[str, Any] = {
        "style": "guide-text",
        "align": "right" if vertical else "left",
        "dx": -4,
        "dy": -6,
    }
    return layer(rule, mark("text", data, named, **style))


def _legend(names: Sequence[str]) -> Channel | None:
    return {"title": None, "symbolOpacity": 1} if len(names) > 1 else None


def color_of(names: Sequence[str]) -> Channel:
    """Color by series; past the last color they begin again, and shapes distinguish them."""
    return nominal("series", scale={"domain": list(names)}, legend=_legend(names))


def shape_of(names: Sequence[str]) -> Channel:
    """Shape by series, so that color alone never carries the difference."""
    shapes = [_of_round(SHAPES, n) for n in range(len(names))]
    scale = {"domain": list(names), "range": shapes}
    return nominal("series", scale=scale, legend=_legend(names))


def dash_of(names: Sequence[str]) -> Channel:
    """Dash by series, as `shape_of`."""
    dashes = [_of_round(DASHES, n) for n in range(len(names))]
    scale = {"domain": list(names), "range": dashes}
    return nominal("series", scale=scale, legend=_legend(names))


def _of_round(values: Sequence[Item], position: int) -> Item:
    """Each round of the values begins one further: color and value repeat together only late."""
    return values[(position + position // len(values)) % len(values)]


def tooltip() -> list[Channel]:
    """The series, and the words of the row."""
    return [nominal("series", title=" "), nominal("label", title="  ")]


def short(value: float) -> float:
    """Five digits: more is below every interval and doubles the page."""
    return float(f"{value:.5g}")
