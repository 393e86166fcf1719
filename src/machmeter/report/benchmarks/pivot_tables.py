"""Tables that benchmarks declare: one row a case, one column a size or a number of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from machmeter.model.display import PivotTable, RatiosToDefault
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import Unit, UnitScale, common_scale, format_value
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import narrowed, select
from machmeter.report.benchmarks.variants import (
    pair_ratio_text,
    variant_of,
    variant_pairs,
)
from machmeter.report.table import Table, TableRow
from machmeter.report.views.axis import AXES, RANKS, Axis, first_that_varies
from machmeter.text.labels import point_columns
from machmeter.text.layouts import layout_columns
from machmeter.text.numbers import NOTHING
from machmeter.text.results import value_with_interval

MOST_COLUMNS = 8
MOST_ROWS = 80
_SHORT = 28


def pivot_tables(declared: PivotTable, section: Section) -> list[Table]:
    """Values with their intervals along the axis; no table where there are none."""
    chosen = narrowed(select(section.estimates, declared.select), declared.select)
    axis = first_that_varies(declared.along, chosen)
    note = _growth(chosen) if declared.growth else ""
    return pivot(declared.title.replace("{along}", axis.name), chosen, axis, note)


def ratio_tables(declared: RatiosToDefault, section: Section) -> list[Table]:
    """Each result over its default along the axis; no table where there are no such pairs."""
    chosen = narrowed(select(section.estimates, declared.select), declared.select)
    pairs = variant_pairs(chosen, *declared.names)
    cells = [(one, pair_ratio_text(one, base)) for one, base in pairs]
    notes = [declared.note, "Launches are paired. Brackets: 95 % intervals."]
    variants = {id(pair[0]): variant_of(pair) for pair in pairs}
    varied = {name for one, base in pairs for name in _differing(one, base)}
    axis = AXES[declared.along]
    return _table(declared.title, cells, axis, notes, variants, tuple(varied))


def pivot(caption: str, estimates: Sequence[Estimate], axis: Axis, note: str = "") -> list[Table]:
    """Values with their 95 % intervals, one row a case; no table where there is nothing to show.

    A case is what the point says apart from the axis; what never differs stands in the note. Of
    more values of the axis than columns, the ends and even steps between are shown.
    """
    cells = _in_one_unit(estimates)
    brackets = "Brackets: 95 % intervals, in the unit of the value."
    return _table(caption, cells, axis, [note, brackets])


def _in_one_unit(estimates: Sequence[Estimate]) -> list[tuple[Estimate, str]]:
    """Each with its value and interval, in the same unit where one suits all of one quantity."""
    of_unit: dict[Unit, list[float]] = {}
    for one in estimates:
        of_unit.setdefault(one.unit, []).append(one.value)
    scales = {unit: common_scale(values, unit) for unit, values in of_unit.items()}
    return [(one, _scaled(one, scales[one.unit])) for one in estimates]


def _scaled(one: Estimate, scale: UnitScale | None) -> str:
    if scale is None or not scale.symbol or not one.resolved or one.as_printed:
        return value_with_interval(one)
    value = f"{scale.number(one.value)} {scale.symbol}"
    if not one.is_bounded:
        return value
    return f"{value} {scale.interval(one.low, one.high, one.value)}"


def _differing(one: Estimate, base: Estimate) -> list[str]:
    other = point_columns(base.point)
    return [n for n, text in point_columns(one.point).items() if text != other.get(n)]


def _table(
    caption: str,
    cells: Sequence[tuple[Estimate, str]],
    axis: Axis,
    notes: list[str],
    variants: Mapping[int, str] | None = None,
    without: tuple[str, ...] = (),
) -> list[Table]:
    """variants: a first column, by `id` of the estimate, in the place of the names in `without`."""
    if not cells:
        return []
    estimates = [e for e, _ in cells]
    every = {axis.of(e): axis.text(e) for e in estimates}
    shown = spread_out(sorted(every), MOST_COLUMNS)
    varying, constant = varying_names(estimates, (*axis.replaces, *without))
    names = (("variant",) if variants else ()) + varying
    cases: dict[TableRow, dict[int, str]] = {}
    for one, text in cells:
        known = point_columns(one.point)
        first = (variants[id(one)],) if variants else ()
        case = (*first, *(_unbroken(known.get(name, NOTHING)) for name in varying))
        cases.setdefault(case or (one.title,), {}).setdefault(axis.of(one), text)
    rows = [
        (*case, *(found.get(at, NOTHING) for at in shown))
        for case, found in list(cases.items())[:MOST_ROWS]
    ]
    before = names or ("result",)
    notes.append(constant)
    if len(shown) < len(every):
        notes.append(f"{len(shown)} of {len(every)} values of {axis.name} are shown.")
    if len(cases) > MOST_ROWS:
        notes.append(f"{MOST_ROWS} of {len(cases)} cases are shown.")
    columns = (*before, *(every[at] for at in shown))
    numeric = tuple(range(len(before), len(columns)))
    return [Table(caption, columns, tuple(rows), numeric, " ".join(n for n in notes if n))]


def varying_names(
    estimates: Iterable[Estimate], without: Sequence[str]
) -> tuple[tuple[str, ...], str]:
    """Parameters and parts of layouts that differ among the estimates, and a sentence about those
    that do not. Parts of a layout that are as in the default one are left out of it.
    """
    every = [point_columns(e.point) for e in estimates]
    names = [n for n in dict.fromkeys(n for known in every for n in known) if n not in without]
    varying = tuple(n for n in names if len({known.get(n) for known in every}) > 1)
    default = layout_columns(Layout())
    same = {n: every[0].get(n, "") for n in names if n not in varying} if every else {}
    constant = [f"{n} {text}" for n, text in same.items() if text != default.get(n)]
    return varying, f"The same in every row: {', '.join(constant)}." if constant else ""


def spread_out(values: Sequence[int], most: int) -> list[int]:
    """At most that many of the values: the first, the last, and even steps between."""
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    return [values[round(n * last / (most - 1))] for n in range(most)]


def _unbroken(text: str) -> str:
    """A size or a number and its unit stay on one line."""
    return text.replace(" ", "\u00a0") if len(text) < _SHORT else text


def _growth(estimates: Sequence[Estimate]) -> str:
    """What one more rank adds, between the fewest and the most, with each library."""
    parts = []
    for mpi in dict.fromkeys(e.point.variant.mpi for e in estimates):
        found = sorted((e for e in estimates if e.point.variant.mpi == mpi), key=RANKS.of)
        more = RANKS.of(found[-1]) - RANKS.of(found[0])
        if more > 0:
            each = format_value((found[-1].value - found[0].value) / more, found[0].unit)
            parts.append(f"{each}{f' with {mpi}' if mpi else ''}")
    return f"Each more rank adds {', '.join(parts)}." if parts else ""
