"""Documents as lines of text that fit a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest

from msgspec import Struct
from rich.cells import cell_len

from machmeter.report.documents.document import Document
from machmeter.report.table import Table, TableRow
from machmeter.text.plain import plain

_GAP = 2
_INDENT = "  "
_LEAST_COLUMN = 8


class Line(Struct, frozen=True):
    """One line."""

    text: str
    """Without a line break."""
    is_heading: bool = False
    """Whether it is a heading."""


def text_lines(document: Document, columns: int | None = None) -> Iterator[Line]:
    """The whole document in lines of at most `columns` cells (None: of any length).

    Where a table is too wide its first columns become headings within it; then text is wrapped.
    """
    yield from _wrapped(document.title, columns, is_heading=True) if document.title else ()
    for line in document.lines:
        yield from _wrapped(line, columns)
    for position, table in enumerate(document.tables):
        yield from [Line("")] if position or document.title else []
        yield from _wrapped(table.caption, columns, is_heading=True) if table.caption else ()
        yield from _wrapped(table.note, columns, _INDENT) if table.note else ()
        yield from _table(table, columns)


def _wrapped(
    text: str, columns: int | None, indent: str = "", *, is_heading: bool = False
) -> Iterator[Line]:
    for part in _folded(plain(text), columns and max(columns - len(indent), _LEAST_COLUMN)):
        yield Line(f"{indent}{part}", is_heading)


def _table(table: Table, columns: int | None) -> Iterator[Line]:
    room = columns and columns - len(_INDENT)
    rows = [tuple(map(plain, row)) for row in table.rows]
    taken = 0
    while room and taken < table.labels - 1 and _width(table, rows, taken) > room - taken:
        taken += 1
    headings = [plain(name) for name in table.columns]
    if not taken:
        yield from _grid(headings, rows, table.numeric, room, _INDENT)
        return
    numeric = [n - taken for n in table.numeric if n >= taken]
    for group, members in groupby(rows, key=lambda row: row[:taken]):
        named = zip(headings, group, strict=False)
        for line in _folded(", ".join(_named(name, cell) for name, cell in named), room):
            yield Line(f"{_INDENT}{line}")
        parts = [row[taken:] for row in members]
        yield from _grid(headings[taken:], parts, numeric, room and room - 2, _INDENT * 2)


def _named(name: str, cell: str) -> str:
    """A cell that is a number or a size says little without its heading."""
    return f"{name} {cell}" if cell[:1].isdigit() else cell


def _width(table: Table, rows: Sequence[TableRow], taken: int) -> int:
    """Cells of the table without its first columns, headings wrapped."""
    return _total(_widths(table.columns[taken:], [row[taken:] for row in rows]))


def _widths(headings: Sequence[str], rows: Iterable[TableRow]) -> list[int]:
    words = [max(map(cell_len, name.split() or [""])) for name in headings]
    for row in rows:
        words = [max(width, cell_len(cell)) for width, cell in zip(words, row, strict=True)]
    return words


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _grid(
    headings: Sequence[str],
    rows: Sequence[TableRow],
    numeric: Sequence[int],
    room: int | None,
    indent: str,
) -> Iterator[Line]:
    whole = [
        max(pair) for pair in zip(_widths(headings, rows), map(cell_len, headings), strict=True)
    ]
    widths = whole if not room or _total(whole) <= room else _widths(headings, rows)
    if room:
        words = _widths(headings, (tuple(map(_longest_word, row)) for row in rows))
        text = [n for n in range(len(widths)) if n not in numeric]
        widths = _narrowed(widths, words, text, room)
    for cells in (tuple(headings), *rows):
        parts = [_folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for line in zip_longest(*parts, fillvalue=""):
            padded = (
                _padded(cell, width, right=n in numeric)
                for n, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            yield Line(f"{indent}{(' ' * _GAP).join(padded)}".rstrip())


def _longest_word(cell: str) -> str:
    return max(cell.split() or [""], key=cell_len)


def _narrowed(widths: list[int], words: Sequence[int], text: Sequence[int], room: int) -> list[int]:
    """The widest columns of text narrowed until all fit, first where no word breaks, then any
    column; what names a row, which people copy, last.
    """
    found = list(widths)
    while _total(found) > room:
        wide = (
            [n for n in text if found[n] > max(_LEAST_COLUMN, words[n])]
            or [n for n in text[1:] if found[n] > _LEAST_COLUMN]
            or [n for n in text if found[n] > _LEAST_COLUMN]
            or [n for n, width in enumerate(found) if width > _LEAST_COLUMN]
        )
        if not wide:
            return found
        found[max(wide, key=lambda n: found[n])] -= 1
    return found


def _folded(text: str, columns: int | None) -> list[str]:
    """In lines of at most `columns` cells; wide characters take two."""
    if not columns or cell_len(text) <= columns:
        return [text]
    if all(cell_len(c) == 1 for c in text):
        return textwrap.wrap(text, columns, break_on_hyphens=False) or [""]
    lines, line = [], ""
    for c in text:
        if cell_len(line + c) > columns:
            lines.append(line)
            line = ""
        line += c
    return [*lines, line]


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - cell_len(cell))
    return f"{space}{cell}" if right else f"{cell}{space}"
