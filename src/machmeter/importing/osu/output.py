"""OSU micro-benchmarks: text output of any version that prints its name.

A table begins with `# OSU MPI ... Test v7.4` (before 3: `(Version 2.1)`; compiled by hand: no
version) and a line that names its columns; what stands between rows or after them, from a launcher
or a batch system, is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import msgspec
from msgspec import Struct, field

from machmeter.importing.contradictions import is_in_order
from machmeter.importing.lines.rows import (
    PASSED,
    VALIDATION,
    RowsRead,
    begins_another,
    begins_like_row,
    remarks_on_rows,
    row_at,
)
from machmeter.importing.osu.buffers import BUFFERS, buffers_before
from machmeter.importing.osu.columns import OsuRow
from machmeter.importing.osu.meaning import meaning_of
from machmeter.importing.osu.windows import WINDOW, window_before
from machmeter.importing.placement import group_layout, labels_in, of_ranks, place_before, remark_on
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText
from machmeter.importing.unmatched import Kept
from machmeter.model.errors import MachmeterError

_HEAD = re.compile(
    r"^# (OSU (?:MPI|OpenSHMEM|One Sided MPI|[NRx]CCL|XCCL|UPC).{0,80}?)"
    r"(?: (?:v|\(Version )(\d{1,3}(?:\.\d{1,3}){0,2})\S{0,20}|(?<= Test))\s*$"
)
_SETTING = re.compile(r"^# (Window creation|Synchronization|Datatype): (.{1,60}?)\.?\s*$")
_BUFFERS = re.compile(
    r"^# (?:Send Buffer|Rank 0 Memory) on (\w{1,20}).{0,20} and "
    r"(?:Receive Buffer|Rank 1 Memory) on (\w{1,20})"
)
_USERS = re.compile(
    r"^# Number of (?:(sender|receiver) )?(threads|forked processes)(?: in (sender|receiver))?: "
    r"(\d{1,6})\s*$",
    re.IGNORECASE,
)
_PAIRS = re.compile(r"# \[ pairs: (\d{1,6}) \] \[ window size: (\w{1,10}) \]")
_INIT = re.compile(
    r"^nprocs: (\d{1,9}), min: (\d{1,12}) ms, max: (\d{1,12}) ms, avg: (\d{1,12}) ms"
)
_COLUMN = re.compile(
    r"Size|(?:Avg |Min |Max )?Latency ?\(us\)|(?:Bi-)?Bandwidth \(MB/s\)|P\d{1,2} Tail (?:Lat\(us\)"
    r"|BW\(MB/s\))|MB/s|Messages/s|Iterations|Validation|Transmit Size|Overall\(us\)|Compute\(us\)"
    r"|Coll\. Init\(us\)|MPI_Test\(us\)|MPI_Wait\(us\)|Pure Comm\.\(us\)|Min Comm\.\(us\)"
    r"|Max Comm\.\(us\)|Overlap\(%\)|Ops/s|Latency\(ms\)"
)
_VARIED = "varied"


class _Table(Struct):
    """One table as it is being read; `columns` are empty until their line came."""

    title: str
    version: str
    line: int
    place: Place
    settings: dict[str, str]
    columns: tuple[str, ...] = ()
    rows: RowsRead = field(default_factory=RowsRead)


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of OSU micro-benchmarks."""
    return text.has(_HEAD)


def read_osu(text: ForeignText, given: Place) -> Reading:
    """The results of every table; a remark for each line of one that is no row.

    given: where it ran, where a person said so; else labels around the tables count.
    """
    results: list[ForeignResult] = []
    remarks: list[str] = []
    tools: list[str] = []
    kept: list[Kept] = []
    table: _Table | None = None
    labels = labels_in(text.lines)
    for number, line in enumerate(text.lines, start=1):
        head = _HEAD.match(line)
        if table is not None and (head or (table.columns and begins_another(line))):
            remarks += remarks_on_rows(text, table.rows)
            table = None
        if head:
            title, version = head.groups()
            place = place_before(labels, number, text.name, given, title)
            remarks.append(remark_on(place, text.name))
            settings = _settings_before(text, number)
            if window := window_before(labels, number, title):
                settings[WINDOW] = window
            if buffers := buffers_before(labels, number, title):
                settings[BUFFERS] = buffers
            table = _Table(title, version or "", number, place, settings)
            tools.append(_tool(table))
        elif table is not None and line.strip() and _INIT.match(line):
            results += _start_up(text, table, number, remarks)
            table = None
        elif table is not None and line.strip():
            results += _line(text, table, number, remarks, kept)
    remarks += remarks_on_rows(text, table.rows) if table is not None else ()
    said = tuple(dict.fromkeys(filter(None, remarks)))
    return Reading(tuple(tools), tuple(results), said, kept=tuple(dict.fromkeys(kept)))


def _line(
    text: ForeignText, table: _Table, number: int, remarks: list[str], kept: list[Kept]
) -> list[ForeignResult]:
    """The results of a line below the head of a table: none where it is no row."""
    line = text.lines[number - 1]
    if line.startswith("#"):
        _take_comment(table, line, number)
    elif table.columns and begins_like_row(line):
        try:
            return list(_row(text, table, number, remarks, kept))
        except MachmeterError as error:
            table.rows.refused.append(error.message)
    elif table.columns:
        table.rows.after.append(number)
    elif table.settings.get(WINDOW) == _VARIED:
        remarks.append(f"{text.name}, line {table.line}: a table of varied windows; left out")
    return []


def _settings_before(text: ForeignText, number: int) -> dict[str, str]:
    """What some tests print right above their head: how many threads or processes take part."""
    above = reversed(text.lines[max(0, number - 4) : number - 1])
    near = takewhile(lambda line: line.startswith("#") or not line.strip(), above)
    return {name: said for line in near for name, said in _users(line).items()}


def _users(line: str) -> dict[str, str]:
    found = _USERS.match(line)
    if not found:
        return {}
    before, what, after, count = found.groups()
    side = (before or after or "").lower()
    return {f"{side} {what.lower()}".strip(): count}


def _take_comment(table: _Table, line: str, number: int) -> None:
    setting = _SETTING.match(line)
    pairs = _PAIRS.match(line)
    buffers = _BUFFERS.match(line)
    columns = tuple(_COLUMN.findall(line[1:]))
    rest = _COLUMN.sub("", line[1:]).strip()
    if setting:
        table.settings[setting.group(1)] = setting.group(2)
    elif buffers:
        table.settings[BUFFERS] = f"{buffers.group(1)} to {buffers.group(2)}"
    elif users := _users(line):
        table.settings |= users
    elif pairs:
        table.settings |= {"pairs": pairs.group(1), WINDOW: pairs.group(2)}
    elif columns and not rest:
        plain = (re.sub(r" (?=\(us\))", "", name) for name in columns)
        table.columns = tuple(name.removeprefix("Bi-") for name in plain)
        table.rows.begin(number)


def _row(
    text: ForeignText,
    table: _Table,
    number: int,
    remarks: list[str],
    kept: list[Kept],
) -> Iterator[ForeignResult]:
    row = row_at(text, number, table.columns, table.rows)
    expected = f"{len(table.columns)} columns: {', '.join(table.columns)}"
    flag = _flag(row)
    if flag == _INVALID:
        remarks.append(
            f"{text.name}, line {number}: the tool's own validation says {row[VALIDATION]!r}"
        )
    size = int(row["Size"]) if "Size" in row else None
    printed = OsuRow(table.title, table.version, table.settings, table.place, size, row)
    group = f"{text.name}, line {table.line}: {table.title}"
    meanings, why = meaning_of(printed)
    if not meanings:
        remarks.append(f"{group}: no column that is known; left out")
    elif why:
        kept.append(Kept("OSU", _short(table.title), why))
    for meaning in meanings:
        if meaning.column not in row:
            raise text.refused(number, f"a column {meaning.column} beside {expected}")
        value, decimals = text.number(row[meaning.column], number, expected)
        result = meaning.result(value, decimals, group, number, flag)
        yield msgspec.structs.replace(result, program=_tool(table))


_INVALID = "the tool's own validation failed"
_ORDER = ("Min Latency(us)", "Avg Latency(us)", "Max Latency(us)")


def _flag(row: dict[str, str]) -> str:
    """What is wrong with a row whose words are numbers; empty where nothing is."""
    if row.get(VALIDATION, "Pass").lower() not in PASSED:
        return _INVALID
    ordered = [float(row[name]) for name in _ORDER if name in row]
    return "" if is_in_order(ordered) else "its minimum, mean and maximum are not in that order"


def _tool(table: _Table) -> str:
    return f"OSU micro-benchmarks{f' {table.version}' if table.version else ', version not stated'}"


def _short(title: str) -> str:
    return re.sub(r"^OSU (MPI )?", "", title).removesuffix(" Test")


def _start_up(
    text: ForeignText, table: _Table, number: int, remarks: list[str]
) -> Iterator[ForeignResult]:
    """The time of MPI_Init on the slowest rank, from osu_init."""
    found = _INIT.match(text.lines[number - 1])
    if not found or not int(found.group(3)):
        return
    ranks = int(found.group(1))
    place = of_ranks(table.place, ranks)
    placed = group_layout(place)
    if placed is None:
        why = f"{ranks} ranks on {place.nodes} nodes are not as many on each"
        remarks.append(f"{text.name}, line {number}: {place.unknown or why}; left out")
        return
    layout, note = placed
    yield ForeignResult(
        values=(float(found.group(3)),),
        unit="ms",
        decimals=0,
        group=f"{text.name}, line {table.line}: {table.title}",
        line=number,
        benchmark="network.startup",
        metric="init",
        layout=layout,
        text="MPI_Init, slowest rank",
        note=note,
        program=_tool(table),
    )
