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
from machmeter.run.ab.machines import SIDES, sides_of
from machmeter.text.plain import plain
from machmeter.text.runs import baseline_build


def print_run(
    result: RunResult,
    console: Console,
    record: Path | None = None,
    page: Path | None = None,
    *,
    later: int = 0,
) -> None:
    """Print what a run says; record, page, later: as `report.terminal.summary.print_summary`."""
    if result.baseline is not None and result.baseline.comparison is not None:
        from machmeter.report.terminal.comparison import print_comparison

        if gate := gate_of(result):
            _print_gate(gate, console)
        print_comparison(
            sides_of(result), (result.baseline.comparison,), console, verdict_above=True
        )
        width = min(console.width, MAX_COLUMNS)
        console.print()
        for name, text in baseline_build(result):
            for line in textwrap.wrap(plain(f"{name}: {text}"), width, subsequent_indent="  "):
                console.print(Text(line, style="dim"), soft_wrap=True, highlight=False)
        console.print(Text("\nThe candidate by itself", style="bold"), highlight=False)
    print_summary(result, console, record=record, page=page, later=later)


def _print_gate(gate: Gate, console: Console) -> None:
    width = min(console.width, MAX_COLUMNS)
    style = "bold green" if gate.passed else "bold red"
    style = "bold yellow" if gate.undecided else style
    lines = [Text(line, style=style) for line in wrapped(_as_text(gate.verdict), width, "")]
    lines += [Text(line) for line in wrapped(_as_text(gate.consequence), width, "")]
    lines.append(Text(f"One by one: {gate.counts}"))
    if (gate.old, gate.new) != SIDES:
        sides = f"Baseline: {gate.old}; candidate: {gate.new}"
        lines += [Text(line) for line in wrapped(sides, width, "")]
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _as_text(marked: str) -> str:
    """Without the accents that mark code on a page."""
    return marked.replace("`", "")
