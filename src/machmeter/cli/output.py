"""What commands print: text for people, JSON for programs, errors with their remedy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from machmeter.model.errors import MachmeterError
from machmeter.model.units import is_unbounded
from machmeter.model.written.text import json_escaped, readable
from machmeter.text.plain import plain_lines

if TYPE_CHECKING:
    from rich.console import Console


class ErrorReport(Struct, frozen=True):
    """What `--json` prints on standard output when a command fails."""

    error: str
    """What happened, and where."""
    remedy: str
    """What to do about it; empty where that is clear."""
    details: str
    """Output of a program that failed, in full."""
    exit_code: int
    """Of the command: 1 something failed, 2 wrong usage, 3 a prerequisite is missing."""


class Written(Struct, frozen=True):
    """A file that was written: what `export --json` prints."""

    path: str
    """Absolute."""
    size_bytes: int
    """Of a folder: of all files in it."""


class Reported(Struct, frozen=True):
    """What `report --json` prints."""

    path: str
    """The page, absolute."""
    size_bytes: int
    """Of the page."""
    charts: tuple[Written, ...] = ()
    """Files of charts, where they were requested."""


def print_json(value: object) -> None:
    """`value` as one indented JSON document on standard output.

    What is unbounded is null, as the schemas say: JSON has no infinity (RFC 8259, section 6). What
    is no UTF-8 in a file's name is written as escapes.
    """
    document = msgspec.json.encode(_as_json(msgspec.to_builtins(value)))
    text = msgspec.json.format(document, indent=2).decode()
    sys.stdout.write("\n".join(map(json_escaped, text.split("\n"))) + "\n")


def _as_json(value: object) -> object:
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, str):
        return readable(value)
    return None if isinstance(value, float) and is_unbounded(value) else value


def print_error(error: MachmeterError, *, as_json: bool) -> None:
    """What happened and what to do: on standard error, or as JSON on standard output."""
    if as_json:
        print_json(ErrorReport(error.message, error.remedy, error.details, int(error.exit_code)))
        return
    from machmeter.cli.consoles import error_console

    console = error_console()
    if error.details:
        console.print(plain_lines(error.details), style="dim", markup=False, soft_wrap=True)
    message = f"machmeter: {plain_lines(error.message)}"
    console.print(message, style="bold red", markup=False, soft_wrap=True)
    _print_remedy(console, error)


def warn(error: MachmeterError, console: Console | None = None) -> None:
    """Something failed that is not needed for the result: on standard error, also with `--json`,
    where standard output holds one document.

    console: the one that shows progress meanwhile, so that neither overwrites the other.
    """
    from machmeter.cli.consoles import error_console

    console = console or error_console()
    message = f"machmeter: warning: {plain_lines(error.message)}"
    console.print(message, style="yellow", markup=False, soft_wrap=True)
    _print_remedy(console, error)


def _print_remedy(console: Console, error: MachmeterError) -> None:
    if error.remedy:
        console.print(f"  remedy: {plain_lines(error.remedy)}", markup=False, soft_wrap=True)
