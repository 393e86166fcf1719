"""Parsers of the tables that OSU and IMB programs print, which are untrusted.

Every function raises ValueError that says what is missing. Values are in seconds, bytes per
second, messages per second and shares of 1. Tables without a column of sizes have the size 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from msgspec import Struct

LARGEST_TEXT = 2**20
MOST_ROWS = 200
MOST_COLUMNS = 16
_NUMBER = r"[-+]?\d{1,18}(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?"
_ROW = re.compile(rf"^[ \t]*{_NUMBER}(?:[ \t]+{_NUMBER}){{0,{MOST_COLUMNS}}}[ \t]*$", re.MULTILINE)
_OSU_REMARK = re.compile(
    r"# HOST/\w{1,40}: [a-z]{1,20}( \d{1,15} bytes)?( at 0x[0-9a-f]{1,16})?\n?"
)
_OSU_HEAD = re.compile(r"^# (Size\b|Avg Latency\(us\)|Overall\(us\))", re.MULTILINE)
_OSU_COLUMN = re.compile(r"^(?:(.{1,40}?) ?\((us|MB/s|%|\w{1,8})\)|(MB/s|Messages/s|Iterations))$")
_IMB_HEAD = re.compile(
    r"^[ \t]*((?:#bytes[ \t]+)?#repetitions(?:[ \t]+\S{1,30}){1,8})[ \t]*$", re.MULTILINE
)
_IMB_MODE = re.compile(r"^#\s+MODE:\s+([A-Z-]{1,30})\s*$", re.MULTILINE)
_IMB_COLUMN = re.compile(r"^#?([\w/]{1,30})(?:\[(\S{1,8})\])?$")
_FACTORS = {
    **{"us": 1e-6, "usec": 1e-6, "%": 0.01, "MB/s": 1e6},
    **{"Mbytes/sec": 1e6, "Msg/sec": 1.0, "Messages/s": 1.0},
    **{"Iterations": 1.0, "repetitions": 1.0},
}


class Table(Struct, frozen=True):
    """Values by size and column; steps: the value of one in the last printed digit, by column."""

    columns: tuple[str, ...]
    rows: dict[int, tuple[float, ...]]
    steps: tuple[float, ...]

    def column(self, name: str) -> dict[int, float]:
        """The values of one column by size. Raises ValueError if there is no such column."""
        place = self._place(name)
        return {size: values[place] for size, values in self.rows.items()}

    def step(self, name: str) -> float:
        """The value of one in the last printed digit of a column. Raises ValueError as `column`."""
        return self.steps[self._place(name)]

    def _place(self, name: str) -> int:
        if name not in self.columns:
            raise ValueError(f"the table has no column {name!r}, only {', '.join(self.columns)}")
        return self.columns.index(name)


class _Head(Struct, frozen=True):
    names: tuple[str, ...]
    factors: tuple[float, ...]
    sized: bool


def parse_osu_table(text: str) -> Table:
    """The table of an OSU program. Columns are named without their unit: `Avg Latency`, `MB/s`.

    Messages of either rank on allocated memory may be anywhere, also inside the header line.
    """
    text = _OSU_REMARK.sub("", _bounded(text))
    begin = _OSU_HEAD.search(text)
    if not begin:
        raise ValueError("the OSU program printed no header line '# Size ...'")
    rest = text[begin.start() :]
    first = _ROW.search(rest)
    if not first:
        raise ValueError("the OSU program printed no line of its table")
    words = re.split(r"\s{2,}", rest[2 : first.start()].strip())
    sized = words[0] == "Size"
    named = [_osu_column(word) for word in words[1 if sized else 0 :]]
    head = _Head(tuple(n for n, _ in named), tuple(f for _, f in named), sized)
    return _table(head, _ROW.findall(rest), "the OSU program")


def parse_imb_table(text: str, mode: str = "") -> Table:
    """The first table of an IMB program; mode: of the section with that `MODE:` line.

    Columns are named without number sign and unit: `t`, `t_max`, `Mbytes/sec`.
    """
    text = _bounded(text)
    if mode:
        modes = {match.group(1): match.end() for match in _IMB_MODE.finditer(text)}
        if mode not in modes:
            raise ValueError(f"the IMB program printed no section 'MODE: {mode}'")
        text = text[modes[mode] :]
    begin = _IMB_HEAD.search(text)
    if not begin:
        raise ValueError("the IMB program printed no header line with #repetitions")
    words = begin.group(1).split()
    sized = words[0] == "#bytes"
    named = [_imb_column(word) for word in words[1 if sized else 0 :]]
    head = _Head(tuple(n for n, _ in named), tuple(f for _, f in named), sized)
    body = text[begin.end() :].split("#", 1)[0]
    return _table(head, _ROW.findall(body), "the IMB program")


def _bounded(text: str) -> str:
    if len(text) > LARGEST_TEXT:
        raise ValueError(f"a table of {len(text)} characters is longer than any of OSU or IMB")
    return text


def _osu_column(word: str) -> tuple[str, float]:
    match = _OSU_COLUMN.match(word)
    if not match:
        raise ValueError(f"the OSU program names a column that is not known: {word[:60]!r}")
    name, unit, alone = match.groups()
    return (alone or name), _factor(alone or unit, word)


def _imb_column(word: str) -> tuple[str, float]:
    match = _IMB_COLUMN.match(word)
    if not match:
        raise ValueError(f"the IMB program names a column that is not known: {word[:60]!r}")
    name, unit = match.groups()
    return name, _factor(unit or name, word)


def _factor(unit: str, word: str) -> float:
    if unit not in _FACTORS:
        raise ValueError(f"a column has a unit that is not known: {word[:60]!r}")
    return _FACTORS[unit]


def _table(head: _Head, lines: Sequence[str], who: str) -> Table:
    if not lines:
        raise ValueError(f"{who} printed no line of its table")
    if len(lines) > MOST_ROWS:
        raise ValueError(f"{who} printed {len(lines)} lines, more than {MOST_ROWS}")
    rows: dict[int, tuple[float, ...]] = {}
    decimals = [0] * len(head.names)
    for line in lines:
        words = line.split()
        cells = words[1:] if head.sized else words
        if len(cells) != len(head.names):
            raise ValueError(f"{who}: a line has {len(cells)} values, its header {len(head.names)}")
        rows[_size(words[0], who) if head.sized else 0] = tuple(
            _value(cell, factor, who) for cell, factor in zip(cells, head.factors, strict=True)
        )
        decimals = [max(d, _decimals(cell)) for d, cell in zip(decimals, cells, strict=True)]
    steps = tuple(f * 10.0**-d for f, d in zip(head.factors, decimals, strict=True))
    return Table(head.names, rows, steps)


def _size(word: str, who: str) -> int:
    if not re.fullmatch(r"\d{1,15}", word):
        raise ValueError(f"{who}: {word[:20]!r} is no message size")
    return int(word)


def _value(word: str, factor: float, who: str) -> float:
    value = float(word) * factor
    if not math.isfinite(value):
        raise ValueError(f"{who}: {word[:20]!r} is no finite number")
    return value


def _decimals(word: str) -> int:
    return len(word.partition(".")[2])
