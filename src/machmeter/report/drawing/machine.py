"""Charts of the figures of one machine: along the one number that a group of them varies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from machmeter.analysis.stats.fields import value_of
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SHARE, format_bytes
from machmeter.report.drawing.axes import Row, binary_logarithms, log_axis, value_axis, x_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    Channel,
    Panel,
    data_of,
    layer,
    mark,
    quantitative,
    stack,
)
from machmeter.report.drawing.panels import curves, few, scaled_rows, tooltip
from machmeter.report.views.axis import SIZE, Axis
from machmeter.text.labels import Name, names_of
from machmeter.text.machines import (
    ResultGroup,
    interval_or_origin,
    named_point_labels,
    stated_layout,
)
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.results import value_text

LEAST_POINTS = 3
_AXES = {"threads_per_rank": "threads a rank", "ranks_per_node": "ranks a node"}
_LAYOUT = ("threads_per_rank", "inner_threads", "ranks_per_node", "nodes")
_MOST_ON_AXIS = 2**53
_MOST_DESCRIBED = 6
_MOST_TICKS = 12


class MachineCurve(Struct, frozen=True):
    """What curves are drawn over, and what distinguishes one from another."""

    axis: Axis
    """The quantity on the horizontal axis."""
    series: Name
    """Names the curve that a result is on."""


def group_chart(name: str, group: ResultGroup) -> Chart | None:
    """The curves of a group; None where no curve of it has three points along a number.

    name: unique on the page, fit for a file name. Flagged results carry an exclamation mark.
    """
    line = line_of(group.results)
    if line is None:
        return None
    kept, left = few(group.results, line.series)
    found = sorted(kept, key=line.axis.of)
    names = names_of(kept, line.series)
    scaled = scaled_rows(found, line.axis.of, line.series)
    rows = [row | _tooltip(one) for row, one in zip(scaled.rows, found, strict=True)]
    title = ", ".join(word for word in (plain(group.title, 80), scaled.symbol) if word)
    y = value_axis(title) if _linear(found) else log_axis(title, rows)
    x = _x(line.axis, found)
    return draw(
        name,
        f"{plain(group.title, 100)} over {line.axis.name}",
        _description(found, line, names),
        stack(layer(curves(rows, x, y, names), *_marks(rows, x, y))),
        " ".join(text for text in (_note(found), left) if text),
    )


def line_of(results: Sequence[Estimate]) -> MachineCurve | None:
    """The number along which figures make curves of three points or more; None without one.

    Numbers that grow with it (nodes with cores) do not tell curves apart. Of several the one with
    the longest curve, of those the first of `size`, parameters in order, and the layout.
    """
    best, longest = None, LEAST_POINTS - 1
    numbers = _numbers(results)
    for name in numbers:
        if not all(_on_axis(one, name) for one in results):
            continue
        following = {other for other in numbers if _grows_with(results, name, other)}
        line = MachineCurve(_axis(name), _series(results, {name, *following}))
        length = _longest(results, line)
        if length > longest:
            best, longest = line, length
    return best


def _numbers(results: Sequence[Estimate]) -> list[str]:
    """Parameters and stated fields of the layout that are numbers and vary."""
    own = sorted({name for one in results for name, _ in one.point.parameters})
    own.sort(key=lambda name: name != SIZE.name)
    stated = {name for one in results for name in stated_layout(one)}
    names = [*own, *(name for name in _LAYOUT if name in stated and name not in own)]
    return [name for name in names if len({_number(one, name) for one in results} - {None}) > 1]


def _number(one: Estimate, name: str) -> int | None:
    value = value_of(one, name)
    return value if isinstance(value, int) else None


def _is_parameter(one: Estimate, name: str) -> bool:
    return name in dict(one.point.parameters)


def _on_axis(one: Estimate, name: str) -> bool:
    """Whether the figure has a place there: logarithms begin above 0, but sizes may be 0."""
    if not _is_parameter(one, name) and name not in stated_layout(one):
        return False
    value = _number(one, name)
    return value is not None and (0 if name == SIZE.name else 1) <= value <= _MOST_ON_AXIS


def _grows_with(results: Sequence[Estimate], name: str, other: str) -> bool:
    """Whether `other` has one value for each of `name`, and never turns as `name` grows."""
    found: dict[int, set[int]] = {}
    for one in results:
        at, value = _number(one, name), _number(one, other)
        if at is None or value is None:
            return False
        found.setdefault(at, set()).add(value)
    if any(len(values) > 1 for values in found.values()):
        return False
    along = [next(iter(found[at])) for at in sorted(found)]
    return all(a <= b for a, b in pairwise(along)) or all(a >= b for a, b in pairwise(along))


def _series(results: Sequence[Estimate], but: set[str]) -> Name:
    """Names each figure by what varies, without what is the axis and what grows with it."""
    known = [named_point_labels(one) for one in results]
    names = dict.fromkeys(name for one in known for name in one if name not in but)
    varying = [name for name in names if len({one.get(name) for one in known}) > 1]

    def name_of(one: Estimate) -> str:
        words = named_point_labels(one)
        return ", ".join(words[name] for name in varying if name in words) or "as stated"

    return name_of


def _longest(results: Sequence[Estimate], line: MachineCurve) -> int:
    """Points of the longest curve; 0 where two figures of a curve stand at one value."""
    curve: dict[str, list[int]] = {}
    for one in results:
        curve.setdefault(line.series(one), []).append(line.axis.of(one))
    if any(len(set(along)) < len(along) for along in curve.values()):
        return 0
    return max(map(len, curve.values()))


def _axis(name: str) -> Axis:
    title = _AXES.get(name) or plain(name.replace("_", " "), 60)

    def text(one: Estimate) -> str:
        if name == SIZE.name:
            return format_bytes(_number(one, name) or 0)
        in_layout = name in _LAYOUT and not _is_parameter(one, name)
        return (
            named_point_labels(one).get(name, "")
            if in_layout
            else f"{_number(one, name):,} {title}"
        )

    return Axis(title, lambda one: _number(one, name) or 0, text, (name,))


def _x(axis: Axis, results: Sequence[Estimate]) -> Channel:
    if axis.name == SIZE.name:
        return x_axis(SIZE, results, "size")
    values = sorted({axis.of(one) for one in results})
    if len(values) > _MOST_TICKS:
        return x_axis(axis, results)
    scale = binary_logarithms(values[0], values[-1])
    return quantitative("x", title=axis.name, scale=scale, axis={"values": values, "grid": False})


def _linear(results: Sequence[Estimate]) -> bool:
    return any(one.unit == SHARE or one.value <= 0 or not one.resolved for one in results)


def _tooltip(one: Estimate) -> Row:
    """What the tooltip says of a figure, and whether it is flagged."""
    flag = one.flag
    text = f"{value_text(one)} {interval_or_origin(one)}"
    return {"label": f"{text}; {plain(flag, 300)}" if flag else text, "flagged": bool(flag)}


def _marks(rows: Sequence[Row], x: Channel, y: Channel) -> list[Panel]:
    flagged = [row for row in rows if row["flagged"]]
    if not flagged:
        return []
    bold: dict[str, Any] = {"text": "!", "fontSize": 18, "fontWeight": 700, "dx": 9, "dy": -9}
    place = {"x": x, "y": y, "tooltip": tooltip()}
    return [mark("text", data_of(flagged), place, style="event", **bold)]


def _note(results: Sequence[Estimate]) -> str:
    """How figures without an interval are known, and how many are contradicted."""
    without = list(dict.fromkeys(interval_or_origin(one) for one in results if one.launches == 1))
    flagged = sum(bool(one.flag) for one in results)
    parts = [f"Without intervals: {' or '.join(without)}."] if without else []
    if flagged:
        verb = "is" if flagged == 1 else "are"
        parts.append(
            f"! {count_text(flagged, 'result', 'results')} {verb} flagged, see the caveats."
        )
    return " ".join(parts)


def _description(results: Sequence[Estimate], line: MachineCurve, names: Sequence[str]) -> str:
    """The ends of each curve, as text."""
    parts = []
    for name in names[:_MOST_DESCRIBED]:
        curve = [one for one in results if line.series(one) == name]
        ends = " to ".join(
            f"{value_text(one)} at {line.axis.text(one)}"
            for one in (curve[0], curve[-1])[: len(curve)]
        )
        parts.append(f"{name}: {ends}" if len(names) > 1 else ends)
    more = f"; and {len(names) - _MOST_DESCRIBED} more" if len(names) > _MOST_DESCRIBED else ""
    return f"{plain(results[0].title, 100)}. {'; '.join(parts)}{more}. The table has every value."
