"""What bench prints: a table within 100 columns, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.context import Outcome
from bench.verdicts import Holds, Row
from machmeter.model.units import is_unbounded

WIDTH = 100
_STYLES = {Holds.PASS: "green", Holds.MISSED: "bold red", Holds.NOT_RESOLVED: "yellow"}


def print_outcome(console: Console, outcome: Outcome) -> None:
    """One comparison: its table, its remarks, what was left out and what failed."""
    if outcome.rows:
        console.print(outcome_table(outcome))
    else:
        console.print(f"[bold]{escape(outcome.title)}[/]")
    for note in outcome.notes:
        console.print(f"  {note}", markup=False, style="dim")
    for reason in outcome.left_out:
        console.print(f"  left out: {reason}", markup=False, style="yellow")
    for failure in outcome.failures:
        console.print(f"  FAILED: {failure}", markup=False, style="red")
    console.print()


def outcome_table(outcome: Outcome) -> Table:
    """The rows of one comparison."""
    table = Table(
        title=escape(outcome.title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        width=WIDTH,
        padding=0,
        show_edge=False,
    )
    columns: tuple[tuple[str, Literal["left", "right"], int], ...] = (
        ("what : peer", "left", 36),
        ("machmeter", "right", 9),
        ("peer", "right", 9),
        ("ratio", "right", 6),
        ("95 % interval", "left", 14),
        ("n", "right", 3),
        ("target", "left", 16),
    )
    for name, justify, width in columns:
        table.add_column(name, justify=justify, width=width, overflow="fold")
    for row in outcome.rows:
        table.add_row(*row_cells(row))
    return table


def row_cells(row: Row) -> Sequence[str]:
    """The cells of one row, as rich markup."""
    style = _STYLES.get(row.holds, "")
    verdict = f"[{style}]{row.holds.value}[/]" if style else row.holds.value
    share = row.statistic == "share"
    return (
        escape(row.what if share else f"{row.what}, {row.statistic}"),
        escape(row.ours),
        escape(row.peer),
        f"{100 * row.ratio:.1f} %" if share else _ratio(row.ratio, "inf"),
        "" if row.low == row.high else escape(_interval(row)),
        str(row.launches),
        f"{row.target}\n{verdict}" if row.target else verdict,
    )


def _interval(row: Row) -> str:
    return f"[{_ratio(row.low)}, {_ratio(row.high)}]"


def _ratio(ratio: float, endless: str = "unbounded") -> str:
    return endless if is_unbounded(ratio) else f"{ratio:.3f}"
