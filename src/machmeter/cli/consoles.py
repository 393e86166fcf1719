"""Consoles for people: what a command found, and its progress and errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.segment import Segment

from machmeter.text.plain import without_controls

# Blanks at the end of a line, before what ends its color.
_FILLING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)


@contextmanager
def without_filling() -> Iterator[Console]:
    """The console of what a command found, without the blanks that fill a table."""
    console = text_console()
    with console.capture() as captured:
        yield console
    sys.stdout.write(_FILLING.sub(r"\1", captured.get()))


def text_console() -> Console:
    """The console of what a command found: standard output, at most 100 columns."""
    return _console(stderr=False)


def wide_console() -> Console:
    """The console of tables: standard output, as wide as the terminal."""
    return _PipeConsole(highlight=False, soft_wrap=False)


def error_console() -> Console:
    """The console of progress and errors: standard error, at most 100 columns."""
    return _console(stderr=True)


class _PipeConsole(Console):
    """A console that leaves it to the command's guard what a reader who left means.

    No text that it is given steers the terminal, whatever file or argument it comes from.
    """

    def on_broken_pipe(self) -> None:
        """Raise the error on; rich itself would end the process with exit code 1."""
        raise BrokenPipeError

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """The segments of `renderable`, text without control characters but for line breaks."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else without_controls(segment.text)
            yield segment if text == segment.text else segment._replace(text=text)


def _console(*, stderr: bool) -> Console:
    console = _PipeConsole(stderr=stderr, highlight=False, soft_wrap=False)
    if console.width > 100 or not console.is_terminal:
        console.width = 100
    return console
