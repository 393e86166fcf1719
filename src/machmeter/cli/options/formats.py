"""The option `--format` of commands that print tables."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from machmeter.model.errors import UsageError


class DocumentFormat(StrEnum):
    """Formats of tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"


FormatOption = Annotated[
    DocumentFormat,
    typer.Option("--format", metavar="NAME", help="of tables: text, markdown or latex"),
]


def check_format(file_format: DocumentFormat, *, as_json: bool) -> None:
    """Raises UsageError where tables and JSON were both requested."""
    if as_json and file_format is not DocumentFormat.TEXT:
        raise UsageError(
            f"--json and --format {file_format.value} exclude each other", "leave one of them out"
        )
