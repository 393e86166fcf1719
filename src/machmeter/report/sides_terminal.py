"""A run in a terminal: of two sides first how the new one stands to the old."""

from __future__ import annotations

import textwrap
from pathlib import Path

from rich.console import Console
from rich.text import Text

from machmeter.model.run import RunResult
from machmeter.report.compare_terminal import print_comparison
from machmeter.report.sides_words import old_build, slower_text
from machmeter.report.terminal import MAX_COLUMNS, print_summary
from machmeter.report.words import plain
from machmeter.run.known_sides import sides_of


def print_run(
    result: RunResult, console: Console, record: Path | None = None, page: Path | None = None
) -> None:
    """Print what a run says; record, page: as `report.terminal.print_summary` takes them."""
    if result.old is not None and result.old.comparison is not None:
        print_comparison(sides_of(result), (result.old.comparison,), console)
        width = min(console.width, MAX_COLUMNS)
        for line in ("", *textwrap.wrap(slower_text(result.old.comparison), width), ""):
            console.print(Text(line, style="bold"), soft_wrap=True, highlight=False)
        for name, text in old_build(result):
            for line in textwrap.wrap(plain(f"{name}: {text}"), width, subsequent_indent="  "):
                console.print(Text(line, style="dim"), soft_wrap=True, highlight=False)
        console.print(Text("\nThe new side by itself", style="bold"), highlight=False)
    print_summary(result, console, record=record, page=page)
