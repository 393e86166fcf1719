"""Charts of curves: estimates along an axis, named by what tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import altair as alt
from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SHARE
from machmeter.report.benchmarks.selection import positive
from machmeter.report.benchmarks.variant_pairs import VariantPair, twin_names, twin_rows
from machmeter.report.drawing.axes import count_axis, log_axis, size_axis, value_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import beside, multiples
from machmeter.report.drawing.panels import Panel, curves, guide, precision_rows, scaled_rows, stack
from machmeter.text.labels import SIZE, Axis, Name, distinguishing_label, few, names_of

PRECISION_NOTE = "Below: the 95 % interval in percent of the value, which a log axis would hide."
_PANELS_IN_A_ROW = 3
# More bands over one another cannot be told apart; tooltips and tables have the intervals.
_MOST_BANDS = 3


class Words(Struct, frozen=True):
    """Name, title and description of a chart, the title of its value axis, and its note."""

    name: str
    title: str
    description: str
    value: str
    note: str = ""


def x_axis(axis: Axis, estimates: Sequence[Estimate], title: str = "") -> alt.X:
    """Bytes on binary logarithms; counts one by one, or on logarithms where many."""
    values = [axis.of(e) for e in estimates]
    if axis is SIZE:
        return size_axis(values, title or "message size")
    return count_axis(values, title or axis.name)


def curve_chart(
    words: Words,
    estimates: Sequence[Estimate],
    axis: Axis,
    but: tuple[str, ...] = (),
    layers: Callable[[alt.X, float], list[Panel]] | None = None,
) -> list[Chart]:
    """Curves on a logarithmic value axis with their precision below; no chart of a single point.

    but: circumstances that do not make a curve of their own; layers: what else is drawn on the
    axis, given the factor between the unit's base and the value axis.
    """
    found, left = _drawable(estimates, axis, but)
    if len({axis.of(e) for e in found}) < 2:
        return []
    name = distinguishing_label(found, axis, but=but)
    names, x = names_of(found, name), x_axis(axis, found)
    scaled = scaled_rows(found, axis.of, name)
    y = log_axis(f"{words.value}, {scaled.symbol}", scaled.rows)
    upper = curves(scaled.rows, x, y, names)
    if layers:
        factor = found[0].value / scaled.rows[0]["value"]
        upper = alt.layer(*layers(x, factor), upper)
    few_enough = len(names) <= _MOST_BANDS
    narrow = precision_rows(found, axis.of, name) if few_enough else ()
    panels = [upper]
    if narrow:
        panels.append(curves(narrow, x, value_axis("interval, %"), names, height=110))
    note = " ".join(text for text in (words.note, PRECISION_NOTE if narrow else "", left) if text)
    return [draw(words.name, words.title, words.description, stack(*panels), note)]


def panel_chart(
    words: Words,
    estimates: Sequence[Estimate],
    axis: Axis,
    panel: Name,
    group: Name,
    but: tuple[str, ...] = (),
    columns: int = 2,
) -> list[Chart]:
    """Panels side by side, one for each name that `panel` gives; those of a group share an axis."""
    found, left = _drawable(estimates, axis, but)
    if len({axis.of(e) for e in found}) < 2:
        return []
    name = distinguishing_label(found, axis, but=but)
    names, panels = names_of(found, name), []
    for title in names_of(found, panel):
        of_panel = [e for e in found if panel(e) == title]
        together = [e for e in found if group(e) == group(of_panel[0])]
        scaled = scaled_rows(together, axis.of, name)
        rows = [r for r, e in zip(scaled.rows, together, strict=True) if panel(e) == title]
        y = log_axis(f"{words.value}, {scaled.symbol}", scaled.rows)
        curve = curves(rows, x_axis(axis, found), y, names, height=170)
        panels.append(curve.properties(title=title))
    chart = beside(*panels, columns=columns)
    note = " ".join(text for text in (words.note, left) if text)
    return [draw(words.name, words.title, words.description, chart, note)]


def multiple_chart(
    words: Words,
    estimates: Sequence[Estimate],
    axis: Axis,
    panel: Name,
    but: tuple[str, ...] = (),
) -> list[Chart]:
    """Small curves on the same axes, one panel for each name that `panel` gives."""
    found, left = _drawable(estimates, axis, but)
    if len({axis.of(e) for e in found}) < 2:
        return []
    name = distinguishing_label(found, axis, but=but)
    scaled = scaled_rows(found, axis.of, name)
    rows = [row | {"panel": panel(e)} for row, e in zip(scaled.rows, found, strict=True)]
    y = log_axis(f"{words.value}, {scaled.symbol}", rows)
    panels, names = names_of(found, panel), names_of(found, name)
    columns = min(_PANELS_IN_A_ROW, len(panels))
    chart = multiples(rows, x_axis(axis, found), y, panels, names, columns)
    note = " ".join(text for text in (words.note, "All panels have the same axes.", left) if text)
    return [draw(words.name, words.title, words.description, chart, note)]


def share_chart(
    words: Words,
    parts: Sequence[tuple[str, Sequence[Estimate]]],
    axis: Axis,
    but: tuple[str, ...] = (),
) -> list[Chart]:
    """Shares in percent, one panel a part (its title and estimates), none and all marked.

    Two panels stand in a row.
    """
    drawn = [(title, _in_order(found, axis)) for title, found in parts if found]
    every = [e for _, found in drawn for e in found]
    if not every:
        return []
    kept, left = few(every, distinguishing_label(every, axis, but=but))
    name = distinguishing_label(kept, axis, but=but)
    names, panels = names_of(kept, name), []
    for title, found in drawn:
        of_part = [e for e in found if e in kept]
        rows = scaled_rows(of_part, axis.of, name).rows
        curve = curves(rows, x_axis(axis, kept), value_axis(f"{title}, %"), names, height=210)
        panels.append(alt.layer(*(guide(at, "", vertical=False) for at in (0, 100)), curve))
    note = " ".join(text for text in (words.note, left) if text)
    chart = stack(*panels) if len(panels) == 1 else beside(*panels, columns=2)
    return [draw(words.name, words.title, words.description, chart, note)]


def twin_chart(words: Words, twins: Sequence[VariantPair], axis: Axis) -> list[Chart]:
    """Ratios to the plain twin along an axis; no chart where there is none."""
    called = twin_names(twins, axis)

    def name(estimate: Estimate) -> str:
        return called[id(estimate)]

    kept, left = few([one for one, _ in twins], name)
    of_few = set(map(id, kept))
    shown = sorted((t for t in twins if id(t[0]) in of_few), key=lambda t: axis.of(t[0]))
    rows = twin_rows(shown, axis, name)
    if len({row["x"] for row in rows}) < 2:
        return []
    curve = curves(rows, x_axis(axis, kept), log_axis(words.value, rows), names_of(kept, name))
    chart = stack(alt.layer(guide(1, "", vertical=False), curve))
    note = " ".join(text for text in (words.note, left) if text)
    return [draw(words.name, words.title, words.description, chart, note)]


def _drawable(
    estimates: Sequence[Estimate], axis: Axis, but: tuple[str, ...]
) -> tuple[list[Estimate], str]:
    """Those that a logarithmic axis can hold, of as many names as fit, along the axis."""
    known = _of_several([e for e in positive(estimates) if e.unit != SHARE], axis, but)
    kept, left = few(known, distinguishing_label(known, axis, but=but))
    return _in_order(kept, axis), left


def _of_several(estimates: Sequence[Estimate], axis: Axis, but: tuple[str, ...]) -> list[Estimate]:
    """Without curves of a single point, where others have more."""
    name = distinguishing_label(estimates, axis, but=but)
    along: dict[str, set[int]] = {}
    for one in estimates:
        along.setdefault(name(one), set()).add(axis.of(one))
    return [e for e in estimates if len(along[name(e)]) > 1] or list(estimates)


def _in_order(estimates: Sequence[Estimate], axis: Axis) -> list[Estimate]:
    return sorted(estimates, key=axis.of)
