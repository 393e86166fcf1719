"""Every result as tables: one a benchmark and metric, columns for what varies, one unit a table."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.matching.result_order import in_order, names_in_order
from machmeter.benchmarks.catalogue import is_primary, title_of
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import FIELDS
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UnitScale, common_scale, is_unbounded
from machmeter.report.documents.document import Document
from machmeter.report.table import Table, TableRow
from machmeter.text.labels import point_columns, point_phrases
from machmeter.text.layouts import layout_columns
from machmeter.text.machines import interval_or_origin, within_a_line
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import plain
from machmeter.text.results import result_interval_text, value_text

_UPPER = "<: upper bound, the overhead is not significantly above zero"
_HEADINGS = {FIELDS["threads_per_rank"].title: "threads"}


def results_document(title: str, estimates: Sequence[Estimate]) -> Document:
    """Every result in tables, sizes and counts in order of size."""
    ordered = in_order(estimates)
    groups: dict[tuple[str, str], list[Estimate]] = {}
    for one in ordered:
        groups.setdefault((one.point.benchmark, one.metric), []).append(one)
    # What follows from a result stands below all of its benchmark.
    names = list(dict.fromkeys(name for name, _ in groups))
    order = sorted(groups, key=lambda key: (names.index(key[0]), _is_derived(groups[key][0])))
    tables = tuple(table for key in order for table in _tables(groups[key]))
    measured = any(not one.as_printed for one in ordered)
    about = "Values with 95 % intervals; launches are the sample." if measured else "As printed."
    lines = [f"{count_text(len(ordered), 'result', 'results')}. {about}"]
    if any(not one.resolved for one in ordered):
        lines.append(f"{_UPPER}.")
    return Document(plain(title), tables, tuple(lines))


def _is_derived(one: Estimate) -> bool:
    return not is_primary(one)


def _tables(estimates: Sequence[Estimate], of: str = "") -> list[Table]:
    """One table, or one for each value of what varies first where no unit suits all values."""
    names = _varying(estimates)
    unit = _unit_of(estimates)
    if unit is None and len(names) > 1 and not any(one.as_printed for one in estimates):
        parts: dict[str, list[Estimate]] = {}
        for one in estimates:
            said = point_phrases(one.point).get(names[0]) or _cells(one, names[:1])[0]
            parts.setdefault(said, []).append(one)
        return [
            table
            for name, part in parts.items()
            for table in _tables(part, ", ".join(filter(None, (of, name))))
        ]
    return [_table(estimates, names, unit, of)]


def _table(
    estimates: Sequence[Estimate], names: list[str], unit: UnitScale | None, of: str
) -> Table:
    first = estimates[0]
    benchmark = first.point.benchmark
    title = f"{title_of(benchmark)} ({benchmark}): {within_a_line(first.title)}"
    derived = ", derived" if _is_derived(first) else ""
    bound = "95 % interval" if any(not one.as_printed for one in estimates) else "origin"
    value = "value" if unit is None else unit.symbol
    keys = names or ["result"]
    headings = [_HEADINGS.get(name, name.replace("_", " ")) for name in keys]
    rows = tuple(
        (*(_cells(one, names) or [first.title]), *_measured(one, unit)) for one in estimates
    )
    count = len(keys)
    numeric = [n for n, name in enumerate(keys) if _is_number(estimates, name)]
    return Table(
        caption=plain(", ".join(filter(None, (title, of))) + derived, 300),
        columns=(*headings, value, bound, "launches"),
        rows=rows,
        numeric=(*numeric, count, count + 1, count + 2),
        note=_constant(estimates, names),
        labels=count,
    )


def _unit_of(estimates: Sequence[Estimate]) -> UnitScale | None:
    """The unit of the column; None where there is no one, or sources print their own."""
    if any(one.as_printed for one in estimates):
        return None
    values = [one.value if one.resolved else one.high for one in estimates]
    found = common_scale([v for v in values if not is_unbounded(v)], estimates[0].unit)
    return found if found and found.symbol else None


def _measured(one: Estimate, unit: UnitScale | None) -> TableRow:
    if unit is None:
        return value_text(one), plain(interval_or_origin(one), 120), str(one.launches)
    launches = str(one.launches)
    if not one.resolved:
        bound = "unknown" if not one.is_bounded else f"< {unit.number(max(one.high, 0.0))}"
        return bound, NOTHING, launches
    bounded = result_interval_text(one) != NOTHING
    interval = unit.interval(one.low, one.high, one.value) if bounded else NOTHING
    return unit.number(one.value), interval, launches


def _varying(estimates: Sequence[Estimate]) -> list[str]:
    """Columns that differ, choices first, then layout, then numbers."""
    every = [point_columns(e.point) for e in estimates]
    parameters = names_in_order(e.point for e in estimates)
    text = [n for n in parameters if not _is_number(estimates, n)]
    layout = [n for n in layout_columns(Layout()) if n not in parameters]
    names = [*text, *layout, *(n for n in parameters if n not in text)]
    return [n for n in names if len({known.get(n) for known in every}) > 1]


def _is_number(estimates: Sequence[Estimate], name: str) -> bool:
    """Whether a column holds numbers: counts of the layout, and parameters without text."""
    values = [dict(e.point.parameters).get(name) for e in estimates]
    if any(value is not None for value in values):
        return not any(isinstance(value, str) for value in values)
    field = next((f for f in FIELDS.values() if f.title == name), None)
    return field is not None and field.kind is int


def _cells(one: Estimate, names: list[str]) -> list[str]:
    columns = point_columns(one.point)
    return [columns.get(name, NOTHING) for name in names]


def _constant(estimates: Sequence[Estimate], varying: Sequence[str]) -> str:
    """What all rows have in common, of the layout only what is not as in the plainest one."""
    point = estimates[0].point
    default = layout_columns(Layout())
    columns = point_columns(point)
    said = [
        phrase
        for name, phrase in point_phrases(point).items()
        if phrase and name not in varying and columns.get(name) != default.get(name)
    ]
    return f"All: {', '.join(said)}." if said else ""
