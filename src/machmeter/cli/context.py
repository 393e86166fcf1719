"""The API's context as commands use it: warnings, notices and progress on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from machmeter.api.context import Context
from machmeter.cli.output import warn

if TYPE_CHECKING:
    from rich.console import Console


def command_context() -> Context:
    """This user's folders; notices and warnings go to standard error."""
    return Context(warn=warn, notify=_notify)


@contextmanager
def measuring_context(*, quiet: bool) -> Iterator[Context]:
    """As `command_context`, with progress of building and measuring while the block runs.

    quiet: without notices and progress.
    """
    from machmeter.cli.consoles import error_console
    from machmeter.cli.printing.progress import build_shown, progress_shown

    console = error_console()
    with progress_shown(console, quiet=quiet) as on_progress:
        yield Context(
            warn=partial(warn, console=console),
            notify=_ignore if quiet else partial(_notify, console=console),
            on_build=build_shown(console, quiet=quiet),
            on_progress=on_progress,
        )


def _notify(text: str, console: Console | None = None) -> None:
    from machmeter.cli.consoles import error_console

    (console or error_console()).print(text, style="dim", markup=False, soft_wrap=True)


def _ignore(_text: str) -> None:
    """Nobody reads it."""
