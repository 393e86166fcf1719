"""OSU micro-benchmarks: text output of any version that prints its name and version.

A table begins with `# OSU MPI ... Test v7.4` (before 3: `(Version 2.1)`) and a line that names its
columns; what stands between or after, from a launcher or a batch system, is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import msgspec
from msgspec import Struct

from machmeter.importing.contradictions import is_in_order
from machmeter.importing.osu.columns import BUFFERS, TRANSMITTED, OsuRow
from machmeter.importing.osu.meaning import meaning_of
from machmeter.importing.placement import group_layout, labels_in, of_ranks, place_before, remark_on
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number
from machmeter.importing.unmatched import Kept

_HEAD = re.compile(
    r"^# (OSU (?:MPI|OpenSHMEM|One Sided MPI).{0,80}?)"
    r" (?:v|\(Version )(\d{1,3}(?:\.\d{1,3}){0,2})\S{0,20}\s*$"
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
_WORDS = ("Validation",)
# Puts, gets and atomics say it in other words.
_VALID = ("pass", "passed")
_VARIED = "varied"


class _Table(Struct):
    """One table as it is being read; `columns` are empty until their line came."""

    title: str
    version: str
    line: int
    place: Place
    settings: dict[str, str]
    columns: tuple[str, ...] = ()


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of OSU micro-benchmarks."""
    return text.has(_HEAD)


def read_osu(text: ForeignText, given: Place) -> Reading:
    """The results of every table. Raises MachmeterError for a row that does not fit its columns.

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
        if head:
            title, version = head.groups()
            place = place_before(labels, number, text.name, given, title)
            remarks.append(remark_on(place, text.name))
            table = _Table(title, version, number, place, _settings_before(text, number))
            tools.append(_tool(table))
            continue
        if table is None or not line.strip():
            continue
        if _INIT.match(line):
            results += _start_up(text, table, number, remarks)
            table = None
        elif line.startswith("#"):
            _take_comment(table, line)
        elif table.columns and re.match(r"\s*\d", line):
            results += _row(text, table, number, remarks, kept)
        elif table.columns:
            remarks += _end_words(text, number)
            table = None
        elif table.settings.get("window") == _VARIED:
            remarks.append(f"{text.name}, line {table.line}: a table of varied windows; left out")
            table = None
    said = tuple(dict.fromkeys(filter(None, remarks)))
    return Reading(tuple(tools), tuple(results), said, kept=tuple(dict.fromkeys(kept)))


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


def _take_comment(table: _Table, line: str) -> None:
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
        table.settings |= {"pairs": pairs.group(1), "window": pairs.group(2)}
    elif columns and not rest:
        plain = (re.sub(r" (?=\(us\))", "", name) for name in columns)
        table.columns = tuple(name.removeprefix("Bi-") for name in plain)


def _row(
    text: ForeignText,
    table: _Table,
    number: int,
    remarks: list[str],
    kept: list[Kept],
) -> Iterator[ForeignResult]:
    words = text.lines[number - 1].split()
    expected = f"{len(table.columns)} columns: {', '.join(table.columns)}"
    if len(words) != len(table.columns):
        raise text.refused(number, expected)
    if has_no_number(words):
        remarks.append(f"{text.name}, line {number}: it holds what is no number; left out")
        return
    row = dict(zip(table.columns, words, strict=True))
    for name in set(row) - set(_WORDS):
        text.number(row[name], number, expected)
    for name in ("Size", TRANSMITTED):
        if name in row:
            text.count(row[name], number, expected)
    flag = _flag(row)
    if flag == _INVALID:
        remarks.append(
            f"{text.name}, line {number}: the tool's own validation says {row['Validation']!r}"
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
    if row.get("Validation", "Pass").lower() not in _VALID:
        return _INVALID
    ordered = [float(row[name]) for name in _ORDER if name in row]
    return "" if is_in_order(ordered) else "its minimum, mean and maximum are not in that order"


def _tool(table: _Table) -> str:
    return f"OSU micro-benchmarks {table.version}"


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
    placed = group_layout(of_ranks(table.place, ranks))
    if placed is None:
        remarks.append(
            f"{text.name}, line {number}: {ranks} ranks on {table.place.nodes} nodes are not as "
            "many on each; left out"
        )
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


def _end_words(text: ForeignText, number: int) -> list[str]:
    """The remark on a line that ends a table: none, unless it reports a failure."""
    said = next((line for line in text.lines[number - 1 :] if line.strip("= ")), "")
    if not re.search(r"BAD TERMINATION|error|abort|fault|killed|fail", said, re.IGNORECASE):
        return []
    return [
        f"{text.name}, line {number}: the table ends in {said.strip(' =')[:60]!r}: the run may not "
        "have come to its end"
    ]
