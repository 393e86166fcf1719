"""Documents as GitHub Flavored Markdown (pipe tables)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from machmeter.report.documents.document import Document
from machmeter.report.table import Table
from machmeter.text.plain import plain

_SPECIAL = re.compile(r"([\\|*_`<>&~$]|\[(?![-+<\d])|(?<=\])[(:])")
_AT_LINE_START = re.compile(r"^([#+=-])")


def markdown(document: Document) -> str:
    """The whole document, ending with a line break."""
    lines = [f"# {markdown_text(document.title)}", ""] if document.title else []
    for line in document.lines:
        lines += [_paragraph(line), ""]
    for table in document.tables:
        lines += [f"## {markdown_text(table.caption)}", ""] if table.caption else []
        lines += [*_rows(table), ""]
        lines += [_paragraph(table.note), ""] if table.note else []
    return "\n".join(lines)


def markdown_text(text: str) -> str:
    """`text` on one line, so that it reads the same when rendered: a pipe ends no cell."""
    return _SPECIAL.sub(r"\\\1", plain(text)).strip()


def _paragraph(text: str) -> str:
    escaped = markdown_text(text)
    number = re.match(r"\d+(?=[.)])", escaped)
    if number:
        return f"{number.group()}\\{escaped[number.end() :]}"
    return _AT_LINE_START.sub(r"\\\1", escaped)


def _rows(table: Table) -> Iterator[str]:
    yield _row(table.columns)
    yield _row_of(":---" if n not in table.numeric else "---:" for n in range(len(table.columns)))
    yield from (_row(row) for row in table.rows)


def _row(cells: Iterable[str]) -> str:
    return _row_of(markdown_text(cell) for cell in cells)


def _row_of(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
