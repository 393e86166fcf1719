"""A table as text: rows, columns, a caption; every medium writes it."""

from __future__ import annotations

from msgspec import Struct

TableRow = tuple[str, ...]


class Table(Struct, frozen=True):
    """A table as text."""

    caption: str
    """What it is of."""
    columns: tuple[str, ...]
    """Headings."""
    rows: tuple[TableRow, ...]
    """Cells; the first one names its row."""
    numeric: tuple[int, ...] = ()
    """Positions of the columns that are set flush right."""
    note: str = ""
    """Below the table."""
    keys: tuple[tuple[float | None, ...], ...] = ()
    """Of each row by what number a column is sorted; None sorts it by its text. Empty for all by
    text."""
    labels: int = 1
    """How many of the first columns say what a row is of."""
