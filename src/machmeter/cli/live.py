"""Progress of a run: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from machmeter.report.words import plain
from machmeter.run.progress import Progress, ProgressListener, ignore_progress

_PLAIN_INTERVAL_SECONDS = 10.0


@contextmanager
def progress_shown(console: Console, *, quiet: bool) -> Iterator[ProgressListener]:
    """A listener that shows progress on `console` while the block runs."""
    if quiet:
        yield ignore_progress
    elif console.is_terminal:
        with Live(console=console, refresh_per_second=4, transient=True) as live:
            yield lambda progress: live.update(_panel(progress))
    else:
        yield _PlainLines(console)


class _PlainLines:
    """One line every ten seconds: for logs, where nothing can be overwritten."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = -_PLAIN_INTERVAL_SECONDS
        self._phase = ""

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.phase == self._phase and now - self._last < _PLAIN_INTERVAL_SECONDS:
            return
        self._last, self._phase = now, progress.phase
        self._console.print(_line(progress), soft_wrap=True, markup=False)


def _line(progress: Progress) -> str:
    return (
        f"{progress.phase}: launch {progress.launches_done + 1} of about "
        f"{max(progress.launches_expected, progress.launches_done + 1)}, "
        f"{progress.points_reached} of {progress.points} figures precise enough"
        f"{_worst(progress)}, about {progress.left:.0f} s left"
    )


def _worst(progress: Progress) -> str:
    # With one launch there is no interval yet, so no precision to show.
    if progress.worst_precision > 10:
        return ""
    return f" (worst ±{100 * progress.worst_precision:.1f} %)"


def _panel(progress: Progress) -> Table:
    table = Table.grid(padding=(0, 1))
    share = progress.launches_done / max(progress.launches_expected, 1)
    filled = round(30 * min(share, 1.0))
    table.add_row(Text("━" * filled + "╌" * (30 - filled)), Text(_line(progress)))
    table.add_row(Text("now", style="dim"), Text(plain(progress.what)))
    return table
