"""Whether results are normal, as a document: where each stands, what it is not compared with."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.normal.position import (
    FEWEST_FOR_POSITION,
    FEWEST_FOR_UNUSUAL,
    Other,
    Position,
    Side,
)
from machmeter.analysis.normal.report import KeyResult, NormalReport
from machmeter.report.documents.document import Document
from machmeter.report.normal.axis import LEGEND, axis_line
from machmeter.report.table import Table
from machmeter.text.findings.labels import interval_value
from machmeter.text.labels import point_label
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import capitalized, plain
from machmeter.text.ratios import percent_text

_MOST_RESULTS = 24
_MOST_REFUSED = 12
_ABOVE_LIMIT = "UNUSUAL: above what the hardware can"
_MOST_NAMED = 4
_OF_LINES = 2
"""Columns that a line is indented."""


def normal_document(
    report: NormalReport, *, every: bool = False, refused: bool = False, drawn: int = 0
) -> Document:
    """Each key result with its limit and its position, those of others, and what is not
    compared.

    Args:
        report: What is shown.
        every: All machines, and where each figure stands.
        refused: All refusals.
        drawn: Columns in which each result stands on a line with those of others, where letters
            have one width; 0 for none.
    """
    ordered = sorted(report.results, key=lambda one: not one.position.others)
    shown = ordered if every else ordered[:_MOST_RESULTS]
    placed = [one for one in shown if one.position.others]
    alone = [one for one in shown if not (one.position.others or one.position.lacks)]
    left = len(report.results) - len(shown)
    tables = (
        Table(
            "",
            ("result", "value", "of its limit", "how it stands"),
            tuple((*_own(one), position_text(one.position)) for one in placed),
            (1, 2),
            note=f"{left} more results: --all" if left else "",
        ),
        *(_others(one, report, every=every, drawn=drawn) for one in placed),
        Table(
            "No machine has these with the same definition",
            ("result", "value", "of its limit", "how it stands"),
            tuple((*_own(one), _ABOVE_LIMIT * one.position.is_above_limit) for one in alone),
            (1, 2),
        ),
        Table(
            "Not stated by their source, so compared with none",
            ("result", "value", "not stated"),
            tuple(
                (*_own(one)[:2], ", ".join(one.position.lacks))
                for one in shown
                if one.position.lacks
            ),
            (1,),
        ),
        _refusals(shown, every=refused),
        *([_sources(placed)] if every else []),
    )
    count = count_text(len(report.others), "machine", "machines")
    title = f"{plain(report.machine.title, 60)} among {count}"
    lines = (
        capitalized(verdict_text(report)),
        *said_of(report),
        *([LEGEND] * bool(drawn and placed)),
    )
    return Document(title, tuple(_with_words(one) for one in tables if one.rows), lines)


def _with_words(table: Table) -> Table:
    """Without columns that say nothing in any row."""
    kept = [
        number
        for number, cells in enumerate(zip(*table.rows, strict=True))
        if set(cells) - {NOTHING, ""}
    ]
    return replace(
        table,
        columns=tuple(table.columns[number] for number in kept),
        rows=tuple(tuple(row[number] for number in kept) for row in table.rows),
        numeric=tuple(kept.index(number) for number in table.numeric if number in kept),
    )


def position_text(position: Position) -> str:
    """`above 3, like 1, below 0 of 4`; what cannot be said where the machines are too few."""
    count = len(position.counted)
    if position.is_above_limit:
        return _ABOVE_LIMIT
    if not position.has_place:
        return f"too few: {count}" if count else "thresholds alone"
    sides = ", ".join(f"{side.value} {position.count(side)}" for side in Side)
    return f"{sides} of {count}" + " – UNUSUAL" * position.is_unusual


def verdict_text(report: NormalReport) -> str:
    """In a sentence: how many key results can be judged, and which are not normal, or may not be.

    One is judged by a limit of the hardware, or among three machines or more.
    """
    results = report.results
    judged = [one for one in results if one.position.share or one.position.has_place]
    count = count_text(len(results), "key result", "key results")
    if not judged:
        return f"none of {count} has a known limit, or three machines with the same definition."
    unusual = [_name(one) for one in judged if one.position.is_unusual]
    last = [
        f"{_name(one)} ({len(one.position.counted)})"
        for one in judged
        if one.position.is_last and not one.position.is_unusual
    ]
    said = f"unusual: {', '.join(unusual)}" if unusual else "none is known to be unusual"
    worse = f"; worse than all of too few machines to decide: {', '.join(last)}" * bool(last)
    by = "by limits, or beside three machines or more"
    return f"{len(judged)} of {count} can be judged ({by}): {said}{worse}."


def said_of(report: NormalReport) -> tuple[str, ...]:
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
            f"A normal machine is better or worse than all {of} of cases: only limits decide below "
            f"{FEWEST_FOR_UNUSUAL} machines, and below {FEWEST_FOR_POSITION} nothing is said."
        )
    if report.machine.runs and not report.machine.limits:
        lines.append(
            "What the hardware of this machine can at most is not known (`machmeter doctor`)."
        )
    return tuple(lines)


def _name(one: KeyResult) -> str:
    return plain(", ".join(filter(None, (one.title, one.label))), 120)


def _own(one: KeyResult) -> tuple[str, str, str]:
    position = one.position
    return _name(one), interval_value(position.estimate), _share_text(position.share)


def _share_text(share: float | None) -> str:
    return NOTHING if share is None else percent_text(share)


def _others(result: KeyResult, report: NormalReport, *, every: bool, drawn: int) -> Table:
    """The machines that a result is among, the best first."""
    position = result.position
    shown = position.others if every else _nearest(position)
    left = len(position.others) - len(shown)
    line = axis_line(position, report.machine.generation, drawn - _OF_LINES) if drawn else ""
    return Table(
        _name(result) + (f" ({left} between these: --all)" if left else ""),
        ("machine", "value", "of its limit", "this one is", "what may differ"),
        tuple(
            (
                one.machine,
                interval_value(one.estimate),
                _share_text(one.share),
                "above a threshold"
                if one.is_threshold and one.side is Side.ABOVE
                else one.side.value,
                plain("; ".join(one.notes), 200),
            )
            for one in shown
        ),
        (1, 2),
        note=line,
    )


def _sources(placed: Sequence[KeyResult]) -> Table:
    """Where each figure of another machine stands, and how it is defined there."""
    return Table(
        "Where their figures stand",
        ("machine", "definition", "source", "address"),
        tuple(
            (
                other.machine,
                plain(point_label(other.estimate), 160),
                plain(printed.source, 200),
                plain(printed.address, 200),
            )
            for one in placed
            for other in one.position.others
            if (printed := other.estimate.printed)
        ),
        labels=2,
    )


def _nearest(position: Position) -> tuple[Other, ...]:
    """The best and the last ones."""
    if len(position.others) <= _MOST_NAMED:
        return position.others
    half = _MOST_NAMED // 2
    return (*position.others[:half], *position.others[-half:])


def _refusals(shown: Sequence[KeyResult], *, every: bool) -> Table:
    """Why machines are not compared, those with one reason together."""
    of_reason: dict[tuple[str, str], list[str]] = {}
    for one in shown:
        for refused in one.position.not_placed:
            of_reason.setdefault((_name(one), refused.reason), []).append(refused.machine)
    rows = [
        (name, plain(reason, 200), str(len(machines)), _listed(machines, every=every))
        for (name, reason), machines in of_reason.items()
    ]
    first = rows if every else rows[:_MOST_REFUSED]
    left = len(rows) - len(first)
    return Table(
        "Not compared",
        ("result", "why", "machines", "which"),
        tuple(first),
        (2,),
        note=f"{left} more: `machmeter compare RUN normal --all`" if left else "",
        labels=2,
    )


def _listed(machines: Sequence[str], *, every: bool) -> str:
    shown = machines if every else machines[:_MOST_NAMED]
    return ", ".join(shown) + ", ..." * (len(shown) < len(machines))
