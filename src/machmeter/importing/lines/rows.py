"""Rows of a table: a line that is none costs itself, not the rows after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from machmeter.importing.launch_lines import launch_in
from machmeter.importing.lines.ends import NEXT_TABLE, abort_below, remark_on_end
from machmeter.importing.text import ForeignText, decimals_of, has_no_number
from machmeter.model.errors import MachmeterError

VALIDATION = "Validation"
# Puts, gets and atomics say it in other words.
PASSED = ("pass", "passed", "skipped")
_ROW = re.compile(r"\s*\d{1,25}(\.\d{0,25})?(\s|$)")
_SIZES = ("Size", "#bytes")
_WHOLE = ("Iterations", "Transmit Size", "Msg/sec", "defects", "#repetitions", *_SIZES)
# With these the output of another test or tool begins.
_BEGIN = re.compile(rf"\s*({NEXT_TABLE}|# All processes entering|-{{20}})")
_FAILURE = re.compile(r"BAD TERMINATION|error|abort|fault|killed|fail", re.IGNORECASE)
_MOST_QUOTED = 3
# What OSU and IMB print; from OSU 7.4 on also five.
_LEAST_DECIMALS, _DECIMALS = 2, (2, 5)
_TOLERANCE = 0.06


class RowsRead(Struct):
    """What was found of the rows of a table so far."""

    last: Mapping[str, str] = field(default_factory=dict)
    """The last row: words by column."""
    after: list[int] = field(default_factory=list)
    """Lines below the last row that are none."""
    between: list[int] = field(default_factory=list)
    """Lines between two rows that are none."""
    refused: list[str] = field(default_factory=list)
    """Why lines that begin like rows are none."""
    until: int = 0
    """The line of the last row, or of the columns where there is none."""

    def begin(self, line: int) -> None:
        """Rows below other columns, of line `line`, are not compared with those above them."""
        self.until = line
        self.last = {}
        self.after.clear()


def begins_like_row(line: str) -> bool:
    """Whether a line begins with a number."""
    return bool(_ROW.match(line))


def begins_another(line: str) -> bool:
    """Whether what follows is output of another test or tool."""
    if begins_like_row(line):
        return False
    return bool(_BEGIN.match(line)) or launch_in(line) is not None


def row_at(
    text: ForeignText, number: int, columns: Sequence[str], read: RowsRead
) -> dict[str, str]:
    """The words of the row in line `number` by column.

    Raises MachmeterError where it is no row of the table, holds no numbers or was cut.
    """
    words = text.lines[number - 1].split()
    expected = f"{len(columns)} columns: {', '.join(columns)}"
    if len(words) != len(columns):
        raise text.refused(number, expected)
    row = dict(zip(columns, words, strict=True))
    if has_no_number(word for name, word in row.items() if name != VALIDATION):
        raise MachmeterError(f"{text.name}, line {number}: it holds what is no number")
    for name, word in row.items():
        if name != VALIDATION:
            text.number(word, number, expected)
    for name in (*_SIZES, "Transmit Size", "Group"):
        if name in row:
            text.count(row[name], number, expected)
    if read.after and read.last and not _follows(row, read.last):
        raise text.refused(number, "a row of the table above")
    if text.may_be_cut(number) and _is_cut(row, read.last):
        raise MachmeterError(
            f"{text.name}, line {number}: the file may have been cut within {words[-1]!r}: the "
            "line has no end"
        )
    read.between += read.after
    read.after.clear()
    read.last = row
    read.until = number
    return row


def remarks_on_rows(text: ForeignText, read: RowsRead) -> Iterator[str]:
    """What was not read of a table, and whether it ends in a failure."""
    yield from (f"{why}; left out" for why in read.refused[:_MOST_QUOTED])
    more = len(read.refused) - _MOST_QUOTED
    if more > 0:
        where = read.refused[_MOST_QUOTED].split(": ")[0]
        yield f"{where}: {more} more lines of the table left out"
    if read.between:
        first, count = read.between[0], len(read.between)
        quoted = text.lines[first - 1].strip()[:60]
        lines = f"{count} line{'s' * (count != 1)}"
        yield f"{text.name}, line {first}: {quoted!r} is no row; {lines} of the table left out"
    below = next((n for n in read.after if text.lines[n - 1].strip("= ")), 0)
    if not below or not _FAILURE.search(text.lines[below - 1]):
        below = abort_below(text, read.until) if read.until else 0
    if below:
        yield remark_on_end(text, below)


def _follows(row: Mapping[str, str], last: Mapping[str, str]) -> bool:
    """Whether a row after other lines is of the same table: sizes grow, groups share one."""
    size = next((name for name in _SIZES if name in row), "")
    least = 0 if "Group" in row else 1
    return bool(size) and int(row[size]) >= int(last[size]) + least


def _is_cut(row: Mapping[str, str], last: Mapping[str, str]) -> bool:
    """Whether the last word of a line without an end has fewer characters than it should have."""
    name, word = list(row.items())[-1]
    if name == VALIDATION:
        return word.lower() not in PASSED and any(one.startswith(word.lower()) for one in PASSED)
    if name == "Msg/sec":
        return not _is_whole_rate(row)
    if name in _WHOLE:
        return False
    decimals = decimals_of(word)
    if last:
        return decimals < decimals_of(last[name])
    others = [decimals_of(row[one]) for one in row if one not in (name, VALIDATION, *_WHOLE)]
    return decimals < max((_LEAST_DECIMALS, *others)) or not (others or decimals in _DECIMALS)


def _is_whole_rate(row: Mapping[str, str]) -> bool:
    """Whether messages a second, printed without decimals, are those of the megabytes a second.

    With one digit more or less they would not be.
    """
    size, megabytes = float(row.get("#bytes", 0)), row.get("Mbytes/sec", "")
    if not size or not megabytes:
        return False
    rounding = 0.5 * 10.0 ** -decimals_of(megabytes)
    printed = float(row["Msg/sec"])
    # Megabytes of 2^20 B are 5 % more.
    least = (float(megabytes) - rounding) * 1e6 / size * (1 - _TOLERANCE)
    most = (float(megabytes) + rounding) * 1e6 / size * (1 + _TOLERANCE)
    return least <= printed <= most < 10 * printed
