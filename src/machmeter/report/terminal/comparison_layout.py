"""The rows of a comparison in a terminal: what each column gets, what gives way in a narrow one.

The ratio and the verdict keep their room; names go to a line of their own first, then intervals.
"""

from __future__ import annotations

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from machmeter.text.comparison import LONGEST_STANDING
from machmeter.text.numbers import ValueText
from machmeter.text.plain import plain

_INDENT = 2
_VALUE = 12
_VERDICT = LONGEST_STANDING
_WITH_INTERVAL, _WITHOUT = 20, 8
# Below this many columns an interval stands below its ratio.
_ROOM_FOR_INTERVALS = 72
_LEAST_VALUE = 4
_CELL, _FIRST = 18, 10
_LEAST_NAME = 28
_MOST_OTHERS = 3


class PairWidths(Struct, frozen=True):
    """Cells of the columns of two machines."""

    name: int
    """Of a row."""
    value: int
    """Either value."""
    ratio: int
    """With its interval."""

    @property
    def before_ratio(self) -> int:
        """Cells of name and values, which a row without its name has for the values."""
        return self.name + 1 + self.value + 1 + self.value


def pair_widths(columns: int) -> PairWidths:
    """What two machines get of a line of `columns`."""
    ratio = _WITH_INTERVAL if columns >= _ROOM_FOR_INTERVALS else _WITHOUT
    rest = columns - _INDENT - 1 - ratio - 2 - _VERDICT
    value = min(_VALUE, max((rest - 2) // 2, _LEAST_VALUE))
    return PairWidths(max(rest - 2 - 2 * value, 0), value, ratio)


def pair_lines(
    name: str, values: tuple[str, str], ratio: ValueText, columns: int
) -> tuple[list[str], list[str]]:
    """The lines of a row up to that which ends with its ratio, and those that follow.

    ratio: with its interval; a name or a value that is too long makes a line of its own.
    """
    widths = pair_widths(columns)
    keeps = cell_len(str(ratio)) <= widths.ratio or not ratio.interval
    fits = cell_len(name) <= widths.name and max(map(cell_len, values)) <= widths.value
    before = [] if fits else wrapped(name, columns, "  ")
    both = f"{values[0]}  {values[1].rjust(widths.value)}"
    if not fits and cell_len(both) > widths.before_ratio:
        before += wrapped(f"{values[0]} versus {values[1]}", columns, "    ")
        both = ""
    fitted = f"{left(name, widths.name)} {_aligned(values, widths)}" if fits else both
    shown = str(ratio) if keeps else ratio.value
    row = f"  {right(fitted, widths.before_ratio)} {right(shown, widths.ratio)}"
    behind = f"  {right(ratio.interval, widths.before_ratio + 1 + widths.ratio)}"
    return [*before, row], [] if keeps else [behind]


def _aligned(values: tuple[str, str], widths: PairWidths) -> str:
    return " ".join(right(value, widths.value) for value in values)


def others_at_once(columns: int) -> int:
    """How many machines other than the baseline a line of `columns` holds."""
    found = (columns - _INDENT - 1 - _FIRST - _LEAST_NAME) // (_CELL + 1)
    return min(max(found, 1), _MOST_OTHERS)


def several_lines(name: str, first: str, others: list[str], columns: int) -> list[str]:
    """A row with a cell for each further machine, before it the name where that is too long."""
    room = max(columns - _INDENT - 1 - _FIRST - (_CELL + 1) * len(others), 0)
    cells = "".join(f" {right(other, _CELL)}" for other in others)
    if cell_len(name) <= room and cell_len(first) <= _FIRST:
        return [f"  {left(name, room)} {right(first, _FIRST)}{cells}"]
    return [*wrapped(name, columns, "  "), f"  {right(first, room + 1 + _FIRST)}{cells}"]


def wrapped(text: str, columns: int, indent: str) -> list[str]:
    """`text` in as many lines as it takes, those after the first indented by two more."""
    words, lines, line = plain(text).split(" "), [], indent
    for word in words:
        joined = f"{line} {word}" if line.strip() else f"{line}{word}"
        if cell_len(joined) > columns and line.strip():
            lines.append(line)
            line = f"{indent}  {word}"
        else:
            line = joined
    return [cut(one, columns) for one in (*lines, line)]


def left(text: str, width: int) -> str:
    """In exactly `width` cells, flush left."""
    fitted = cut(text, width)
    return fitted + " " * (width - cell_len(fitted))


def right(text: str, width: int) -> str:
    """In exactly `width` cells, flush right."""
    fitted = cut(text, width)
    return " " * (width - cell_len(fitted)) + fitted


def cut(text: str, columns: int) -> str:
    """On one line of at most `columns` cells; wide characters take two."""
    fitted = Text(plain(text))
    fitted.truncate(columns, overflow="ellipsis")
    return fitted.plain


def tail(name: str, width: int) -> str:
    """The end of a name that is too long: of two runs that is where their ids differ."""
    whole = plain(name)
    return whole if cell_len(whole) <= width else f"…{whole[-(width - 1) :]}"
