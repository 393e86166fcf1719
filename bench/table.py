"""The printed table of bench, within 100 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.context import Outcome
from bench.verdicts import Row, TargetVerdict
from machmeter.model.units import is_unbounded

WIDTH = 100
_OF_SHARES = ("share", "difference")
_LONG_RATIO = 1000
_STYLES = {
    TargetVerdict.PASS: "green",
    TargetVerdict.MISSED: "bold red",
    TargetVerdict.INCONCLUSIVE: "yellow",
    TargetVerdict.FAILED: "bold red",
}


def print_outcome(console: Console, outcome: Outcome) -> None:
    """One comparison: its table, its notes, what was skipped and what failed."""
    if outcome.rows:
        console.print(outcome_table(outcome))
    else:
        console.print(f"[bold]{escape(outcome.title)}[/]")
    for note in outcome.notes:
        console.print(f"  {note}", markup=False, style="dim")
    for reason in outcome.skipped:
        console.print(f"  skipped: {reason}", markup=False, style="yellow")
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
        ("quantity : peer", "left", 36),
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
    style = _STYLES.get(row.verdict, "")
    verdict = f"[{style}]{row.verdict.value}[/]" if style else row.verdict.value
    has_statistic = row.statistic and row.statistic not in _OF_SHARES
    if row.target and row.verdict is TargetVerdict.SHOWN:
        verdict = row.target
    elif row.target:
        verdict = f"{row.target}\n{verdict}"
    what = escape(f"{row.what}, {row.statistic}" if has_statistic else row.what)
    if row.verdict is TargetVerdict.FAILED:
        return what, escape(row.ours), escape(row.peer), "-", "", str(row.launches), verdict
    return (
        what,
        escape(row.ours),
        escape(row.peer),
        f"{100 * row.ratio:.1f} %" if row.statistic in _OF_SHARES else _ratio(row.ratio, "inf"),
        "" if row.low == row.high else escape(_interval(row)),
        str(row.launches),
        verdict,
    )


def _interval(row: Row) -> str:
    if row.statistic in _OF_SHARES:
        return f"[{100 * row.low:.1f}, {100 * row.high:.1f}]"
    return f"[{_ratio(row.low)}, {_ratio(row.high)}]"


def _ratio(ratio: float, unbounded: str = "unbounded") -> str:
    if is_unbounded(ratio):
        return unbounded
    return f"{ratio:.3f}" if ratio < _LONG_RATIO else f"{ratio:.1e}"
