"""Intel MPI Benchmarks: text output of IMB-MPI1, IMB-EXT, IMB-NBC and IMB-RMA, 3.0 to 2021.

A table begins with `# Benchmarking NAME`, states how many processes took part, and names its
columns. What is sized per peer, per rank or per root is so in machmeter too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import msgspec
from msgspec import Struct, field

from machmeter.importing.contradictions import is_in_order
from machmeter.importing.imb.meaning import ImbRow, meaning_of
from machmeter.importing.imb.suite import Suite
from machmeter.importing.lines.rows import (
    RowsRead,
    begins_another,
    begins_like_row,
    remarks_on_rows,
    row_at,
)
from machmeter.importing.placement import labels_in, of_ranks, place_before, remark_on
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText
from machmeter.importing.unmatched import Kept
from machmeter.model.errors import MachmeterError

_SUITE = re.compile(
    r"^#\s+Intel ?\([RrMmTt]+\) MPI Benchmark(?:s| Suite) [Vv]?([\d.]{1,12})(.{0,40})"
)
_BEGIN = re.compile(r"^# Benchmarking ([\w-]{1,40})\s*$")
_PROCESSES = re.compile(r"^# #processes = (\d{1,9})(?: \(threads: (\d{1,6})\))?")
_GROUPS = re.compile(r"^# \( *(\d{1,9}) groups of (\d{1,9}) processes each")
_WAITING = re.compile(r"^# \( *(\d{1,9}) additional process(?:es)? waiting in")
_MODE = re.compile(r"^#\s+MODE: (NON-AGGREGATE|AGGREGATE)")
_CALL = re.compile(r"^# (\S*IMB-\S{1,40}.*)$")
_DATATYPE = re.compile(r"^# MPI_Datatype( for reductions)?\s*:\s*(MPI_\w{1,20})")
_COLUMN = re.compile(
    r"Group|#bytes|#repetitions|t_min\[usec\]|t_max\[usec\]|t_avg\[usec\]|t_ovrl\[usec\]|t_pure\[usec\]"
    r"|t_CPU\[usec\]|t\[usec\]|overlap\[%\]|Mbytes/sec|Msg/sec|defects"
)
_GAVE_UP = re.compile(r"out-of-mem\.?|time-out\.?|int-overflow\.?")
_CONTINUED = re.compile(r"^# {2,40}(\S.*)$")
_ORDER = ("t_min[usec]", "t_avg[usec]", "t_max[usec]")


class _Table(Struct):
    name: str
    line: int
    place: Place
    processes: int = 0
    threads: int = 0
    groups: int = 1
    waiting: int = 0
    mode: str = ""
    columns: tuple[str, ...] = ()
    rows: RowsRead = field(default_factory=RowsRead)


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of the Intel MPI Benchmarks."""
    return text.has(_SUITE)


def read_imb(text: ForeignText, given: Place) -> Reading:
    """The results of every table; a remark for each line of one that is no row.

    given: the nodes that it ran on, where a person said so.
    """
    results: list[ForeignResult] = []
    remarks: list[str] = []
    tools: list[str] = []
    kept: list[Kept] = []
    suite = Suite("")
    table: _Table | None = None
    labels = labels_in(text.lines)
    place = given
    for number, line in enumerate(text.lines, start=1):
        begun, head = _SUITE.match(line), _BEGIN.match(line)
        if table is not None and table.columns and (begun or head or begins_another(line)):
            remarks += remarks_on_rows(text, table.rows)
            table = None
        if begun:
            suite, table = Suite(begun.group(1), begun.group(2)), None
            place = place_before(labels, number, text.name, given, "IMB")
            remarks.append(remark_on(place, text.name))
            tools.append(_tool(suite))
        elif head:
            table = _Table(head.group(1), number, place)
        elif table is not None and line.strip():
            results += _line(text, suite, table, number, (remarks, kept))
        else:
            suite = _updated(suite, text, number)
    remarks += remarks_on_rows(text, table.rows) if table is not None else ()
    said = tuple(dict.fromkeys(filter(None, remarks)))
    return Reading(tuple(tools), tuple(results), said, kept=tuple(dict.fromkeys(kept)))


def _line(
    text: ForeignText,
    suite: Suite,
    table: _Table,
    number: int,
    said: tuple[list[str], list[Kept]],
) -> list[ForeignResult]:
    """The results of a line below the head of a table: none where it is no row."""
    line = text.lines[number - 1]
    if _COLUMN.search(line) and not _COLUMN.sub("", line).strip():
        table.columns = tuple(_COLUMN.findall(line))
        table.rows.begin(number)
    elif line.startswith("#"):
        _take_comment(table, line)
    elif table.columns and begins_like_row(line):
        try:
            return list(_row(text, suite, table, number, said))
        except MachmeterError as error:
            table.rows.refused.append(error.message)
    elif table.columns:
        table.rows.after.append(number)
    return []


def _tool(suite: Suite) -> str:
    return f"Intel MPI Benchmarks {suite.version}"


def _updated(suite: Suite, text: ForeignText, number: int) -> Suite:
    """The suite with what a line above the tables says of it."""
    line = text.lines[number - 1]
    call = _CALL.match(line)
    datatype = _DATATYPE.match(line)
    if call:
        return msgspec.structs.replace(suite, call=_whole_call(call.group(1), text, number))
    if datatype and datatype.group(1):
        return msgspec.structs.replace(suite, datatype=datatype.group(2))
    return msgspec.structs.replace(suite, sent=datatype.group(2)) if datatype else suite


def _whole_call(begin: str, text: ForeignText, number: int) -> str:
    """A command line, with the indented lines on which it goes on."""
    after = (_CONTINUED.match(line) for line in text.lines[number:])
    return " ".join((begin, *(found.group(1) for found in takewhile(bool, after) if found)))


def _take_comment(table: _Table, line: str) -> None:
    processes, groups, mode = _PROCESSES.match(line), _GROUPS.match(line), _MODE.match(line)
    waiting = _WAITING.match(line)
    if processes:
        table.processes = int(processes.group(1))
        table.threads = int(processes.group(2) or 0)
    elif groups:
        table.groups, table.processes = int(groups.group(1)), int(groups.group(2))
    elif waiting:
        table.waiting = int(waiting.group(1))
    elif mode:
        table.mode = mode.group(1)


def _place_of(table: _Table) -> Place:
    """Where the processes of one group ran: of some of those on several nodes it is not known."""
    place, ranks = table.place, table.processes
    if not table.waiting:
        return of_ranks(place, ranks)
    if place.each == 1 or (place.nodes < 2 and not place.between):
        return Place(ranks if place.each == 1 else place.nodes, ranks, place.label)
    taking_part = ranks * table.groups
    started = taking_part + table.waiting
    unknown = f"{taking_part} of {started} processes took part: on which nodes is not printed"
    return Place(0, ranks, place.label, unknown)


def _row(
    text: ForeignText,
    suite: Suite,
    table: _Table,
    number: int,
    said: tuple[list[str], list[Kept]],
) -> Iterator[ForeignResult]:
    remarks, kept = said
    gave_up = _GAVE_UP.search(text.lines[number - 1])
    if gave_up and len(text.lines[number - 1].split()) != len(table.columns):
        remarks.append(
            f"{text.name}, line {number}: IMB gave this size up ({gave_up.group()}); left out"
        )
        return
    row = row_at(text, number, table.columns, table.rows)
    expected = f"{len(table.columns)} columns: {', '.join(table.columns)}"
    numbers = {name: text.number(word, number, expected) for name, word in row.items()}
    size = text.count(row["#bytes"], number, expected) if "#bytes" in row else None
    ordered = [numbers[name][0] for name in _ORDER if name in numbers]
    flag = "" if is_in_order(ordered) else "its minimum, mean and maximum are not in that order"
    of = text.count(row["Group"], number, expected) if "Group" in row else None
    place = _place_of(table)
    printed = ImbRow(table.name, table.groups, table.mode, place, size, numbers, of, table.threads)
    group = f"{text.name}, line {table.line}: IMB {table.name}"
    meanings, why = meaning_of(suite, printed, group, remarks)
    if why:
        kept.append(Kept("IMB", table.name, why))
    for meaning in meanings:
        if meaning.column not in numbers:
            raise text.refused(number, f"a column {meaning.column} beside {expected}")
        value, decimals = numbers[meaning.column]
        result = meaning.result(value, decimals, group, number, flag)
        options = {"options": f"{suite.program} {suite.options}".strip()} if suite.call else {}
        yield msgspec.structs.replace(result, program=_tool(suite), started_with=options)
