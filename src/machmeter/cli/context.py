"""The API's context as commands use it: warnings, notices and progress on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from machmeter.api.context import Context
from machmeter.cli.output import error_console, warn
from machmeter.cli.printing.progress import build_shown, progress_shown


def command_context() -> Context:
    """This user's folders; notices and warnings go to standard error."""
    return Context(warn=warn, notify=_notify)


@contextmanager
def measuring_context(*, quiet: bool) -> Iterator[Context]:
    """As `command_context`, with progress of building and measuring while the block runs.

    quiet: without notices and progress.
    """
    console = error_console()
    with progress_shown(console, quiet=quiet) as on_progress:
        yield Context(
            warn=warn,
            notify=_ignore if quiet else _notify,
            on_build=build_shown(console, quiet=quiet),
            on_progress=on_progress,
        )


def _notify(text: str) -> None:
    error_console().print(text, style="dim", markup=False, soft_wrap=True)


def _ignore(_text: str) -> None:
    """Nobody reads it."""
