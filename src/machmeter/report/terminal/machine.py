"""A machine in a terminal of at most 100 columns: what it is made of, and its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.results.machine import MachineResults
from machmeter.model.results.printed import Printed
from machmeter.model.results.printed_text import origin_briefly, origin_details, printed_text
from machmeter.published.printed import PrintedNumber
from machmeter.report.views.machine import result_rows, shared_text
from machmeter.text.machines import (
    ResultGroup,
    part_name,
    result_groups,
    within_a_line,
    without_address,
)
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

MOST_ROWS = 30
_WIDEST_PART = 30


class ShownMachine(Struct, frozen=True):
    """A machine with what else its file says."""

    machine: MachineResults
    """With its results."""
    links: dict[str, str]
    """The rate of each link, with unit and direction."""
    loose: tuple[PrintedNumber, ...] = ()
    """Numbers that are not compared."""


def print_machine(shown: ShownMachine, console: Console, *, every: bool) -> None:
    """Print a machine; of each group at most 30 results unless `every` is set."""
    machine = shown.machine
    year = f", {machine.year}" if machine.year else ""
    title = Text.assemble((plain(machine.title), "bold"), f"  {machine.origin.value} machine")
    console.print(title)
    console.print(_indented(plain(f"{machine.source}{year}")))
    _print_properties(shown, console)
    for group in result_groups(machine.estimates):
        _print_group(group, console, every=every)
    _print_loose([one.printed for one in shown.loose], machine.source, console, every=every)


def _print_properties(shown: ShownMachine, console: Console) -> None:
    parts = shown.machine.parts
    properties = dict(shown.machine.properties)
    properties.setdefault("nodes", str(parts.nodes) if parts.nodes else "")
    properties.setdefault("cores", str(parts.cores) if parts.cores else "")
    rows = {name: text for name, text in (properties | shown.links).items() if text}
    if not rows:
        return
    table = _table(("part", "", False), ("value", "", False))
    table.columns[0].max_width = _WIDEST_PART
    for name, text in rows.items():
        table.add_row(Text(plain(part_name(name), 120)), Text(plain(text)))
    console.print()
    console.print(_indented(table))


def _print_group(group: ResultGroup, console: Console, *, every: bool) -> None:
    rows = list(result_rows(group))
    shown = rows if every else rows[:MOST_ROWS]
    console.print()
    title = f"{group.benchmark}: {within_a_line(group.title)}"
    console.print(Text(plain(title), style="bold"))
    if group.source:
        console.print(_indented(Text(plain(group.source), style="dim")))
    common = ", ".join(label for label in (*group.common_labels(), shared_text(group)) if label)
    if common:
        console.print(_indented(Text(plain(f"all: {common}"), style="dim")))
    measured = any(one.launches > 1 or not one.source for one in group.results[: len(shown)])
    known = "95 % interval" if measured else "origin"
    table = _table(("point", "", False), ("value", "right", True), (known, "", True))
    for row in shown:
        label = ", ".join(text for text in (row.point, row.text) if text) or group.title
        label += f" ({row.further})" if row.further else ""
        value = f"{row.value}{' !' if row.flag else ''}"
        table.add_row(Text(plain(label)), Text(value), Text(row.brief_origin))
    console.print(_indented(table))
    _print_left_out(len(rows) - len(shown), console)
    _print_notes(group.notes(), group.flags(), console)


def _print_left_out(count: int, console: Console) -> None:
    if count > 0:
        console.print(_indented(f"… and {count} more: --all shows them"))


def _print_notes(notes: Iterable[str], flags: Mapping[str, int], console: Console) -> None:
    for note in notes:
        console.print(_indented(Text(plain(f"note: {note}"), style="dim")))
    for flag, count in flags.items():
        concerned = count_text(count, "result", "results")
        console.print(_indented(Text(plain(f"! {concerned}: {flag}"), style="yellow")))


def _print_loose(figures: Sequence[Printed], source: str, console: Console, *, every: bool) -> None:
    if not figures:
        return
    shown = figures if every else figures[:MOST_ROWS]
    console.print()
    console.print(Text("Other figures, which are not compared", style="bold"))
    columns = (("figure", "", False), ("value", "right", True), ("origin", "", True))
    table = _table(*columns, ("where", "", False))
    for one in shown:
        further = origin_details(one)
        label = f"{one.text or one.id}{f' ({further})' if further else ''}"
        value = f"{printed_text(one)}{' !' if one.flag else ''}"
        # The machine's own source stands above.
        place = without_address(one.source.removeprefix(f"{source}, "))
        table.add_row(*(Text(plain(cell)) for cell in (label, value, origin_briefly(one), place)))
    console.print(_indented(table))
    _print_left_out(len(figures) - len(shown), console)
    flags = Counter(one.flag for one in shown if one.flag)
    _print_notes(_notes(shown), flags, console)


def _notes(figures: Sequence[Printed]) -> Iterator[str]:
    """Each note once, with the figures that it is of where it is not of all."""
    of: dict[str, list[Printed]] = {}
    for one in figures:
        of.setdefault(one.note, []).append(one)
    for note, those in of.items():
        if note:
            names = "; ".join(one.text or one.id for one in those)
            yield note if len(those) == len(figures) else f"{note} ({names})"


def _table(*columns: tuple[str, str, bool]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, justify, whole in columns:
        if justify == "right":
            table.add_column(name, justify="right", no_wrap=whole)
        else:
            table.add_column(name, no_wrap=whole, overflow="fold")
    return table


def _indented(what: Table | Text | str) -> Padding:
    return Padding(Text(what) if isinstance(what, str) else what, (0, 0, 0, 2), expand=False)
