"""A run in a terminal; of an A/B run first how the candidate compares with the baseline."""

from __future__ import annotations

import textwrap
from pathlib import Path

from rich.console import Console
from rich.text import Text

from machmeter.model.results.run import RunResult
from machmeter.report.terminal.comparison_layout import wrapped
from machmeter.report.terminal.summary import MAX_COLUMNS, print_summary
from machmeter.report.views.gate import Gate, gate_of
from machmeter.text.plain import plain
from machmeter.text.runs import baseline_build


def print_run(
    result: RunResult, console: Console, record: Path | None = None, page: Path | None = None
) -> None:
    """Print what a run says; record, page: as in `report.terminal.summary.print_summary`."""
    if result.baseline is not None and result.baseline.comparison is not None:
        from machmeter.report.terminal.comparison import print_comparison
        from machmeter.run.ab.machines import sides_of
        from machmeter.text.comparison import regressions_text

        if gate := gate_of(result):
            _print_gate(gate, console)
        print_comparison(sides_of(result), (result.baseline.comparison,), console)
        width = min(console.width, MAX_COLUMNS)
        for line in ("", *textwrap.wrap(regressions_text(result.baseline.comparison), width), ""):
            console.print(Text(line, style="bold"), soft_wrap=True, highlight=False)
        for name, text in baseline_build(result):
            for line in textwrap.wrap(plain(f"{name}: {text}"), width, subsequent_indent="  "):
                console.print(Text(line, style="dim"), soft_wrap=True, highlight=False)
        console.print(Text("\nThe candidate by itself", style="bold"), highlight=False)
    print_summary(result, console, record=record, page=page)


def _print_gate(gate: Gate, console: Console) -> None:
    width = min(console.width, MAX_COLUMNS)
    style = "bold green" if gate.passed else "bold red"
    lines = [Text(line, style=style) for line in wrapped(_as_text(gate.verdict), width, "")]
    lines += [Text(line) for line in wrapped(_as_text(gate.consequence), width, "")]
    lines += [Text(f"One by one: {gate.counts}"), Text("")]
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _as_text(marked: str) -> str:
    """Without the accents that mark code on a page."""
    return marked.replace("`", "")
