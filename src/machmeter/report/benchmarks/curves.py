"""Charts that benchmarks declare: curves along an axis, and ratios to a default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from machmeter.model.display import CurveChart, CurveForm, RatiosToDefault
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SHARE
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import narrowed, positive, select, values_of
from machmeter.report.benchmarks.variants import (
    VariantPair,
    ratios_of,
    variant_names,
    variant_pairs,
)
from machmeter.report.drawing.axes import log_axis, value_axis, x_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import multiples, side_by_side
from machmeter.report.drawing.panel import Channel, Panel, layer, stack
from machmeter.report.drawing.panels import (
    curves,
    dots,
    few,
    guide,
    precision_rows,
    ratio_row,
    scaled_rows,
)
from machmeter.report.views.axis import AXES, SIZE, Axis, first_that_varies
from machmeter.text.labels import Name, distinguishing_label, names_of, parameter_phrase

_PRECISION = "Below: half the 95 % interval in percent of the value, which a log axis hides."
_SAME_AXES = "All panels have the same axes."
_PANELS_IN_A_ROW = 3
# More bands over one another cannot be told apart; tooltips and tables have the intervals.
_MOST_BANDS = 3

Layers = Callable[[Channel, float], list[Panel]]


def curve_charts(
    declared: CurveChart, section: Section, layers: Layers | None = None
) -> list[Chart]:
    """The chart of these curves; none where nothing varies along the axis.

    layers: what else is drawn behind curves in one panel, given the axis and the factor between
    the unit's base and the value axis.
    """
    chosen = narrowed(select(section.estimates, declared.select), declared.select)
    axis = first_that_varies(declared.along, chosen)
    form = _FORMS[declared.form]
    if declared.form is CurveForm.TOGETHER:
        form = partial(_together, layers=layers)
    return form(declared, chosen, axis) if axis.varies(chosen) else []


def _along(declared: CurveChart, axis: Axis) -> str:
    return declared.size if axis is SIZE else axis.name


def _across(declared: CurveChart, axis: Axis, found: Sequence[Estimate]) -> Channel:
    return x_axis(axis, found, _along(declared, axis))


def _drawn(declared: CurveChart, axis: Axis, chart: Panel, *notes: str) -> Chart:
    along = _along(declared, axis)
    return draw(
        declared.name,
        declared.title.replace("{along}", along),
        declared.description.replace("{along}", along),
        chart,
        " ".join(text for text in (declared.note, *notes) if text),
    )


def _together(
    declared: CurveChart, chosen: Sequence[Estimate], axis: Axis, layers: Layers | None = None
) -> list[Chart]:
    """On a logarithmic value axis with their precision below."""
    found, name, left = _named(chosen, axis)
    if not axis.varies(found):
        return []
    names, x = names_of(found, name), _across(declared, axis, found)
    scaled = scaled_rows(found, axis.of, name)
    upper = curves(
        scaled.rows, x, log_axis(f"{declared.value}, {scaled.symbol}", scaled.rows), names
    )
    if layers:
        factor = found[0].value / scaled.rows[0]["value"]
        upper = layer(*layers(x, factor), upper)
    panels = [upper]
    shown = declared.precision and len(names) <= _MOST_BANDS
    narrow = precision_rows(found, axis.of, name) if shown else ()
    if narrow:
        y = value_axis("precision, ± %", zero=True)
        panels.append(curves(narrow, x, y, names, height=110))
    return [_drawn(declared, axis, stack(*panels), _PRECISION if narrow else "", left)]


def _panels(declared: CurveChart, chosen: Sequence[Estimate], axis: Axis) -> list[Chart]:
    """Panels two in a row; those with the same `shared`, or all, share their value axis."""
    found, name, left = _named(chosen, axis, declared.panels)
    if not axis.varies(found):
        return []
    names, panels = names_of(found, name), []
    of_panel = _panel_name(declared.panels)
    of_group = _panel_name((declared.shared,) if declared.shared else ())
    for title in names_of(found, of_panel):
        group = of_group(next(e for e in found if of_panel(e) == title))
        together = [e for e in found if of_group(e) == group]
        scaled = scaled_rows(together, axis.of, name)
        rows = [r for r, e in zip(scaled.rows, together, strict=True) if of_panel(e) == title]
        y = log_axis(f"{declared.value}, {scaled.symbol}", scaled.rows)
        curve = curves(rows, _across(declared, axis, found), y, names, height=170)
        panels.append(curve.properties(title=title))
    return [_drawn(declared, axis, side_by_side(*panels, columns=2), left)]


def _multiples(declared: CurveChart, chosen: Sequence[Estimate], axis: Axis) -> list[Chart]:
    """Small curves on the same axes."""
    found, name, left = _named(chosen, axis, declared.panels)
    if not axis.varies(found):
        return []
    of_panel = _panel_name(declared.panels)
    scaled = scaled_rows(found, axis.of, name)
    rows = [row | {"panel": of_panel(e)} for row, e in zip(scaled.rows, found, strict=True)]
    y = log_axis(f"{declared.value}, {scaled.symbol}", rows)
    panels, names = names_of(found, of_panel), names_of(found, name)
    columns = min(_PANELS_IN_A_ROW, len(panels))
    chart = multiples(rows, _across(declared, axis, found), y, panels, names, columns)
    return [_drawn(declared, axis, chart, _SAME_AXES, left)]


def _shares(declared: CurveChart, chosen: Sequence[Estimate], axis: Axis) -> list[Chart]:
    """Shares in percent, two panels in a row, none and all marked."""
    without = (*axis.replaces, *declared.panels)
    kept, left = few(chosen, distinguishing_label(chosen, without))
    name = distinguishing_label(kept, without)
    names, panels = names_of(kept, name), []
    for values in dict.fromkeys(_panel_values(e, declared.panels) for e in chosen):
        part = [e for e in kept if _panel_values(e, declared.panels) == values]
        rows = scaled_rows(sorted(part, key=axis.of), axis.of, name).rows
        title = declared.value.format_map(dict(zip(declared.panels, values, strict=True)))
        x, y = _across(declared, axis, kept), value_axis(f"{title}, %")
        curve = curves(rows, x, y, names, height=210)
        panels.append(layer(*(guide(at, "", vertical=False) for at in (0, 100)), curve))
    chart = stack(*panels) if len(panels) == 1 else side_by_side(*panels, columns=2)
    return [_drawn(declared, axis, chart, left)]


_FORMS: dict[CurveForm, Callable[[CurveChart, Sequence[Estimate], Axis], list[Chart]]] = {
    CurveForm.TOGETHER: _together,
    CurveForm.PANELS: _panels,
    CurveForm.MULTIPLES: _multiples,
    CurveForm.SHARES: _shares,
}


def _panel_values(estimate: Estimate, names: Sequence[str]) -> tuple[str, ...]:
    known = {"metric": estimate.metric.replace("_", " "), **dict(estimate.point.parameters)}
    return tuple(
        parameter_phrase(name, known[name]) if name in {"size", "window"} else str(known[name])
        for name in names
    )


def _panel_name(names: Sequence[str]) -> Name:
    return lambda estimate: ", ".join(_panel_values(estimate, names))


def _named(
    estimates: Sequence[Estimate], axis: Axis, without: Sequence[str] = ()
) -> tuple[list[Estimate], Name, str]:
    """Those that a logarithmic axis can hold along it, of as many names as fit; the name of each,
    and a note about what is left out.

    CurveChart of a single point are left out where others have more.
    """
    elsewhere = (*axis.replaces, *without)
    known = [e for e in positive(estimates) if e.unit != SHARE]
    name = distinguishing_label(known, elsewhere)
    along: dict[str, set[int]] = {}
    for one in known:
        along.setdefault(name(one), set()).add(axis.of(one))
    known = [e for e in known if len(along[name(e)]) > 1] or known
    kept, left = few(known, distinguishing_label(known, elsewhere))
    return sorted(kept, key=axis.of), distinguishing_label(kept, elsewhere), left


def ratio_charts(declared: RatiosToDefault, section: Section) -> list[Chart]:
    """Ratios to the default; no chart where there is none."""
    chosen = narrowed(select(section.estimates, declared.select), declared.select)
    pairs = variant_pairs(chosen, *declared.names)
    if not declared.name:
        return []
    return _ratio_dots(declared, pairs) if declared.category else _ratio_curves(declared, pairs)


def _ratio_curves(declared: RatiosToDefault, pairs: Sequence[VariantPair]) -> list[Chart]:
    axis = AXES[declared.along]
    called = variant_names(pairs, axis.replaces)

    def name(estimate: Estimate) -> str:
        return called[id(estimate)]

    kept, left = few([one for one, _ in pairs], name)
    of_few = set(map(id, kept))
    shown = sorted((p for p in pairs if id(p[0]) in of_few), key=lambda p: axis.of(p[0]))
    rows = [ratio_row(axis.of(one), name(one), found) for one, found in ratios_of(shown)]
    if len({row["x"] for row in rows}) < 2:
        return []
    y = log_axis(declared.value, rows)
    curve = curves(rows, x_axis(axis, kept), y, names_of(kept, name))
    chart = stack(layer(guide(1, "", vertical=False), curve))
    note = " ".join(text for text in (declared.note, left) if text)
    return [draw(declared.name, declared.title, declared.description, chart, note)]


def _ratio_dots(declared: RatiosToDefault, pairs: Sequence[VariantPair]) -> list[Chart]:
    """One line a value of the category, one panel a place on the axis."""
    axis = AXES[declared.along]
    called = variant_names(pairs, (*axis.replaces, declared.category))
    of_category = _panel_name((declared.category,))
    rows = [
        ratio_row(of_category(one), called[id(one)], found) | {"at": axis.of(one)}
        for one, found in ratios_of(pairs)
    ]
    if not rows:
        return []
    names = list(dict.fromkeys(row["series"] for row in rows))
    categories = values_of([one for one, _ in pairs], declared.category)
    titles = {axis.of(one): axis.text(one) for one, _ in pairs}
    panels: list[Panel] = []
    for at in sorted(titles):
        if of_size := [row for row in rows if row["at"] == at]:
            x = log_axis(f"{declared.value}, {titles[at]}", rows)
            lines = dots(of_size, x, categories, names)
            panels.append(layer(guide(1, "", vertical=True), lines))
    chart = side_by_side(*panels, columns=2)
    return [draw(declared.name, declared.title, declared.description, chart, declared.note)]
