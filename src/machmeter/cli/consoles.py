"""Consoles for people: what a command found, and its progress and errors."""

from __future__ import annotations

from rich.console import Console


def text_console() -> Console:
    """The console of what a command found: standard output, at most 100 columns."""
    return _console(stderr=False)


def error_console() -> Console:
    """The console of progress and errors: standard error, at most 100 columns."""
    return _console(stderr=True)


class _PipeConsole(Console):
    """A console that leaves it to the command's guard what a reader who left means."""

    def on_broken_pipe(self) -> None:
        """Raise the error on; rich itself would end the process with exit code 1."""
        raise BrokenPipeError


def _console(*, stderr: bool) -> Console:
    console = _PipeConsole(stderr=stderr, highlight=False, soft_wrap=False)
    if console.width > 100 or not console.is_terminal:
        console.width = 100
    return console
