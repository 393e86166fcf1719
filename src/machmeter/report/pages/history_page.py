"""The page of a history: what changed and when, with charts, in one file that loads nothing.

Importing this module loads Altair: import it only where a page is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from machmeter.model.results.history import History, ResultHistory
from machmeter.model.units import format_value
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.charts_history import history_chart
from machmeter.report.pages.html import MAX_PAGE_BYTES, render, write_whole
from machmeter.report.terminal.history_terminal import remarks, verdict_text
from machmeter.report.views.tables import Table
from machmeter.text.history_groups import ChangeGroup, by_run, figures_of, sections_of, title_of
from machmeter.text.history_words import (
    differences_text,
    finds_text,
    interval_text,
    kind_text,
    levels_text,
    names_of,
    runs_text,
    step_text,
    value_text,
)
from machmeter.text.numbers import time_text
from machmeter.text.plain import plain

MOST_CHARTS = 24
_ROOMS = ((2000, MOST_CHARTS, 2000), (1000, 12, 400), (300, 6, 100), (100, 2, 50))


class Group(Struct, frozen=True):
    """Changes with the same runs on either side; nothing: said where no difference is known."""

    heading: str
    when: str
    differences: Table
    nothing: str
    figures: Table


class Drawn(Struct, frozen=True):
    """A chart with the table that holds what it shows."""

    chart: Chart
    runs: Table


class MachineSection(Struct, frozen=True):
    """What the page shows of one machine."""

    anchor: str
    name: str
    title: str
    groups: tuple[Group, ...]
    charts: tuple[Drawn, ...]
    figures: Table


def write_history_page(history: History, path: Path) -> None:
    """Write the page of a history, whole or not at all. Raises OSError where it cannot."""
    write_whole(render_history(history), path)


def render_history(history: History) -> str:
    """The page, below 2 MB (2 x 10^6 B): rows and charts are cut until it fits, and it says so."""
    page = ""
    for most_rows, most_charts, most_runs in _ROOMS:
        machines = [
            _section(history, position, (most_rows, most_charts, most_runs))
            for position in range(len(history.machines))
            if figures_of(history, position)
        ]
        page = render(
            "history.html.j2",
            tuple(drawn.chart for machine in machines for drawn in machine.charts),
            {
                "title": _title(history),
                "verdict": verdict_text(history),
                "machines": machines,
                "remarks": list(remarks(history)),
                "rules": history.rules,
            },
        )
        if len(page.encode()) < MAX_PAGE_BYTES:
            break
    return page


def _title(history: History) -> str:
    names = list(dict.fromkeys(machine.name for machine in history.machines))
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return plain(shown, 120) or "no runs"


def _section(history: History, position: int, room: tuple[int, int, int]) -> MachineSection:
    machine, figures = history.machines[position], figures_of(history, position)
    most_rows, most_charts, most_runs = room
    names = names_of(figures)
    named = sorted(zip(names, figures, strict=True), key=lambda one: _rank(one[1]))
    changed = [(name, figure) for name, figure in named if figure.changes]
    drawn = changed or [(name, figure) for name, figure in named if len(figure.values) > 1]
    return MachineSection(
        anchor=f"machine-{position + 1}",
        name=plain(machine.name, 80),
        title=title_of(machine, figures),
        groups=_groups(list(zip(names, figures, strict=True)), most_rows),
        charts=tuple(
            Drawn(
                history_chart(1000 * position + number, name, figure),
                _runs_table(name, figure, most_runs),
            )
            for number, (name, figure) in enumerate(drawn[:most_charts])
        ),
        figures=_figures_table(named, most_rows),
    )


def _rank(figure: ResultHistory) -> tuple[bool, bool, int]:
    return not figure.regressed, not figure.changes, -len(figure.values)


def _groups(named: Sequence[tuple[str, ResultHistory]], most_rows: int) -> tuple[Group, ...]:
    return tuple(
        _group(heading, group, most_rows)
        for heading, _, changes in sections_of(named)
        for group in by_run(changes)
    )


def _group(heading: str, group: Sequence[ChangeGroup], most_rows: int) -> Group:
    change = group[0].change
    first, last = plain(change.first_run, 60), plain(change.last_run, 60)
    return Group(
        heading=heading,
        when=f"From run {first} ({time_text(change.started)}) on; before it: run {last}.",
        differences=Table(
            "What else changed between these two runs",
            ("what", "before", "after"),
            tuple(
                (one.what, plain(one.before, 300), plain(one.after, 300))
                for one in change.differences
            ),
        ),
        nothing=differences_text(change.differences, change.unreadable).capitalize() + ".",
        figures=Table(
            "Figures, from level to level",
            ("figure", "levels", "how much better, 95 % interval", "runs"),
            tuple(_change_row(told) for told in group[:most_rows]),
            (1, 2),
            f"{len(group) - most_rows} more are left out." if len(group) > most_rows else "",
        ),
    )


def _change_row(told: ChangeGroup) -> tuple[str, ...]:
    change, unit = told.change, told.figure.unit
    step = change.since or change.step
    return (
        plain(f"{told.figure.benchmark} {told.name}", 200),
        levels_text(step, unit),
        step_text(step, unit),
        runs_text(change),
    )


def _figures_table(named: Sequence[tuple[str, ResultHistory]], most: int) -> Table:
    rows = []
    for name, figure in named[:most]:
        latest = figure.values[-1] if figure.values else None
        rows.append(
            (
                plain(f"{figure.benchmark} {name}", 200),
                str(len(figure.values)),
                value_text(latest, figure.unit) if latest else "no value",
                "; ".join(kind_text(change, figure.unit) for change in figure.changes) or "–",
                f"needs {figure.runs_needed} more" if figure.runs_needed else finds_text(figure),
            )
        )
    left = len(named) - len(rows)
    return Table(
        f"All {len(named)} figures",
        ("figure", "runs", "latest, 95 % interval", "changes", "would show"),
        tuple(rows),
        (1, 2),
        f"{left} more: `machmeter history --json` has all." if left else "",
    )


def _runs_table(name: str, figure: ResultHistory, most: int) -> Table:
    begins = {change.first_run: change for change in figure.changes}
    rows = []
    for one in figure.values[-most:]:
        change = begins.get(one.run)
        told = step_text(change.step, figure.unit) if change else ""
        rows.append(
            (
                plain(one.run, 60),
                time_text(one.started),
                format_value(one.value, figure.unit),
                interval_text(one, figure.unit),
                str(one.launches),
                f"{kind_text(change, figure.unit)}: {told}" if change else "",
            )
        )
    left = len(figure.values) - len(rows)
    return Table(
        plain(f"{figure.benchmark} {name}: {len(figure.values)} runs", 200),
        ("run", "started", "value", "95 % interval", "launches", "change"),
        tuple(rows),
        (2, 3, 4),
        f"The first {left} are left out." if left else "",
    )
