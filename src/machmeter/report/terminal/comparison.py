"""Machines versus the first one in a terminal of at most 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from machmeter.analysis.matching.compare_machines import measurements
from machmeter.analysis.matching.result_names import point_text
from machmeter.analysis.matching.result_order import compared_in_order
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    ComparedResult,
    MachineComparison,
    RelativeStanding,
)
from machmeter.report.terminal.comparison_layout import (
    others_at_once,
    pair_lines,
    pair_widths,
    several_lines,
    tail,
    wrapped,
)
from machmeter.report.terminal.comparison_lead import lead_lines
from machmeter.report.views.comparison import ComparedRow, compared_row
from machmeter.run.ab.machines import SIDES
from machmeter.text.comparison import (
    NO_INTERVAL_MEANS,
    MachinePair,
    bases_text,
    difference_parts,
    flip_text,
    method_text,
    verdict_text,
    with_distinct_titles,
)
from machmeter.text.numbers import NOTHING, ValueText

MAX_COLUMNS = 100
MOST_ROWS = 6
MOST_NOTES = 10
MOST_BELOW = 12
_BETTER = "ratio"
_STYLES = {
    RelativeStanding.BETTER: "bold green",
    RelativeStanding.BETTER_AS_PRINTED: "green",
    RelativeStanding.WORSE: "bold red",
    RelativeStanding.WORSE_AS_PRINTED: "red",
    RelativeStanding.INCONCLUSIVE: "dim",
}
_SHORT = {
    RelativeStanding.BETTER: "better",
    RelativeStanding.BETTER_AS_PRINTED: "better",
    RelativeStanding.WORSE: "worse",
    RelativeStanding.WORSE_AS_PRINTED: "worse",
    RelativeStanding.SAME: "same",
    RelativeStanding.SAME_AS_PRINTED: "same",
    RelativeStanding.INCONCLUSIVE: "?",
}


def print_comparison(
    machines: Sequence[MachineResults],
    comparisons: Sequence[MachineComparison],
    console: Console,
    *,
    every: bool = False,
    verdict_above: bool = False,
    nothing_common: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Print each further machine versus the first.

    every: all rows, notes and refusals, not only the largest differences of each benchmark;
    verdict_above: an A/B run's verdict stands above; nothing_common: by ID of a machine without a
    comparable result what would be.
    """
    columns = min(console.width, MAX_COLUMNS)
    machines = with_distinct_titles(machines)
    pairs = [
        MachinePair(machines[0], other, comparison)
        for other, comparison in zip(machines[1:], comparisons, strict=True)
    ]
    lines: list[Text] = []
    for pair in pairs:
        lines += [Text("")] * bool(lines)
        lines += lead_lines(pair, columns, several=len(pairs) > 1, verdict_above=verdict_above)
        texts = [text.replace("`", "") for text in nothing_common.get(pair.comparison.b, ())]
        lines += _section("What would be comparable", texts, columns)
    lines.append(Text(""))
    for pair in (one for one in pairs if one.comparison.results):
        lines += [] if verdict_above else _wrapped(verdict_text(pair), columns, "")
        method = method_text(pair.comparison)
        lines += _wrapped(method, columns, "", "dim") if method else []
    if len(comparisons) == 1:
        lines += _pair(comparisons[0], columns, every=every)
    else:
        lines += _all_of_several(comparisons, columns, every=every)
    for one in comparisons:
        lines += _below(one, columns, several=len(comparisons) > 1, every=every)
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _pair(comparison: MachineComparison, columns: int, *, every: bool) -> list[Text]:
    """A table with both values, the ratio with its interval, and notes by number."""
    own = comparison.results if every else measurements(comparison.results)
    notes = _numbered(own)
    widths = pair_widths(columns)
    names = [tail(_column_name(one), widths.value) for one in (comparison.a, comparison.b)]
    better = ValueText(_BETTER if widths.ratio > len(_BETTER) else "better")
    head, _ = pair_lines("", (names[0], names[1]), better, columns)
    lines = [Text(""), *_texts(head, "bold")] if comparison.results else []
    for heading, results in _grouped(own, _heading).items():
        common = set(results[0].notes).intersection(*(one.notes for one in results))
        marks = _marks(common, notes)
        lines += _wrapped(f"{heading}{marks}", columns, "", "bold")
        shown = map(compared_row, results if every else results[:MOST_ROWS])
        for row in compared_in_order(shown, attrgetter("result")):
            lines += _row(row, _marks(set(row.result.notes) - common, notes), columns)
        lines += _left_out(results, every)
    if any(one.as_printed for one in comparison.results):
        lines += _wrapped(NO_INTERVAL_MEANS, columns, "", "dim")
    texts = [f"{n} {text}" for text, n in notes.items()]
    return lines + _section("Notes on results", texts, columns, MOST_NOTES, every)


def _column_name(machine: str) -> str:
    """The ID; of a side of an A/B run its role alone."""
    side = machine.rpartition("@")[2]
    return side if side in SIDES else machine


def _marks(notes: set[str], numbers: dict[str, int]) -> str:
    """The numbers of some notes: ` (1,3)`."""
    found = sorted(numbers[note] for note in notes)
    return f" ({','.join(map(str, found))})" if found else ""


def _row(row: ComparedRow, marks: str, columns: int) -> list[Text]:
    """A row with its verdict, and below it the ratio on other bases."""
    ratio = difference_parts(row.result, "pt")
    before, behind = pair_lines(_label(row.result) + marks, row.values, ratio, columns)
    *lines, last = _texts(before)
    last.append(f"  {row.verdict}", style=_STYLES.get(row.standing, ""))
    last.truncate(columns, overflow="ellipsis")
    others = bases_text(row.result)
    return [
        *(*lines, last, *_texts(behind)),
        *(_wrapped(others, columns, "      ", "dim") if others else ()),
    ]


def _texts(lines: Iterable[str], style: str = "") -> list[Text]:
    return [Text(line, style=style) for line in lines]


Item = TypeVar("Item")


def _grouped(items: Iterable[Item], heading: Callable[[Item], str]) -> dict[str, list[Item]]:
    """Items under their headings, both in the order in which they come."""
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(heading(item), []).append(item)
    return found


def _heading(one: ComparedResult) -> str:
    return f"{one.a.point.benchmark}: {one.a.title}"


def _label(one: ComparedResult) -> str:
    """What a row says beside its heading; of the only one there, everything."""
    said = one.name.removeprefix(one.a.title).removeprefix(": ")
    printed = one.a.printed.text if one.a.printed else ""
    return said or point_text(one) or printed or "as printed"


def _left_out(rows: Sequence[object], every: bool) -> list[Text]:
    left = 0 if every else len(rows) - MOST_ROWS
    return [Text(f"  and {left} more, which differ less: --all", style="dim")] if left > 0 else []


def _numbered(results: Iterable[ComparedResult]) -> dict[str, int]:
    """Every note once, with its number, flags first."""
    of_each = [(one.flags, one.notes) for one in results]
    flags = [flag for found, _ in of_each for flag in found]
    every = dict.fromkeys((*flags, *(note for _, notes in of_each for note in notes)))
    return {note: number for number, note in enumerate(every, 1)}


def _all_of_several(
    comparisons: Sequence[MachineComparison], columns: int, *, every: bool
) -> list[Text]:
    """Tables of a few machines each, and the notes of all, each with the machines that it is of."""
    notes = _numbered(one for comparison in comparisons for one in comparison.results)
    lines: list[Text] = []
    at_once = others_at_once(columns)
    for start in range(0, len(comparisons), at_once):
        part = comparisons[start : start + at_once]
        lines += _several(part, notes, columns, every=every)
    texts = [f"{n} {text}{_whose(text, comparisons)}" for text, n in notes.items()]
    return lines + _section("Notes on results", texts, columns, MOST_NOTES, every)


def _whose(note: str, comparisons: Sequence[MachineComparison]) -> str:
    """Of which machines a note is, where not of all and it does not say so: ` (edison)`."""
    of = [one.b for one in comparisons if any(note in result.notes for result in one.results)]
    said = len(of) == len(comparisons) or (len(of) == 1 and of[0] in note)
    return "" if said else f" ({', '.join(of)})"


Cells = list[ComparedRow | None]


def _several(
    comparisons: Sequence[MachineComparison], notes: dict[str, int], columns: int, *, every: bool
) -> list[Text]:
    """One column for each machine versus the first; notes by number, all those of a row."""
    found: dict[tuple[str, ...], Cells] = {}
    for position, comparison in enumerate(comparisons):
        compared = [compared_row(one) for one in comparison.results]
        times = Counter(row.key for row in compared)
        for row in compared:
            # Several of one machine that are compared with one result have a row each.
            own = (comparison.b, row.result.b.point.key) if times[row.key] > 1 else ()
            cells = found.setdefault((*row.key, *own), [None] * len(comparisons))
            cells[position] = row
    others = [tail(one.b, 18) for one in comparisons]
    head = several_lines("", tail(comparisons[0].a, 10), others, columns)
    lines = [Text(""), *_texts(head, "bold")] if found else []
    grouped = _grouped(found.values(), lambda cells: _heading(_first(cells).result))
    for heading, rows in grouped.items():
        common = set.intersection(*(_notes_of(cells) for cells in rows))
        lines += _wrapped(f"{heading}{_marks(common, notes)}", columns, "", "bold")
        shown = rows if every else rows[:MOST_ROWS]
        for cells in compared_in_order(shown, lambda cells: _first(cells).result):
            first = _first(cells)
            name = _label(first.result) + _marks(_notes_of(cells) - common, notes)
            texts = [_cell(cell) for cell in cells]
            lines += _texts(several_lines(name, first.values[0], texts, columns))
        lines += _left_out(rows, every)
    if found:
        marks = f"*{NO_INTERVAL_MEANS.partition(':')[2]}; ? inconclusive"
        lines += _wrapped(marks, columns, "", "dim")
    return lines


def _notes_of(cells: Iterable[ComparedRow | None]) -> set[str]:
    return {note for row in cells if row is not None for note in row.result.notes}


def _first(cells: Iterable[ComparedRow | None]) -> ComparedRow:
    return next(row for row in cells if row is not None)


def _cell(row: ComparedRow | None) -> str:
    """`1.48x better`, `0.80x worse*`: a ratio or points without interval, and the verdict."""
    if row is None:
        return NOTHING
    difference = difference_parts(row.result, "pt").value
    verdict = "no verdict" if row.result.setting else _SHORT[row.standing]
    return f"{difference} {verdict}{'*' * row.result.as_printed}"


def _below(
    comparison: MachineComparison, columns: int, *, several: bool, every: bool
) -> list[Text]:
    """Rankings that depend on the basis, and what is not comparable."""
    of = f" ({comparison.b})" if several else ""
    flips = [flip_text(flip) for flip in comparison.flips]
    refused = [f"{one.what}: {one.reason}" for one in comparison.refusals]
    lines = _section(f"The ranking depends on the basis{of}", flips, columns, MOST_BELOW, every)
    return lines + _section(f"Not comparable, and why{of}", refused, columns, MOST_BELOW, every)


def _section(
    title: str, texts: Sequence[str], columns: int, most: int = MOST_BELOW, every: bool = False
) -> list[Text]:
    if not texts:
        return []
    shown = texts if every else texts[:most]
    lines = [Text(""), Text(title, style="bold")]
    lines += [line for text in shown for line in _wrapped(text, columns, "  ")]
    if len(texts) > len(shown):
        lines.append(Text(f"  and {len(texts) - len(shown)} more: --all", style="dim"))
    return lines


def _wrapped(text: str, columns: int, indent: str, style: str = "") -> list[Text]:
    return _texts(wrapped(text, columns, indent), style)
