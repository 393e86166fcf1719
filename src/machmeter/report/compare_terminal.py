"""Machines beside one another in a terminal of at most 100 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from machmeter.analysis.compare_machines import Standing, standing_of
from machmeter.analysis.figure_names import circumstances_text
from machmeter.model.compared import ComparedFigure, MachineComparison
from machmeter.model.known import KnownMachine
from machmeter.report.compare_words import (
    bases_text,
    counts_text,
    difference_text,
    figure_value,
    flip_text,
    headline,
    machine_line,
    standing_text,
)
from machmeter.report.words import plain

MAX_COLUMNS = 100
MOST_ROWS = 12
MOST_NOTES = 10
MOST_TOLD = 12
OTHERS_AT_ONCE = 3
_STYLES = {
    Standing.AHEAD: "bold green",
    Standing.AHEAD_AS_PRINTED: "green",
    Standing.BEHIND: "bold red",
    Standing.BEHIND_AS_PRINTED: "red",
    Standing.UNRESOLVED: "dim",
}


def print_comparison(
    machines: Sequence[KnownMachine],
    comparisons: Sequence[MachineComparison],
    console: Console,
    *,
    every: bool = False,
) -> None:
    """Print each further machine beside the first.

    every: all rows, notes and refusals, not only the largest differences of each benchmark.
    """
    columns = min(console.width, MAX_COLUMNS)
    lines = _wrapped(headline(machines), columns, "", "bold")
    lines += [line for m in machines for line in _wrapped(machine_line(m), columns, "  ", "dim")]
    lines.append(Text(""))
    lines += [line for one in comparisons for line in _wrapped(counts_text(one), columns, "")]
    if len(comparisons) == 1:
        lines += _pair(comparisons[0], columns, every=every)
    else:
        for start in range(0, len(comparisons), OTHERS_AT_ONCE):
            lines += _several(comparisons[start : start + OTHERS_AT_ONCE], columns, every=every)
    for one in comparisons:
        lines += _told_below(one, columns, several=len(comparisons) > 1, every=every)
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _pair(comparison: MachineComparison, columns: int, *, every: bool) -> list[Text]:
    """A table with both values, the ratio with its interval, and notes by number."""
    notes = _numbered(comparison.figures)
    names = (_tail(comparison.a, _VALUE), _tail(comparison.b, _VALUE))
    head = _row("", *names, "better by", columns)
    lines = [Text(""), Text(head, style="bold")] if comparison.figures else []
    for heading, rows in _grouped(comparison.figures, _heading).items():
        common = set(rows[0].notes).intersection(*(row.notes for row in rows))
        marks = _marks(common, notes)
        lines.append(Text(_cut(heading, columns - len(marks)) + marks, style="bold"))
        for figure in rows if every else rows[:MOST_ROWS]:
            lines += _figure(figure, _marks(set(figure.notes) - common, notes), columns)
        lines += _left_out(rows, every)
    if notes:
        lines += _section("Notes", [f"{n} {text}" for text, n in notes.items()], columns, every)
    return lines


def _marks(told: set[str], notes: dict[str, int]) -> str:
    """The numbers of some notes: ` (1,3)`."""
    numbers = sorted(notes[note] for note in told)
    return f" ({','.join(map(str, numbers))})" if numbers else ""


def _figure(figure: ComparedFigure, marks: str, columns: int) -> list[Text]:
    """A row; a name that is too long for it stands whole on a line before."""
    name = _circumstances(figure) + marks
    long = cell_len(name) > _NAME
    lines = _wrapped(name, columns, "  ") if long else []
    ratio = difference_text(figure).replace(" points", " pt")
    values = (figure_value(figure.a), figure_value(figure.b), ratio)
    row = Text(_row("" if long else name, *values, columns))
    row.append(f"  {standing_text(figure)}", style=_STYLES.get(standing_of(figure), ""))
    row.truncate(columns, overflow="ellipsis")
    others = bases_text(figure)
    lines.append(row)
    return [*lines, Text(_cut(f"      {others}", columns), style="dim")] if others else lines


_NAME, _VALUE, _RATIO = 34, 12, 20
Group = TypeVar("Group")


def _grouped(items: Iterable[Group], heading: Callable[[Group], str]) -> dict[str, list[Group]]:
    """Items under their headings, both in the order in which they come."""
    found: dict[str, list[Group]] = {}
    for item in items:
        found.setdefault(heading(item), []).append(item)
    return found


def _heading(figure: ComparedFigure) -> str:
    return f"{figure.a.point.benchmark}: {figure.a.title}"


def _circumstances(figure: ComparedFigure) -> str:
    """What a row says beside its heading; of the only one there, everything."""
    told = figure.name.removeprefix(figure.a.title).removeprefix(": ")
    return told or circumstances_text(figure.a) or figure.a.words.get("text", "as printed")


def _left_out(rows: Sequence[object], every: bool) -> list[Text]:
    left = 0 if every else len(rows) - MOST_ROWS
    return [Text(f"  and {left} more: --all", style="dim")] if left > 0 else []


def _row(name: str, a: str, b: str, ratio: str, columns: int) -> str:
    cells = (_left(name, _NAME), _right(a, _VALUE), _right(b, _VALUE), _right(ratio, _RATIO))
    return _cut(f"  {' '.join(cells)}", columns)


def _tail(name: str, width: int) -> str:
    """The end of a name that is too long: of two runs that is where their ids differ."""
    whole = plain(name)
    return whole if cell_len(whole) <= width else f"…{whole[-(width - 1) :]}"


def _numbered(figures: Iterable[ComparedFigure]) -> dict[str, int]:
    """Every note once, with its number, flags first."""
    every = list(dict.fromkeys(note for figure in figures for note in figure.notes))
    every.sort(key=lambda note: "contradicted" not in note)
    return {note: number for number, note in enumerate(every, 1)}


def _several(comparisons: Sequence[MachineComparison], columns: int, *, every: bool) -> list[Text]:
    """One column for each machine against the first."""
    found: dict[tuple[str, str, str], list[ComparedFigure | None]] = {}
    for position, comparison in enumerate(comparisons):
        for figure in comparison.figures:
            key = (figure.a.point.benchmark, figure.a.point.key, figure.a.metric)
            cells = found.setdefault(key, [None] * len(comparisons))
            cells[position] = cells[position] or figure
    others = [_tail(one.b, 18) for one in comparisons]
    head = _wide_row("", _tail(comparisons[0].a, 10), others)
    lines = [Text(""), Text(_cut(head, columns), style="bold")] if found else []
    for heading, rows in _grouped(found.values(), lambda cells: _heading(_first(cells))).items():
        lines.append(Text(_cut(heading, columns), style="bold"))
        for cells in rows if every else rows[:MOST_ROWS]:
            first = _first(cells)
            texts = [_cell(figure) for figure in cells]
            row = _wide_row(_circumstances(first), figure_value(first.a), texts)
            lines.append(Text(_cut(row, columns)))
        lines += _left_out(rows, every)
    if found:
        lines.append(Text("* as printed, without interval; ? not resolved", style="dim"))
    return lines


def _first(cells: Iterable[ComparedFigure | None]) -> ComparedFigure:
    return next(figure for figure in cells if figure is not None)


def _wide_row(name: str, a: str, others: Sequence[str]) -> str:
    return " ".join([f"  {_left(name, 30)}", _right(a, 10), *(_right(o, 18) for o in others)])


def _cell(figure: ComparedFigure | None) -> str:
    if figure is None:
        return "–"
    if figure.points is not None:
        size = f"{100 * figure.points:+.1f} pt"
    else:
        size = difference_text(figure).split(" ")[0]
    word = {"not resolved": "?", "the same": "same"}.get(standing_text(figure), "")
    return f"{size} {word or standing_text(figure).split(',')[0]}{'*' * figure.as_printed}"


def _told_below(
    comparison: MachineComparison, columns: int, *, several: bool, every: bool
) -> list[Text]:
    """Flips and refusals, and in a wide table what its marks mean."""
    of = f" ({comparison.b})" if several else ""
    flips = [flip_text(flip) for flip in comparison.flips]
    refused = [f"{one.what}: {one.reason}" for one in comparison.refusals]
    lines = _section(f"Who is ahead depends on the basis{of}", flips, columns, every)
    lines += _section(f"Not compared, because definitions differ{of}", refused, columns, every)
    flagged = [n for n in _numbered(comparison.figures) if "contradicted" in n] if several else []
    return lines + _section(f"Contradicted figures{of}", flagged, columns, every)


def _section(title: str, texts: Sequence[str], columns: int, every: bool) -> list[Text]:
    if not texts:
        return []
    most = len(texts) if every else (MOST_NOTES if title == "Notes" else MOST_TOLD)
    lines = [Text(""), Text(title, style="bold")]
    for text in texts[:most]:
        lines += _wrapped(text, columns, "  ")
    if len(texts) > most:
        lines.append(Text(f"  and {len(texts) - most} more: --all", style="dim"))
    return lines


def _wrapped(text: str, columns: int, indent: str, style: str = "") -> list[Text]:
    """`text` in as many lines as it takes, those after the first indented by two more."""
    words, lines, line = plain(text).split(" "), [], indent
    for word in words:
        joined = f"{line} {word}" if line.strip() else f"{line}{word}"
        if cell_len(joined) > columns and line.strip():
            lines.append(line)
            line = f"{indent}  {word}"
        else:
            line = joined
    return [Text(_cut(one, columns), style=style) for one in (*lines, line)]


def _left(text: str, width: int) -> str:
    fitted = _cut(text, width)
    return fitted + " " * (width - cell_len(fitted))


def _right(text: str, width: int) -> str:
    fitted = _cut(text, width)
    return " " * (width - cell_len(fitted)) + fitted


def _cut(text: str, columns: int) -> str:
    fitted = Text(plain(text))
    fitted.truncate(columns, overflow="ellipsis")
    return fitted.plain
