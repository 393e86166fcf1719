"""Machines beside one another in a terminal of at most 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from machmeter.analysis.matching.compare_machines import is_flag, standing_of
from machmeter.analysis.matching.result_names import circumstances_text
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    ComparedResult,
    MachineComparison,
    RelativeStanding,
)
from machmeter.report.terminal.compare_layout import (
    others_at_once,
    pair_lines,
    pair_widths,
    several_lines,
    tail,
    wrapped,
)
from machmeter.text.compare_words import (
    bases_text,
    counts_text,
    difference_text,
    figure_value,
    flip_text,
    headline,
    machine_line,
    standing_text,
)

MAX_COLUMNS = 100
MOST_ROWS = 12
MOST_NOTES = 10
MOST_TOLD = 12
_BETTER = "better by"
_STYLES = {
    RelativeStanding.AHEAD: "bold green",
    RelativeStanding.AHEAD_AS_PRINTED: "green",
    RelativeStanding.BEHIND: "bold red",
    RelativeStanding.BEHIND_AS_PRINTED: "red",
    RelativeStanding.UNRESOLVED: "dim",
}


def print_comparison(
    machines: Sequence[MachineResults],
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
        lines += _all_of_several(comparisons, columns, every=every)
    for one in comparisons:
        lines += _told_below(one, columns, several=len(comparisons) > 1, every=every)
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _pair(comparison: MachineComparison, columns: int, *, every: bool) -> list[Text]:
    """A table with both values, the ratio with its interval, and notes by number."""
    notes = _numbered(comparison.figures)
    widths = pair_widths(columns)
    names = (tail(comparison.a, widths.value), tail(comparison.b, widths.value))
    head, _ = pair_lines("", names, _BETTER if widths.ratio > len(_BETTER) else "better", columns)
    lines = [Text(""), *_texts(head, "bold")] if comparison.figures else []
    for heading, rows in _grouped(comparison.figures, _heading).items():
        common = set(rows[0].notes).intersection(*(row.notes for row in rows))
        marks = _marks(common, notes)
        lines += _wrapped(f"{heading}{marks}", columns, "", "bold")
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


def _figure(figure: ComparedResult, marks: str, columns: int) -> list[Text]:
    """A row with its verdict, and below it the ratio on other bases."""
    ratio = difference_text(figure).replace(" points", " pt")
    values = (figure_value(figure.a), figure_value(figure.b))
    before, behind = pair_lines(_circumstances(figure) + marks, values, ratio, columns)
    *lines, row = _texts(before)
    row.append(f"  {standing_text(figure)}", style=_STYLES.get(standing_of(figure), ""))
    row.truncate(columns, overflow="ellipsis")
    others = bases_text(figure)
    return [
        *(*lines, row, *_texts(behind)),
        *(_wrapped(others, columns, "      ", "dim") if others else ()),
    ]


def _texts(lines: Iterable[str], style: str = "") -> list[Text]:
    return [Text(line, style=style) for line in lines]


Group = TypeVar("Group")


def _grouped(items: Iterable[Group], heading: Callable[[Group], str]) -> dict[str, list[Group]]:
    """Items under their headings, both in the order in which they come."""
    found: dict[str, list[Group]] = {}
    for item in items:
        found.setdefault(heading(item), []).append(item)
    return found


def _heading(figure: ComparedResult) -> str:
    return f"{figure.a.point.benchmark}: {figure.a.title}"


def _circumstances(figure: ComparedResult) -> str:
    """What a row says beside its heading; of the only one there, everything."""
    told = figure.name.removeprefix(figure.a.title).removeprefix(": ")
    printed = figure.a.printed
    return told or circumstances_text(figure) or (printed.text if printed else "as printed")


def _left_out(rows: Sequence[object], every: bool) -> list[Text]:
    left = 0 if every else len(rows) - MOST_ROWS
    return [Text(f"  and {left} more: --all", style="dim")] if left > 0 else []


def _numbered(figures: Iterable[ComparedResult]) -> dict[str, int]:
    """Every note once, with its number, flags first."""
    every = list(dict.fromkeys(note for figure in figures for note in figure.notes))
    every.sort(key=lambda note: not is_flag(note))
    return {note: number for number, note in enumerate(every, 1)}


def _all_of_several(
    comparisons: Sequence[MachineComparison], columns: int, *, every: bool
) -> list[Text]:
    """Tables of a few machines each, and the notes of all, each with the machines that it is of."""
    notes = _numbered(figure for one in comparisons for figure in one.figures)
    lines: list[Text] = []
    at_once = others_at_once(columns)
    for start in range(0, len(comparisons), at_once):
        part = comparisons[start : start + at_once]
        lines += _several(part, notes, columns, every=every)
    texts = [f"{n} {text}{_whose(text, comparisons)}" for text, n in notes.items()]
    return lines + _section("Notes", texts, columns, every)


def _whose(note: str, comparisons: Sequence[MachineComparison]) -> str:
    """Beside whom a note holds, where that is not everybody and it does not say so: ` (edison)`."""
    of = [one.b for one in comparisons if any(note in figure.notes for figure in one.figures)]
    told = len(of) == len(comparisons) or (len(of) == 1 and of[0] in note)
    return "" if told else f" ({', '.join(of)})"


def _several(
    comparisons: Sequence[MachineComparison], notes: dict[str, int], columns: int, *, every: bool
) -> list[Text]:
    """One column for each machine against the first; notes by number, all those of a row."""
    found: dict[tuple[str, ...], list[ComparedResult | None]] = {}
    for position, comparison in enumerate(comparisons):
        times = Counter(_first_key(figure) for figure in comparison.figures)
        for figure in comparison.figures:
            key = _first_key(figure)
            # Several of one machine that stand beside one figure have a row each.
            own = (comparison.b, figure.b.point.key) if times[key] > 1 else ()
            found.setdefault((*key, *own), [None] * len(comparisons))[position] = figure
    others = [tail(one.b, 18) for one in comparisons]
    head = several_lines("", tail(comparisons[0].a, 10), others, columns)
    lines = [Text(""), *_texts(head, "bold")] if found else []
    for heading, rows in _grouped(found.values(), lambda cells: _heading(_first(cells))).items():
        common = set.intersection(*(_notes_of(cells) for cells in rows))
        marks = _marks(common, notes)
        lines += _wrapped(f"{heading}{marks}", columns, "", "bold")
        for cells in rows if every else rows[:MOST_ROWS]:
            first = _first(cells)
            texts = [_cell(figure) for figure in cells]
            name = _circumstances(first) + _marks(_notes_of(cells) - common, notes)
            lines += _texts(several_lines(name, figure_value(first.a), texts, columns))
        lines += _left_out(rows, every)
    if found:
        lines.append(Text("* as printed, without interval; ? not resolved", style="dim"))
    return lines


def _first_key(figure: ComparedResult) -> tuple[str, ...]:
    return figure.a.point.benchmark, figure.a.point.key, figure.a.metric


def _notes_of(cells: Iterable[ComparedResult | None]) -> set[str]:
    return {note for figure in cells if figure is not None for note in figure.notes}


def _first(cells: Iterable[ComparedResult | None]) -> ComparedResult:
    return next(figure for figure in cells if figure is not None)


def _cell(figure: ComparedResult | None) -> str:
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
    return lines + _section(
        f"Not compared, because definitions differ{of}", refused, columns, every
    )


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
    return _texts(wrapped(text, columns, indent), style)
