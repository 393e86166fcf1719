"""How results scale, in a terminal of at most 100 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from machmeter.model.results.scaling import Problem, Scaling, ScalingReport, StepVerdict
from machmeter.report.table import Table
from machmeter.report.views.scaling import counts_table, laws_table, summary_table
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.scaling import (
    headline,
    law_note,
    prediction_sentences,
    problem_text,
)

MOST_IN_FULL = 3
_STYLES = {StepVerdict.YES: "", StepVerdict.NO: "yellow", StepVerdict.INCONCLUSIVE: "dim"}


def print_scaling(report: ScalingReport, console: Console, *, details: bool = False) -> None:
    """Print every series: a line each, or in full where they are few or `details` is set."""
    count = count_text(len(report.series), "result", "results")
    console.print(Text(f"{plain(report.title, 70)}: scaling of {count}", style="bold"))
    required = f"A doubling scales where its speedup is {report.least_gain:g}x or more."
    console.print(Text(required, style="dim"))
    if details or len(report.series) <= MOST_IN_FULL:
        for scaling in report.series:
            _print_in_full(scaling, console)
    else:
        _print_summary(report.series, console)
    for note in report.notes:
        console.print(Text(f"! {plain(note)}", style="yellow"))


def _print_summary(series: Sequence[Scaling], console: Console) -> None:
    table = summary_table(series)
    console.print(_rich(table, folded=("result", "over", "best law")))
    if table.note:
        console.print(Text(table.note, style="dim"))
    console.print(Text("All counts and laws: --details, or select with --benchmark.", style="dim"))


def _print_in_full(scaling: Scaling, console: Console) -> None:
    console.print()
    console.print(Text(scaling.name, style="bold"))
    console.print(_indented(Text(headline(scaling))))
    console.print(_indented(Text(problem_text(scaling), style="dim")))
    if scaling.conditions:
        text = ", ".join(scaling.conditions.values())
        console.print(_indented(Text(plain(text, 400), style="dim")))
    console.print(_indented(_counts(scaling)))
    if scaling.laws:
        console.print(_indented(_laws(scaling)))
        for law in scaling.laws:
            names = ", ".join(f"{p.symbol}: {p.name}" for p in law.parameters)
            said = f"{law.law.value}: {law.formula}" + f" ({names})" * bool(names)
            console.print(_indented(Text(said, style="dim")))
        console.print(_indented(Text(law_note(scaling), style="dim")))
    for line in prediction_sentences(scaling):
        console.print(_indented(Text(line)))
    for note in scaling.notes:
        console.print(_indented(Text(f"! {plain(note)}", style="yellow")))


def _counts(scaling: Scaling) -> RichTable:
    steps = [None, *scaling.steps]
    cost = scaling.problem is Problem.COST
    styles = [_STYLES[step.verdict] if step and not cost else "" for step in steps]
    table = counts_table(scaling)
    return _rich(table, folded=table.columns[1:], styles=styles)


def _laws(scaling: Scaling) -> RichTable:
    return _rich(laws_table(scaling))


def _rich(table: Table, folded: Sequence[str] = (), styles: Sequence[str] = ()) -> RichTable:
    """A table of the console: columns in `folded` give way, rows have their styles."""
    found = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for position, name in enumerate(table.columns):
        right: Literal["right", "left"] = "right" if position in table.numeric else "left"
        found.add_column(name, justify=right, no_wrap=name not in folded, overflow="fold")
    for position, row in enumerate(table.rows):
        found.add_row(*map(Text, row), style=styles[position] if styles else "")
    return found


def _indented(what: Text | RichTable) -> Padding:
    return Padding(what, (0, 0, 0, 2), expand=False)
