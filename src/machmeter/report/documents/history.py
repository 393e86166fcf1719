"""Histories as tables: the changes of each machine, and all its results or the runs of one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.model.results.history import History, HistoryMachine, ResultHistory
from machmeter.report.documents.document import Document
from machmeter.report.table import Table
from machmeter.report.views.history import by_importance, change_row, results_table, runs_table
from machmeter.text.history import (
    history_notes,
    history_verdict_text,
    names_of,
    results_of,
    sections_of,
    title_of,
)

_EVERY = 10**9
_CHANGE = ("result", "levels", "change, 95 % interval", "runs")


def history_document(history: History) -> Document:
    """Every machine with its changes and results."""
    tables: list[Table] = []
    for position, machine in enumerate(history.machines):
        results = results_of(history, position)
        tables += _tables(machine, results) if results else []
    lines = [*history_notes(history), *([history_verdict_text(history)] if tables else [])]
    return Document("History of results", tuple(tables), tuple(lines or ["There is no result."]))


def _tables(machine: HistoryMachine, results: Sequence[ResultHistory]) -> list[Table]:
    title = title_of(machine, results)
    named = list(zip(names_of(results), results, strict=True))
    tables = [
        Table(f"{title}: {heading}", _CHANGE, tuple(map(change_row, changes)))
        for heading, _, changes in sections_of(named)
    ]
    if len(named) == 1:
        last = runs_table(*named[0], _EVERY)
    else:
        last = results_table(by_importance(named), _EVERY)
    return [*tables, replace(last, caption=f"{title}: {last.caption}")]
