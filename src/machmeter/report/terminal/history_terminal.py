"""The history of figures in a terminal of at most 100 columns: what became worse comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.results.history import ChangeKind, History, HistoryMachine, ResultHistory
from machmeter.model.units import format_value
from machmeter.text.history_groups import ChangeGroup, by_run, figures_of, sections_of, title_of
from machmeter.text.history_words import (
    SPARK_RUNS,
    differences_text,
    finds_text,
    interval_text,
    kind_text,
    levels_text,
    names_of,
    runs_text,
    spark,
    step_text,
    value_text,
)
from machmeter.text.numbers import count_text, time_text
from machmeter.text.plain import plain

MOST_CHANGES = 12
MOST_FIGURES = 20
_ASCII = "_.-=+*#@"


def print_history(history: History, console: Console, most_figures: int = MOST_FIGURES) -> None:
    """Print every machine's history, machines with a regression first.

    most_figures: lines of the table of figures of each machine; what is left out is counted.
    """
    if not history.figures:
        console.print(_nothing(history), markup=False)
    order = sorted(
        range(len(history.machines)),
        key=lambda position: not any(f.regressed for f in figures_of(history, position)),
    )
    for position in order:
        figures = figures_of(history, position)
        if figures:
            _print_machine(history, history.machines[position], figures, console, most_figures)
    for line in remarks(history):
        console.print(line, markup=False)
    if history.figures:
        console.print(verdict_text(history), style="bold", markup=False)


def verdict_text(history: History) -> str:
    """The last line: what the exit code says, in words."""
    bound = f"{100 * history.rules.threshold:g} %"
    ready = sum(not figure.runs_needed for figure in history.figures)
    if history.regressions:
        count = count_text(history.regressions, "figure is", "figures are")
        return f"{count} worse by more than {bound} and not recovered."
    if not ready:
        return "Nothing can be said yet: no figure has enough runs."
    looked = count_text(ready, "figure", "figures")
    return f"No regression among {looked}: nothing is worse by more than {bound} than it was."


def _print_machine(
    history: History,
    machine: HistoryMachine,
    figures: Sequence[ResultHistory],
    console: Console,
    most_figures: int,
) -> None:
    names = names_of(figures)
    console.print(title_of(machine, figures), style="bold", markup=False)
    named = list(zip(names, figures, strict=True))
    for heading, style, changes in sections_of(named):
        _print_changes(heading, style, changes, console)
    small = sum(
        change.kind is ChangeKind.SMALL and not change.stands
        for figure in figures
        for change in figure.changes
    )
    if small:
        console.print(
            f"  {count_text(small, 'smaller change', 'smaller changes')} within "
            f"{100 * history.rules.threshold:g} %",
            markup=False,
        )
    if len(figures) == 1:
        _print_runs(figures[0], console)
    else:
        _print_figures(named, console, most_figures)
    console.print()


def _print_changes(
    heading: str, style: str, changes: Sequence[ChangeGroup], console: Console
) -> None:
    console.print(f"  {heading}", style=style, markup=False)
    shown = 0
    for group in by_run(changes):
        room = MOST_CHANGES - shown
        if room <= 0:
            break
        first = group[0].change
        told = (
            f"from run {plain(first.first_run, 60)} ({time_text(first.started)}) on; "
            f"{differences_text(first.differences, first.unreadable)}"
        )
        console.print(Padding(Text(told), (0, 0, 0, 4)))
        table = _table()
        for one in group[:room]:
            table.add_row(*_change_cells(one))
        console.print(Padding(table, (0, 0, 0, 6), expand=False))
        shown += min(room, len(group))
    if shown < len(changes):
        console.print(f"    and {len(changes) - shown} more; `--json` has all", markup=False)


def _change_cells(told: ChangeGroup) -> tuple[Text, ...]:
    change, unit = told.change, told.figure.unit
    step = change.since or change.step
    return (
        Text(f"{told.figure.benchmark} {told.name}"),
        Text(levels_text(step, unit), no_wrap=True),
        Text(f"{step_text(step, unit)}\n{runs_text(change)}", no_wrap=True),
    )


def _print_figures(
    named: list[tuple[str, ResultHistory]], console: Console, most_figures: int
) -> None:
    blocks = None if (console.encoding or "").lower().startswith("utf") else _ASCII
    table = _table(
        "figure", "runs", "latest, 95 % interval", f"last {SPARK_RUNS} runs", "would show"
    )
    shown = sorted(named, key=_rank)[:most_figures]
    for name, figure in shown:
        latest = value_text(figure.values[-1], figure.unit) if figure.values else "no value"
        bars = spark(figure) if blocks is None else spark(figure, blocks)
        needs = f"needs {figure.runs_needed} more"
        table.add_row(
            Text(f"{figure.benchmark} {name}"),
            Text(str(len(figure.values))),
            Text(latest),
            Text(bars, no_wrap=True),
            Text(needs if figure.runs_needed else finds_text(figure)),
        )
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    if any(figure.finds for _, figure in shown):
        console.print(
            "  would show: the smallest change that three more runs would reveal", style="dim"
        )
    if len(named) > len(shown):
        console.print(
            f"  and {len(named) - len(shown)} more figures: name a benchmark, or --point TEXT",
            markup=False,
        )


def _rank(named: tuple[str, ResultHistory]) -> tuple[bool, bool, int]:
    """What changed first, then what has most runs."""
    figure = named[1]
    return not figure.regressed, not figure.changes, -len(figure.values)


def _print_runs(figure: ResultHistory, console: Console) -> None:
    """Every run of the only figure, with what changed where."""
    begins = {change.first_run: change for change in figure.changes}
    table = _table("run", "started", figure.title, "95 % interval", "launches", "")
    for one in figure.values:
        change = begins.get(one.run)
        mark = (
            f"{kind_text(change, figure.unit)}: {step_text(change.step, figure.unit)}"
            if change
            else ""
        )
        table.add_row(
            Text(plain(one.run, 60)),
            Text(time_text(one.started)[:16]),
            Text(format_value(one.value, figure.unit)),
            Text(interval_text(one, figure.unit)),
            Text(str(one.launches)),
            Text(mark),
        )
    console.print(Padding(table, (0, 0, 0, 2), expand=False))


def remarks(history: History) -> Iterator[str]:
    """What was left out or is still too little, each in a sentence."""
    rules = history.rules
    waiting = [figure.runs_needed for figure in history.figures if figure.runs_needed]
    if waiting:
        yield (
            f"{count_text(len(waiting), 'figure has', 'figures have')} fewer than "
            f"{rules.least_runs} runs: changes are looked for from then on "
            f"({count_text(min(waiting), 'more run', 'more runs')} for the first)."
        )
    without = sum(figure.without_value for figure in history.figures)
    if without:
        yield (
            f"{count_text(without, 'value is', 'values are')} left out: overheads too small to "
            "tell from zero."
        )
    if history.unknown:
        yield (
            f"{count_text(history.unknown, 'series is', 'series are')} left out: of a benchmark, "
            "metric or unit that this version does not know."
        )
    if history.unindexed:
        yield (
            f"{count_text(history.unindexed, 'finished run is', 'finished runs are')} not in the "
            "index: `machmeter store rebuild` brings them in."
        )


def _nothing(history: History) -> str:
    if history.machines:
        return "No figure of these runs is as asked for."
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
