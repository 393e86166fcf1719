"""A history prepared for people: tables of changes, of results, and of the runs of one result."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.history import ResultHistory
from machmeter.model.units import format_value
from machmeter.report.table import Table, TableRow
from machmeter.text.history import (
    NamedChange,
    detectable_text,
    history_value_text,
    kind_text,
    levels_text,
    runs_text,
    step_text,
)
from machmeter.text.numbers import NOTHING, interval_text, time_text
from machmeter.text.plain import plain


def change_row(one: NamedChange) -> TableRow:
    """The result, its levels, how much better with the interval, and the runs on either side."""
    unit = one.result.unit
    step = one.change.since or one.change.step
    return (one.label, levels_text(step, unit), step_text(step, unit), runs_text(one.change))


def by_importance(named: Sequence[tuple[str, ResultHistory]]) -> list[tuple[str, ResultHistory]]:
    """What became worse first, then what changed, then what has most runs."""

    def rank(one: tuple[str, ResultHistory]) -> tuple[bool, bool, int]:
        return not one[1].regressed, not one[1].changes, -len(one[1].values)

    return sorted(named, key=rank)


def results_table(named: Sequence[tuple[str, ResultHistory]], most: int) -> Table:
    """Every result with its latest value and changes."""
    rows = [
        (
            plain(f"{result.benchmark} {name}", 200),
            str(len(result.values)),
            history_value_text(result.values[-1], result.unit) if result.values else "no value",
            "; ".join(kind_text(change, result.unit) for change in result.changes) or NOTHING,
            detectable_text(result),
        )
        for name, result in named[:most]
    ]
    left = len(named) - len(rows)
    return Table(
        f"All {len(named)} results",
        ("result", "runs", "latest, 95 % interval", "changes", "detectable"),
        tuple(rows),
        (1, 2),
        f"{left} more: `machmeter history --json` has all." if left else "",
    )


def runs_table(name: str, result: ResultHistory, most: int) -> Table:
    """Every run of one result, with what changed where."""
    begins = {change.first_run: change for change in result.changes}
    rows = []
    for one in result.values[-most:]:
        change = begins.get(one.run)
        step = step_text(change.step, result.unit) if change else ""
        rows.append(
            (
                plain(one.run, 60),
                time_text(one.started),
                format_value(one.value, result.unit),
                interval_text(one.low, one.high, one.value, result.unit),
                str(one.launches),
                f"{kind_text(change, result.unit)}: {step}" if change else "",
            )
        )
    left = len(result.values) - len(rows)
    return Table(
        plain(f"{result.benchmark} {name}: {len(result.values)} runs", 200),
        ("run", "started", "value", "95 % interval", "launches", "change"),
        tuple(rows),
        (2, 3, 4),
        f"The first {left} are left out." if left else "",
    )
