"""The history of results in a terminal of at most 100 columns: what became worse comes first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.results.history import ChangeKind, History, HistoryMachine, ResultHistory
from machmeter.report.views.history import by_importance, change_row, results_table, runs_table
from machmeter.text.history import (
    SPARK_RUNS,
    NamedChange,
    by_run,
    differences_text,
    history_notes,
    history_verdict_text,
    names_of,
    results_of,
    sections_of,
    spark,
    title_of,
)
from machmeter.text.numbers import count_text, time_text
from machmeter.text.plain import plain

MOST_CHANGES = 12
MOST_RESULTS = 20
_ASCII = "_.-=+*#@"
_EVERY_RUN = 10**9


def print_history(history: History, console: Console, most_results: int = MOST_RESULTS) -> None:
    """Print every machine's history, machines with a regression first.

    most_results: lines of the table of results of each machine; what is left out is counted.
    """
    if not history.results:
        console.print(_nothing(history), markup=False)
    order = sorted(
        range(len(history.machines)),
        key=lambda position: not any(one.regressed for one in results_of(history, position)),
    )
    for position in order:
        results = results_of(history, position)
        if results:
            _print_machine(history, history.machines[position], results, console, most_results)
    for line in history_notes(history):
        console.print(line, markup=False)
    if history.results:
        console.print(history_verdict_text(history), style="bold", markup=False)


def _print_machine(
    history: History,
    machine: HistoryMachine,
    results: Sequence[ResultHistory],
    console: Console,
    most_results: int,
) -> None:
    names = names_of(results)
    console.print(title_of(machine, results), style="bold", markup=False)
    named = list(zip(names, results, strict=True))
    for heading, style, changes in sections_of(named):
        _print_changes(heading, style, changes, console)
    small = sum(
        change.kind is ChangeKind.SMALL and not change.stands
        for result in results
        for change in result.changes
    )
    if small:
        within = f"{100 * history.rules.threshold:g} %"
        changes_text = count_text(small, "smaller change", "smaller changes")
        console.print(f"  {changes_text} within {within}", markup=False)
    if len(results) == 1:
        _print_runs(*named[0], console)
    else:
        _print_results(named, console, most_results)
    console.print()


def _print_changes(
    heading: str, style: str, changes: Sequence[NamedChange], console: Console
) -> None:
    console.print(f"  {heading}", style=style, markup=False)
    shown = 0
    for group in by_run(changes):
        room = MOST_CHANGES - shown
        if room <= 0:
            break
        first = group[0].change
        since = (
            f"from run {plain(first.first_run, 60)} ({time_text(first.started)}) on; "
            f"{differences_text(first.differences, first.unreadable)}"
        )
        console.print(Padding(Text(since), (0, 0, 0, 4)))
        table = _table()
        for one in group[:room]:
            label, levels, step, runs = change_row(one)
            cells = (Text(levels, no_wrap=True), Text(f"{step}\n{runs}", no_wrap=True))
            table.add_row(Text(label), *cells)
        console.print(Padding(table, (0, 0, 0, 6), expand=False))
        shown += min(room, len(group))
    if shown < len(changes):
        console.print(f"    and {len(changes) - shown} more; `--json` has all", markup=False)


def _print_results(
    named: list[tuple[str, ResultHistory]], console: Console, most_results: int
) -> None:
    utf = (console.encoding or "").lower().startswith("utf")
    table = _table(
        "result", "runs", "latest, 95 % interval", f"last {SPARK_RUNS} runs", "detectable"
    )
    shown = by_importance(named)[:most_results]
    rows = results_table(shown, most_results).rows
    for (label, runs, latest, _, detectable), (_, result) in zip(rows, shown, strict=True):
        bars = spark(result) if utf else spark(result, _ASCII)
        table.add_row(*map(Text, (label, runs, latest)), Text(bars, no_wrap=True), Text(detectable))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    if any(result.finds for _, result in shown):
        console.print("  detectable: the smallest change that three more runs show", style="dim")
    if len(named) > len(shown):
        console.print(
            f"  and {len(named) - len(shown)} more results: name a benchmark, or --point TEXT",
            markup=False,
        )


def _print_runs(name: str, result: ResultHistory, console: Console) -> None:
    """Every run of the only result, with what changed where."""
    table = _table("run", "started", result.title, "95 % interval", "launches", "")
    for run, started, *cells in runs_table(name, result, _EVERY_RUN).rows:
        table.add_row(Text(run), Text(started[:16]), *map(Text, cells))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))


def _nothing(history: History) -> str:
    if history.machines:
        return "No result of these runs matches."
    return "There is no finished run yet: `machmeter run` makes the first."


def _table(*columns: str) -> Table:
    table = Table(
        box=None,
        show_header=bool(columns),
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
    )
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name == "run")
    return table
