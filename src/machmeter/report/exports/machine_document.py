"""A machine as programs get it, as one document or a table: each figure as it is printed too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field, to_builtins

from machmeter.model.benchmark import Value
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.printed import Printed
from machmeter.model.results.printed_text import origin_text
from machmeter.model.units import is_unbounded
from machmeter.published.printed import PrintedNumber
from machmeter.published.units import PRINTED_UNITS
from machmeter.report.exports.tables import (
    LAYOUT_COLUMNS,
    ExportTable,
    Row,
    columns_of_layouts,
    parameter_columns,
)
from machmeter.text.machines import stated_layout

MEASURED = "measured"
_NOT_PRINTED = Printed(id="", number="", value=0.0, unit="", source="")


class KnownCounts(Struct, frozen=True):
    """What results of the whole machine are divided by; null where it is not known."""

    nodes: int | None = None
    """Nodes of the machine."""
    cores: int | None = None
    """Cores of the machine."""
    watts: float | None = None
    """Power under load, W."""
    price: float | None = None
    """Of the whole machine, in `currency`."""
    currency: str | None = None
    """ISO 4217."""


class MachineResult(Struct, frozen=True):
    """One result of a machine; what is not known of it is null, empty or left out."""

    id: str
    """Unique within the machine."""
    comparable: bool
    """Whether it is compared with results of other machines; else benchmark and metric are
    empty."""
    benchmark: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    title: str
    """What the metric is called."""
    direction: str
    """Whether higher or lower is better."""
    value: float | None
    """In the base `unit`."""
    unit: str
    """Symbol of the base unit."""
    quantity: str
    """What is compared where machmeter has no benchmark for it."""
    low: float | None
    """Lower end of its 95 % interval."""
    high: float | None
    """Upper end of its 95 % interval."""
    precision: float | None
    """Half width of the interval, relative."""
    launches: int
    """Launches behind it."""
    resolved: bool
    """False for an overhead below resolution, of which `high` alone means something."""
    printed: str
    """The number with the digits that its source gives, in `printed_unit`."""
    printed_unit: str
    """Unit of `printed`."""
    decimals: int | None
    """Digits of `printed` after the point; null for what is derived."""
    qualifier: str
    """What the source says of it, such as a bound."""
    known: str
    """`as printed`, `derived: ...`, `read off a plot`, `mean of 5 launches`, or `measured`."""
    derived_from: str
    """The formula that it follows from; empty where it is printed or measured."""
    text: str
    """The passage of the source."""
    source: str
    """Who published it."""
    page: str
    """Where in the source."""
    note: str
    """What was assumed where the source is silent."""
    flag: str
    """What contradicts it."""
    parameters: dict[str, Value] = field(default_factory=dict)
    """Value of each parameter."""
    layout: dict[str, bool | Value] = field(default_factory=dict)
    """Layout fields that are stated."""


class MachineDocument(Struct, frozen=True):
    """What `show machine --json` prints."""

    id: str
    """ID of the machine."""
    title: str
    """Its name for people."""
    origin: Origin
    """Whether it is measured, published or imported."""
    source: str
    """Who published it."""
    year: int | None
    """Of publication; null where it is not known."""
    counts: KnownCounts
    """What results of the whole machine are divided by."""
    facts: dict[str, str]
    """What it is made of, as text with units."""
    links: dict[str, str]
    """The rate of each link, with unit and direction."""
    figures: tuple[MachineResult, ...]
    """Results that are compared."""
    loose: tuple[MachineResult, ...] = ()
    """Numbers that are compared with none."""
    runs: tuple[str, ...] = ()
    """IDs of the runs that measured it."""


def machine_document(
    machine: MachineResults, links: Mapping[str, str], loose: Sequence[PrintedNumber]
) -> MachineDocument:
    """A machine with its links and loose figures as programs get it."""
    return MachineDocument(
        id=machine.id,
        title=machine.title,
        origin=machine.origin,
        source=machine.source,
        year=machine.year or None,
        counts=_counts(machine.parts),
        facts=machine.properties,
        links=dict(links),
        figures=tuple(machine_result(one) for one in machine.estimates),
        loose=tuple(map(loose_result, loose)),
        runs=machine.runs,
    )


def machine_result(one: Estimate) -> MachineResult:
    """An estimate with what its source prints, and without stand-ins for what is not known."""
    printed = one.printed or _NOT_PRINTED
    bounded = one.launches > 1 and one.is_bounded
    layout = to_builtins(one.point.configuration)
    return MachineResult(
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


def loose_result(number: PrintedNumber) -> MachineResult:
    """A printed number that no benchmark and no workload is named for."""
    table, figure, printed = number.table, number.figure, number.printed
    unit = PRINTED_UNITS.get(table.unit)
    return MachineResult(
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
        known=origin_text(printed),
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
        **columns_of_layouts(one.layout for one in figures),
        **_COLUMNS,
    }
    return ExportTable(columns, _rows(document, figures, columns, parameters))


def _rows(
    document: MachineDocument,
    figures: Sequence[MachineResult],
    columns: Mapping[str, type],
    parameters: Mapping[str, str],
) -> Iterator[Row]:
    for one in figures:
        cells: Row = {"machine": document.id, _ORIGIN: document.origin.value, "figure": one.id}
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
    return origin_text(one.printed) if one.as_printed else f"mean of {one.launches} launches"
