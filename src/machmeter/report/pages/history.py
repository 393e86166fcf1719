"""The page of a history: what changed and when, with charts, in one file that loads nothing.

Importing this module loads Jinja and vl-convert: import it only where a page is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from machmeter.model.results.history import History, ResultHistory
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.history import history_chart
from machmeter.report.pages.html import MAX_PAGE_BYTES, render, write_whole
from machmeter.report.table import Table
from machmeter.report.views.history import by_importance, change_row, results_table, runs_table
from machmeter.text.history import (
    NamedChange,
    by_run,
    differences_text,
    history_notes,
    history_verdict_text,
    names_of,
    results_of,
    sections_of,
    title_of,
)
from machmeter.text.numbers import time_text
from machmeter.text.plain import plain

MOST_CHARTS = 24
_ROOMS = ((2000, MOST_CHARTS, 2000), (1000, 12, 400), (300, 6, 100), (100, 2, 50))


class Group(Struct, frozen=True):
    """Changes between the same two runs."""

    heading: str
    """As a heading."""
    when: str
    """Between which times."""
    differences: Table
    """What else changed between these runs."""
    nothing: str
    """Stated where no difference is known."""
    results: Table
    """What changed."""


class Drawn(Struct, frozen=True):
    """A chart with the table of its values."""

    chart: Chart
    """Values over runs."""
    runs: Table
    """The same as a table."""


class MachineSection(Struct, frozen=True):
    """What the page shows of one machine."""

    anchor: str
    """On the page."""
    name: str
    """Of the machine."""
    title: str
    """As a heading."""
    groups: tuple[Group, ...]
    """Changes by the runs between which they are."""
    charts: tuple[Drawn, ...]
    """Of results that changed."""
    results: Table
    """Every result."""


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
            if results_of(history, position)
        ]
        page = render(
            "history.html.j2",
            tuple(drawn.chart for machine in machines for drawn in machine.charts),
            {
                "title": _title(history),
                "verdict": history_verdict_text(history),
                "machines": machines,
                "remarks": list(history_notes(history)),
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
    machine, results = history.machines[position], results_of(history, position)
    most_rows, most_charts, most_runs = room
    names = names_of(results)
    named = by_importance(list(zip(names, results, strict=True)))
    changed = [(name, result) for name, result in named if result.changes]
    drawn = changed or [(name, result) for name, result in named if len(result.values) > 1]
    return MachineSection(
        anchor=f"machine-{position + 1}",
        name=plain(machine.name, 80),
        title=title_of(machine, results),
        groups=_groups(list(zip(names, results, strict=True)), most_rows),
        charts=tuple(
            Drawn(
                history_chart(1000 * position + number, name, result),
                runs_table(name, result, most_runs),
            )
            for number, (name, result) in enumerate(drawn[:most_charts])
        ),
        results=results_table(named, most_rows),
    )


def _groups(named: Sequence[tuple[str, ResultHistory]], most_rows: int) -> tuple[Group, ...]:
    return tuple(
        _group(heading, group, most_rows)
        for heading, _, changes in sections_of(named)
        for group in by_run(changes)
    )


def _group(heading: str, group: Sequence[NamedChange], most_rows: int) -> Group:
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
        results=Table(
            "Changes of level",
            ("result", "levels", "how much better, 95 % interval", "runs"),
            tuple(change_row(one) for one in group[:most_rows]),
            (1, 2),
            f"{len(group) - most_rows} more are left out." if len(group) > most_rows else "",
        ),
    )
