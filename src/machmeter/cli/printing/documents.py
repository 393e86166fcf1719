"""Documents on standard output, in the format that was requested."""

from __future__ import annotations

import shutil
import sys

from machmeter.cli.options.formats import DocumentFormat
from machmeter.report.documents.document import Document
from machmeter.report.documents.text import text_lines


def print_document(
    document: Document,
    file_format: DocumentFormat = DocumentFormat.TEXT,
    *,
    most_columns: int | None = None,
) -> None:
    """All of it, without a pager: text fits the terminal; in a pipe no line is cut or wrapped.

    most_columns: of text on any terminal, and in a pipe.
    """
    if file_format is DocumentFormat.MARKDOWN:
        from machmeter.report.documents.markdown import markdown

        sys.stdout.write(markdown(document))
        return
    if file_format is DocumentFormat.LATEX:
        from machmeter.report.documents.latex import latex

        sys.stdout.write(latex(document))
        return
    on_terminal = sys.stdout.isatty()
    for line in text_lines(document, text_columns(most_columns)):
        # A console takes long for each of a thousand lines, and adds nothing to plain ones.
        if line.is_heading and on_terminal:
            _print_heading(line.text)
        else:
            sys.stdout.write(f"{line.text}\n")


def text_columns(most: int | None) -> int | None:
    """Columns of text on standard output: of the terminal, at most `most`; `most` in a pipe."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else most
    return columns and min(columns, most or columns)


def _print_heading(text: str) -> None:
    from rich.text import Text

    from machmeter.cli.consoles import wide_console

    heading = Text(text, style="bold")
    wide_console().print(heading, soft_wrap=True, highlight=False, markup=False)
