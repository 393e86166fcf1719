"""A machine as programs get it, as one document or a table: each figure as it is printed too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field, to_builtins

from machmeter.model.benchmark import Value
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.printed import Printed
from machmeter.model.results.printed_text import known_text
from machmeter.model.units import is_unbounded
from machmeter.published.printed import PrintedNumber
from machmeter.published.units import PRINTED_UNITS
from machmeter.report.exports.tables import LAYOUT_COLUMNS, ExportTable, Row, parameter_columns
from machmeter.text.machines import stated_layout

MEASURED = "measured"
_NOT_PRINTED = Printed(id="", number="", value=0.0, unit="", source="")


class KnownCounts(Struct, frozen=True):
    """What figures of the whole machine are divided by; null where it is not known."""

    nodes: int | None = None
    cores: int | None = None
    watts: float | None = None
    price: float | None = None
    currency: str | None = None


class KnownFigure(Struct, frozen=True):
    """One figure of a machine; what is not known of it is null, empty or left out.

    value, low, high: in the base `unit`, with the 95 % interval; layout: what is stated of it;
    printed: the number with the digits that its source gives, in `printed_unit`, with so many
    `decimals` after the point (null for what is derived); known: `as printed`, `derived: ...`,
    `read off a plot`, `mean of 5 launches`, or `measured`; resolved: false where an overhead cannot
    be told from zero, of which `high` alone means something; flag: what contradicts it. Of a figure
    that is compared with none (`comparable` false) benchmark and metric are empty.
    """

    id: str
    comparable: bool
    benchmark: str
    metric: str
    title: str
    direction: str
    value: float | None
    unit: str
    quantity: str
    low: float | None
    high: float | None
    precision: float | None
    launches: int
    resolved: bool
    printed: str
    printed_unit: str
    decimals: int | None
    qualifier: str
    known: str
    derived_from: str
    text: str
    source: str
    page: str
    note: str
    flag: str
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, bool | Value] = field(default_factory=dict)


class MachineDocument(Struct, frozen=True):
    """What `show machine --json` prints.

    year: null where it is not known; facts: what it is made of, in words with units; links: the
    rate of each, with unit and direction; figures: those that are compared; loose: numbers that
    are compared with none; runs: ids of the runs its figures were measured in.
    """

    id: str
    title: str
    origin: str
    source: str
    year: int | None
    counts: KnownCounts
    facts: dict[str, str]
    links: dict[str, str]
    figures: tuple[KnownFigure, ...]
    loose: tuple[KnownFigure, ...] = ()
    runs: tuple[str, ...] = ()


def machine_document(
    machine: MachineResults, links: Mapping[str, str], loose: Sequence[PrintedNumber]
) -> MachineDocument:
    """A machine with its links and loose figures as programs get it."""
    return MachineDocument(
        id=machine.id,
        title=machine.title,
        origin=machine.origin.value,
        source=machine.source,
        year=machine.year or None,
        counts=_counts(machine.parts),
        facts=machine.properties,
        links=dict(links),
        figures=tuple(known_figure(one) for one in machine.estimates),
        loose=tuple(map(loose_figure, loose)),
        runs=machine.runs,
    )


def known_figure(one: Estimate) -> KnownFigure:
    """An estimate with what its source prints, and without stand-ins for what is not known."""
    printed = one.printed or _NOT_PRINTED
    bounded = one.launches > 1 and not is_unbounded(one.high)
    layout = to_builtins(one.point.configuration)
    return KnownFigure(
        id=printed.id,
        comparable=True,
        benchmark=one.point.benchmark,
        metric=one.metric,
        title=one.title,
        direction=one.direction.value,
        value=one.value,
        unit=one.unit.symbol,
        quantity=one.unit.name,
        low=one.low if bounded else None,
        high=one.high if bounded else None,
        precision=None if is_unbounded(one.precision) else one.precision,
        launches=one.launches,
        resolved=one.resolved,
        printed=printed.number,
        printed_unit=printed.unit,
        decimals=printed.decimals,
        qualifier=printed.qualifier,
        known=_how(one),
        derived_from=printed.derived_from,
        text=printed.text,
        source=printed.source,
        page=printed.page,
        note=printed.note,
        flag=printed.flag,
        parameters=dict(one.point.parameters),
        layout={name: layout[name] for name in _stated(one) if name in layout},
    )


def loose_figure(number: PrintedNumber) -> KnownFigure:
    """A printed number that no benchmark and no workload is named for."""
    table, figure, printed = number.table, number.figure, number.printed
    unit = PRINTED_UNITS.get(table.unit)
    return KnownFigure(
        id=figure.id,
        comparable=False,
        benchmark="",
        metric="",
        title="",
        direction="",
        value=number.value * unit.factor if unit else None,
        unit=unit.unit.symbol if unit else "",
        quantity=unit.unit.name if unit else "",
        low=None,
        high=None,
        precision=None,
        launches=len(figure.launches) or 1,
        resolved=True,
        printed=printed.number,
        printed_unit=printed.unit,
        decimals=printed.decimals,
        qualifier=printed.qualifier,
        known=known_text(printed),
        derived_from=printed.derived_from,
        text=printed.text,
        source=printed.source,
        page=printed.page,
        note=printed.note,
        flag=printed.flag,
        parameters={**table.parameters, **figure.parameters},
        layout={**table.layout, **figure.layout},
    )


_ORIGIN = "origin"
_COLUMNS: dict[str, type] = {
    "figure": str,
    "comparable": bool,
    "metric": str,
    "title": str,
    "direction": str,
    "value": float,
    "unit": str,
    "quantity": str,
    "low": float,
    "high": float,
    "precision": float,
    "launches": int,
    "resolved": bool,
    "printed": str,
    "printed_unit": str,
    "decimals": int,
    "qualifier": str,
    "known": str,
    "derived_from": str,
    "text": str,
    "source": str,
    "page": str,
    "note": str,
    "flag": str,
}


def machine_rows(document: MachineDocument) -> ExportTable:
    """One row a figure, as `exports.export_rows` has them of a run, with what is printed of each.

    Values are in the base unit, `printed` is text with the digits of the source; a part of the
    layout that is not stated is None, and so is all else that is not known.
    """
    figures = (*document.figures, *document.loose)
    parameters = parameter_columns((one.parameters for one in figures), (*_COLUMNS, _ORIGIN))
    columns: dict[str, type] = {
        **dict.fromkeys(("machine", _ORIGIN, "benchmark"), str),
        **dict.fromkeys(parameters.values(), str),
        **LAYOUT_COLUMNS,
        **_COLUMNS,
    }
    return ExportTable(columns, _rows(document, figures, columns, parameters))


def _rows(
    document: MachineDocument,
    figures: Sequence[KnownFigure],
    columns: Mapping[str, type],
    parameters: Mapping[str, str],
) -> Iterator[Row]:
    for one in figures:
        cells: Row = {"machine": document.id, _ORIGIN: document.origin, "figure": one.id}
        cells |= {name: getattr(one, name) for name in ("benchmark", *_COLUMNS) if name != "figure"}
        cells |= {parameters[name]: str(value) for name, value in one.parameters.items()}
        # What no benchmark is named for may state what no layout has.
        cells |= {n: v for n, v in one.layout.items() if _fits(v, LAYOUT_COLUMNS.get(n))}
        yield {name: None if cells.get(name) == "" else cells.get(name) for name in columns}


def _fits(value: bool | Value, column: type | None) -> bool:
    """Whether a column holds the value: truth is no count, and no count is beyond 64 bits."""
    return type(value) is column and not (column is int and abs(int(value)) >= 2**63)


def _counts(parts: Parts) -> KnownCounts:
    return KnownCounts(
        parts.nodes or None,
        parts.cores or None,
        parts.watts or None,
        parts.price or None,
        parts.currency or None,
    )


def _stated(one: Estimate) -> Sequence[str]:
    return stated_layout(one) if one.printed else tuple(one.point.configuration)


def _how(one: Estimate) -> str:
    if one.printed is None:
        return MEASURED
    return known_text(one.printed) if one.as_printed else f"mean of {one.launches} launches"
