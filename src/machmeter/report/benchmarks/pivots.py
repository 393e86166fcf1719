"""Tables of many figures: one row a case, one column a size or a number of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.variant_pairs import NOTHING, VariantPair, ratio_text, variant_of
from machmeter.report.tables import Row, Table
from machmeter.text.labels import Axis, point_columns
from machmeter.text.layouts import layout_columns
from machmeter.text.results import interval_text, value_text

MOST_COLUMNS = 8
MOST_ROWS = 80
_SHORT = 28


def pivot(caption: str, estimates: Sequence[Estimate], axis: Axis, note: str = "") -> list[Table]:
    """Values with their 95 % intervals, one row a case; no table where there is nothing to show.

    A case is what the circumstances apart from the axis say; those that never differ stand in the
    note. Of more values of the axis than columns, the ends and even steps between are shown.
    """
    cells = [(e, with_interval(e)) for e in estimates]
    brackets = "Brackets: 95 % intervals, in the unit of the value."
    return _table(caption, cells, axis, [note, brackets])


def ratio_pivot(
    caption: str, twins: Sequence[VariantPair], axis: Axis, note: str = ""
) -> list[Table]:
    """Each figure over its plain twin, one row a case; no table where there are no twins."""
    cells = [(one, ratio_text(one, base)) for one, base in twins]
    above = "Above 1x is better; launches are paired. Brackets: 95 % intervals."
    variants = {id(twin[0]): variant_of(twin) for twin in twins}
    varied = {n for one, base in twins for n in _differing(one, base)}
    return _table(caption, cells, axis, [note, above], variants, tuple(varied))


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
    varying, constant = varying_names(estimates, (*axis.stands_for, *without))
    names = (("variant",) if variants else ()) + varying
    cases: dict[Row, dict[int, str]] = {}
    for one, text in cells:
        known = point_columns(one.point)
        first = (variants[id(one)],) if variants else ()
        case = (*first, *(_unbroken(known.get(name, NOTHING)) for name in varying))
        cases.setdefault(case or (one.title,), {}).setdefault(axis.of(one), text)
    rows = [
        (*case, *(found.get(at, NOTHING) for at in shown))
        for case, found in list(cases.items())[:MOST_ROWS]
    ]
    before = names or ("figure",)
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
    """Circumstances that differ among the estimates, and a sentence about those that do not.

    Parts of a layout that are as in the plainest one are not told.
    """
    every = [point_columns(e.point) for e in estimates]
    names = [n for n in dict.fromkeys(n for known in every for n in known) if n not in without]
    varying = tuple(n for n in names if len({known.get(n) for known in every}) > 1)
    plainest = layout_columns(Layout())
    same = {n: every[0].get(n, "") for n in names if n not in varying} if every else {}
    told = [f"{n} {text}" for n, text in same.items() if text != plainest.get(n)]
    return varying, f"The same in every row: {', '.join(told)}." if told else ""


def spread_out(values: Sequence[int], most: int) -> list[int]:
    """At most that many of the values: the first, the last, and even steps between."""
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    return [values[round(n * last / (most - 1))] for n in range(most)]


def _unbroken(text: str) -> str:
    """A size or a number and its unit stay on one line."""
    return text.replace(" ", "\u00a0") if len(text) < _SHORT else text


def with_interval(one: Estimate | None) -> str:
    """Value and interval in one cell, a dash for what was not measured."""
    if one is None:
        return NOTHING
    interval = interval_text(one)
    return value_text(one) if interval == NOTHING else f"{value_text(one)} {interval}"
