"""Progress of a run: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType
from rich.table import Table
from rich.text import Text

from machmeter.build.progress import BuildListener, BuildStep, ignore_build
from machmeter.run.measuring.progress import ProgressListener, RunProgress, ignore_progress
from machmeter.text.plain import plain

_PLAIN_INTERVAL_SECONDS = 10.0
# Relative half widths above this are those of two launches far apart.
_NO_PRECISION = 10


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


def build_shown(console: Console, *, quiet: bool) -> BuildListener:
    """A listener that shows on `console` how far compiling is."""
    if quiet:
        return ignore_build
    return _live_build(console) if console.is_terminal else _plain_build(console)


def _live_build(console: Console) -> BuildListener:
    """A line that each step overwrites and the last one clears; what follows is below it."""
    overwrite = Control((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2))

    def show(step: BuildStep) -> None:
        if step.steps:
            console.control(overwrite)
        if not step.over:
            console.print(build_line(step), style="dim", markup=False, no_wrap=True)

    return show


def _plain_build(console: Console) -> BuildListener:
    lines = _PlainLines(console)

    def show(step: BuildStep) -> None:
        if step.steps and not step.over:
            lines.write("compiling", build_line(step))

    return show


def build_line(step: BuildStep) -> str:
    """`compiling: 5 of 31 steps, about 40 s left`."""
    if not step.steps:
        return "compiling: checking the compiler"
    left = f", about {step.left:.0f} s left" if step.left >= 0 else ""
    return f"compiling: {step.done} of {step.steps} steps{left}"


class _PlainLines:
    """One line every ten seconds: for logs, where nothing can be overwritten."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = -_PLAIN_INTERVAL_SECONDS
        self._phase = ""

    def __call__(self, progress: RunProgress) -> None:
        self.write(progress.phase, _line(progress))

    def write(self, phase: str, line: str) -> None:
        """Print a line, unless the last one of this phase was printed just now."""
        now = time.monotonic()
        if phase == self._phase and now - self._last < _PLAIN_INTERVAL_SECONDS:
            return
        self._last, self._phase = now, phase
        self._console.print(line, soft_wrap=True, markup=False)


def _line(progress: RunProgress) -> str:
    return (
        f"{progress.phase}: launch {progress.launches_done + 1}, "
        f"{'at most' if progress.at_most else 'about'} {progress.left:.0f} s left"
        f"{_over(progress)}{_precision(progress)}"
    )


def _over(progress: RunProgress) -> str:
    if progress.over < 1:
        return ""
    return f", {progress.over:.0f} s beyond the budget: the first launches are made anyway"


def _precision(progress: RunProgress) -> str:
    # With one launch there is no interval yet, so no precision to show.
    if progress.median_precision > _NO_PRECISION:
        return ""
    return f"; median precision ±{100 * progress.median_precision:.2g} %"


def _panel(progress: RunProgress) -> Table:
    table = Table.grid(padding=(0, 1))
    whole = progress.elapsed + progress.left
    filled = round(30 * progress.elapsed / whole) if whole > 0 else 0
    table.add_row(Text("━" * filled + "╌" * (30 - filled)), Text(_line(progress)))
    table.add_row(Text("now", style="dim"), Text(plain(progress.what)))
    return table
