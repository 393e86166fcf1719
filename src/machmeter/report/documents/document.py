"""Tables under headings, as every format writes them."""

from __future__ import annotations

from msgspec import Struct

from machmeter.report.table import Table


class Document(Struct, frozen=True):
    """What a command shows, as data: each format writes all of it."""

    title: str
    """What it is of; empty where its only table says that."""
    tables: tuple[Table, ...]
    """In their order."""
    lines: tuple[str, ...] = ()
    """Below the title, a paragraph each."""
