"""Documents on standard output, in the format that was requested."""

from __future__ import annotations

import sys

from rich.text import Text

from machmeter.cli.consoles import wide_console
from machmeter.cli.options.formats import DocumentFormat
from machmeter.report.documents.document import Document
from machmeter.report.documents.latex import latex
from machmeter.report.documents.markdown import markdown
from machmeter.report.documents.text import text_lines

_WRITERS = {DocumentFormat.MARKDOWN: markdown, DocumentFormat.LATEX: latex}


def print_document(document: Document, file_format: DocumentFormat = DocumentFormat.TEXT) -> None:
    """All of it, without a pager: text fits the terminal; in a pipe no line is cut or wrapped."""
    if file_format in _WRITERS:
        sys.stdout.write(_WRITERS[file_format](document))
        return
    console = wide_console()
    columns = console.width if console.is_terminal else None
    if columns is None:
        # A console takes long for each of a thousand lines, and in a pipe it adds nothing.
        sys.stdout.writelines(f"{line.text}\n" for line in text_lines(document, None))
        return
    for line in text_lines(document, columns):
        text = Text(line.text, style="bold" if line.is_heading else "")
        console.print(text, soft_wrap=True, highlight=False, markup=False)
