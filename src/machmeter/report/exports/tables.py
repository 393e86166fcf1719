"""Estimates and raw samples as tidy tables: one row a figure or sample, for other programs."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import asdict

from machmeter.analysis.matching.result_order import in_order
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import FIELDS
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, PointRecord, Record
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import is_unbounded
from machmeter.model.variant import Role
from machmeter.model.written.text import escaped, json_escaped
from machmeter.store.files import replacing

Cell = str | int | float | bool | None
Row = dict[str, Cell]
Target = Path | IO[bytes]

_ROWS_AT_ONCE = 50_000
# How a spreadsheet knows a formula; a negative number is none.
_FORMULA = ("=", "+", "-", "@")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", re.IGNORECASE)
# Which quantity of a record are the bytes of one event, the first that it has.
_BYTES = ("stream_bytes", "bytes_one_way", "bytes_both_ways", "bytes", "bytes_per_node")
_NO_SPECS: Mapping[str, LaunchSpec] = {}
_NO_SIDES: Mapping[str, str] = {}
LAYOUT_COLUMNS: dict[str, type] = {name: field.kind for name, field in FIELDS.items()}
_ESTIMATE: dict[str, type] = {
    "metric": str,
    "title": str,
    "unit": str,
    "quantity": str,
    "direction": str,
    "value": float,
    "low": float,
    "high": float,
    "launches": int,
    "samples": int,
    "precision": float,
    "target_precision": float,
    "reached": bool,
    "resolved": bool,
    "scale": str,
    "warmup_cut": int,
    "outliers": int,
    "batch": int,
}
_SAMPLE: dict[str, type] = {
    "page_bytes_obtained": int,
    "series": str,
    "index": int,
    "seconds": float,
    "bytes": float,
    "bytes_of": str,
    "quantities": str,
    "batch": int,
    "check_passed": bool,
}


class ExportError(MachineLacksError):
    """An export that cannot be written here."""


class ExportTable(Struct, frozen=True):
    """A table of results or samples."""

    columns: dict[str, type]
    """Types by name."""
    rows: Iterable[Row]
    """May be read once."""


def export_rows(result: RunResult) -> ExportTable:
    """One row an estimate, values in the base unit; parameters one column each, as text.

    `role` is `baseline` or `candidate` in an A/B run, whose baseline follows; None elsewhere.
    An overhead below resolution keeps its value and interval and has `resolved` false: only `high`
    means something then. What one launch cannot give, interval and precision, is None.
    """
    sides: list[tuple[str | None, Sequence[Estimate]]] = [(None, result.estimates)]
    if old := result.baseline:
        sides = [(Role.CANDIDATE.value, result.estimates), (Role.BASELINE.value, old.estimates)]
    every = (dict(one.point.parameters) for _, estimates in sides for one in estimates)
    parameters = parameter_columns(every)
    columns: dict[str, type] = {
        **dict.fromkeys(("run", "role", "machine", "origin", "benchmark"), str),
        **dict.fromkeys(parameters.values(), str),
        **columns_of_layouts(
            one.point.configuration for _, estimates in sides for one in estimates
        ),
        **_ESTIMATE,
    }
    rows = (
        row
        for role, estimates in sides
        for row in _estimate_rows(result, role, estimates, parameters)
    )
    return ExportTable(columns, rows)


def sample_rows(
    records: Iterable[tuple[LaunchOutcome, Record]],
    sides: Mapping[str, str] = _NO_SIDES,
    specs: Mapping[str, LaunchSpec] = _NO_SPECS,
) -> ExportTable:
    """One row a sample, `seconds` of one event, in the order taken, the first of a series with all
    `quantities` of its point; every verdict is kept, and so
    are the sizing launches and the reference kernel at the start and the end of the run.

    sides: of a run of two, by spec, the side that it belongs to: `role` is None elsewhere;
    specs: by name, with the layout of their launches.
    A record without a header gives no rows. The records are held in memory, the rows are not.
    """
    kept = [(outcome, record) for outcome, record in records if record.header is not None]
    every = (point.parameters for _, record in kept for point in record.points)
    parameters = parameter_columns(every)
    layouts = {name: _layout_cells(spec) for name, spec in specs.items()}
    columns: dict[str, type] = {
        "launch": int,
        "spec": str,
        "role": str,
        "verdict": str,
        "host": str,
        "benchmark": str,
        **dict.fromkeys(parameters.values(), str),
        **columns_of_layouts(layouts.values()),
        **_SAMPLE,
    }
    return ExportTable(columns, _sample_rows(kept, parameters, sides, layouts))


def _layout_cells(spec: LaunchSpec) -> Row:
    known = msgspec.to_builtins(spec.layout) | msgspec.to_builtins(spec.variant)
    return {name: known[name] for name in LAYOUT_COLUMNS if name in known}


def columns_of_layouts(stated: Iterable[Iterable[str]]) -> dict[str, type]:
    """A column for each field of layouts and variants, but of those that a plain layout leaves out
    only for what is stated: the fields of each layout by name."""
    known = {name for names in stated for name in names}
    left_out = {name for name, value in asdict(Layout()).items() if value is UNSET} - known
    return {name: kind for name, kind in LAYOUT_COLUMNS.items() if name not in left_out}


def write_csv(table: ExportTable, target: Target) -> None:
    """Comma-separated values (RFC 4180) in UTF-8 with a header line; truth as true and false.

    Control characters of text are written as escapes (`\\x1b`). Text that a spreadsheet would take
    for a formula, as it begins with = + - or @ and is no number, gets an apostrophe before it.
    """
    names = list(table.columns)

    def write(stream: IO[bytes]) -> None:
        buffer = _Lines(stream)
        writer = csv.writer(buffer)
        writer.writerow([_csv_cell(name) for name in names])
        for row in table.rows:
            writer.writerow([_csv_cell(row.get(name)) for name in names])

    _write(target, write)


def write_json(table: ExportTable, target: Target) -> None:
    """A JSON array with one object a row, one row a line."""

    def write(stream: IO[bytes]) -> None:
        encode = msgspec.json.Encoder().encode
        before = b"[\n"
        for row in table.rows:
            stream.write(before + json_escaped(encode(row).decode()).encode())
            before = b",\n"
        stream.write(b"[]\n" if before == b"[\n" else b"\n]\n")

    _write(target, write)


def write_parquet(table: ExportTable, target: Target) -> None:
    """Apache Parquet, in row groups of 50,000. Raises ExportError where pyarrow is lacking."""
    try:
        import pyarrow  # noqa: PLC0415 - optional and slow to load
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        from machmeter.build.python_tools.python_tool import install_command  # noqa: PLC0415

        raise ExportError(
            "Parquet needs pyarrow, which is not installed",
            f"`{install_command('pyarrow')}`; or export csv or json",
        ) from error
    kinds = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        bool: pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in table.columns.items()])

    def write(stream: IO[bytes]) -> None:
        rows = iter(table.rows)
        with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
            while part := list(islice(rows, _ROWS_AT_ONCE)):
                writer.write_table(pyarrow.Table.from_pylist(part, schema=schema))

    _write(target, write)


WRITERS: dict[str, Callable[[ExportTable, Target], None]] = {
    "csv": write_csv,
    "json": write_json,
    "parquet": write_parquet,
}


class _Lines:
    """What `csv` needs of a text stream, over a stream of bytes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.encode("utf-8"))


def _write(target: Target, write: Callable[[IO[bytes]], None]) -> None:
    """To a stream as it is; to a path under a temporary name, renamed when whole."""
    if not isinstance(target, Path):
        write(target)
        return
    with replacing(target) as stream:
        write(stream)


def parameter_columns(
    points: Iterable[Mapping[str, Value]], others: Iterable[str] = ()
) -> dict[str, str]:
    """Parameter names to column names; one that is taken, or among `others`, gets `parameter_`
    before it.
    """
    taken = {"run", "machine", "origin", "launch", "spec", "role", "verdict", "host", "benchmark"}
    taken |= LAYOUT_COLUMNS.keys() | _ESTIMATE.keys() | _SAMPLE.keys() | set(others)
    names = dict.fromkeys(name for parameters in points for name in parameters)
    return {name: f"parameter_{name}" if name in taken else name for name in names}


def _parameter_cells(parameters: Mapping[str, Value], columns: dict[str, str]) -> Row:
    known = {columns[name]: str(value) for name, value in parameters.items()}
    return {column: known.get(column) for column in columns.values()}


def _estimate_rows(
    result: RunResult,
    role: str | None,
    estimates: Sequence[Estimate],
    parameters: dict[str, str],
) -> Iterator[Row]:
    for one in in_order(estimates):
        layout = msgspec.to_builtins(one.point.configuration)
        figure: dict[str, Any] = {
            name: getattr(one, name) for name in _ESTIMATE if name != "quantity"
        }
        figure |= {
            "unit": one.unit.symbol,
            "quantity": one.unit.name,
            "direction": one.direction.value,
            "scale": one.scale.value,
            **_interval_cells(one),
        }
        yield {
            "run": result.header.id,
            "role": role,
            "machine": result.header.machine.name,
            "origin": one.origin.value,
            "benchmark": one.point.benchmark,
            **_parameter_cells(dict(one.point.parameters), parameters),
            **{name: layout[name] for name in LAYOUT_COLUMNS if name in layout},
            **{name: figure[name] for name in _ESTIMATE},
        }


def _interval_cells(one: Estimate) -> Row:
    """Bounds and precision; the stand-in for infinity would read as data elsewhere."""
    known = one.is_bounded
    return {
        "low": one.low if known else None,
        "high": one.high if known else None,
        "precision": None if is_unbounded(one.precision) else one.precision,
    }


def _sample_rows(
    records: list[tuple[LaunchOutcome, Record]],
    parameters: dict[str, str],
    sides: Mapping[str, str],
    layouts: Mapping[str, Row],
) -> Iterator[Row]:
    for outcome, record in records:
        header = record.header
        if header is None:
            continue
        common: Row = {
            "launch": outcome.launch,
            "spec": outcome.spec,
            "role": sides.get(outcome.spec),
            "verdict": outcome.verdict.value,
            "host": ";".join(dict.fromkeys(place.host for place in header.places)),
            "benchmark": header.benchmark,
            **layouts.get(outcome.spec, {}),
        }
        for point in record.points:
            yield from _point_rows(point, common | _parameter_cells(point.parameters, parameters))


def _point_rows(point: PointRecord, common: Row) -> Iterator[Row]:
    of = next((name for name in _BYTES if name in point.quantities), None)
    quantities = ";".join(f"{name}={value!r}" for name, value in point.quantities.items())
    for series, samples in point.series.items():
        for index, seconds in enumerate(samples):
            yield {
                **common,
                "page_bytes_obtained": point.page_bytes,
                "series": series,
                "index": index,
                "seconds": seconds,
                "bytes": point.quantities[of] if of else None,
                "bytes_of": of,
                "quantities": None if index else quantities,
                "batch": point.batch,
                "check_passed": point.check.passed,
            }


def _csv_cell(cell: Cell) -> Cell:
    """Numbers as they are; text such that it neither steers a terminal nor is a formula."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if not isinstance(cell, str):
        return cell
    text = escaped(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
