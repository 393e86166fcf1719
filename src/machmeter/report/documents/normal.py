"""Whether results are normal, as tables: where each stands, and what it is not compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from machmeter.analysis.normal.position import (
    FEWEST_FOR_POSITION,
    FEWEST_FOR_UNUSUAL,
    Other,
    Position,
    Side,
)
from machmeter.analysis.normal.report import KeyResult, NormalReport
from machmeter.report.documents.document import Document
from machmeter.report.table import Table, TableRow
from machmeter.text.findings.labels import interval_value
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import plain
from machmeter.text.ratios import percent_text

_MOST_RESULTS = 24
_MOST_REFUSED = 12
_ABOVE_LIMIT = "UNUSUAL: above what the hardware can"
_MOST_NAMED = 4


def normal_document(report: NormalReport, *, every: bool = False) -> Document:
    """Each key result with its limit and its position, those of others, and what is not
    compared; every: all machines and refusals."""
    shown = report.results if every else report.results[:_MOST_RESULTS]
    placed = [one for one in shown if one.position.others]
    alone = [one for one in shown if not one.position.others]
    left = len(report.results) - len(shown)
    tables = (
        Table(
            "",
            ("result", "value", "of its limit", "how it stands"),
            tuple((*_own(one), position_text(one.position)) for one in placed),
            (1, 2),
            note=f"{left} more results: --all" if left else "",
        ),
        Table(
            "Others",
            ("result", "machine", "value", "of its limit", "this one is", "what may differ"),
            tuple(row for one in placed for row in _other_rows(one, every=every)),
            (2, 3),
            note="" if every else "ends of each: --all has every machine",
            labels=2,
        ),
        Table(
            "No machine has these with the same definition",
            ("result", "value", "of its limit", "how it stands"),
            tuple((*_own(one), _ABOVE_LIMIT * one.position.is_above_limit) for one in alone),
            (1, 2),
        ),
        _refusals(shown, every=every),
    )
    count = count_text(len(report.others), "machine", "machines")
    title = f"{plain(report.machine.title, 60)} among {count}"
    return Document(title, tuple(one for one in tables if one.rows), tuple(_said(report)))


def position_text(position: Position) -> str:
    """`above 3, like 1, below 0 of 4`; what cannot be said where the machines are too few."""
    count = len(position.counted)
    if position.is_above_limit:
        return _ABOVE_LIMIT
    if not position.has_place:
        return f"too few: {count}" if count else "thresholds alone"
    sides = ", ".join(f"{side.value} {position.count(side)}" for side in Side)
    return f"{sides} of {count}" + " – UNUSUAL" * position.is_unusual


def _said(report: NormalReport) -> list[str]:
    """What the counts mean, and what they do not."""
    chances = sorted(
        {
            (len(one.position.counted), chance)
            for one in report.results
            if (chance := one.position.chance_beyond_all)
        }
    )
    lines = [f"{plain(report.machine.source, 120)}; above: better than the other machine."]
    if chances:
        of = ", ".join(f"of {count} in {percent_text(chance)}" for count, chance in chances)
        lines.append(
            f"By one result a normal machine is better or worse than all {of} of cases: only "
            f"limits decide below {FEWEST_FOR_UNUSUAL}, and below {FEWEST_FOR_POSITION} nothing is "
            "said."
        )
    if not report.machine.limits:
        lines.append(
            "What the hardware of this machine can at most is not known (`machmeter doctor`)."
        )
    return lines


def _name(one: KeyResult) -> str:
    return plain(", ".join(filter(None, (one.title, one.label))), 120)


def _own(one: KeyResult) -> tuple[str, str, str]:
    position = one.position
    return _name(one), interval_value(position.estimate), _share_text(position.share)


def _share_text(share: float | None) -> str:
    return NOTHING if share is None else percent_text(share)


def _other_rows(result: KeyResult, *, every: bool) -> Iterator[TableRow]:
    position = result.position
    for one in position.others if every else _nearest(position):
        yield (
            _name(result),
            one.machine,
            interval_value(one.estimate),
            _share_text(one.share),
            "above a threshold" if one.is_threshold and one.side is Side.ABOVE else one.side.value,
            plain("; ".join(one.notes), 200),
        )


def _nearest(position: Position) -> tuple[Other, ...]:
    """The best and the last ones."""
    if len(position.others) <= _MOST_NAMED:
        return position.others
    half = _MOST_NAMED // 2
    return (*position.others[:half], *position.others[-half:])


def _refusals(shown: Sequence[KeyResult], *, every: bool) -> Table:
    rows = [
        (_name(one), refused.machine, plain(refused.reason, 200))
        for one in shown
        for refused in one.position.not_placed
    ]
    first = rows if every else rows[:_MOST_REFUSED]
    left = len(rows) - len(first)
    return Table(
        "Not compared",
        ("result", "machine", "why"),
        tuple(first),
        note=f"{left} more: --all" if left else "",
        labels=2,
    )
