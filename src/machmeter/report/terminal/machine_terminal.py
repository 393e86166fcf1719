"""A machine in a terminal of at most 100 columns: what it is made of, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.printed import Printed
from machmeter.model.results.printed_text import known_briefly, known_further, printed_text
from machmeter.published.printed import PrintedNumber
from machmeter.text.machines import (
    ResultGroup,
    circumstances,
    figure_groups,
    known_by,
    part_name,
    within_a_line,
    without_address,
)
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.results import value_text

MOST_ROWS = 30
_WIDEST_PART = 30


class ShownMachine(Struct, frozen=True):
    """A machine with what its file says beside it.

    links: rate of each link, with unit and direction; loose: numbers that are compared with none.
    """

    machine: MachineResults
    links: dict[str, str]
    loose: tuple[PrintedNumber, ...] = ()


def print_machine(shown: ShownMachine, console: Console, *, every: bool) -> None:
    """Print a machine; of each group at most 30 figures unless `every` is asked for."""
    known = shown.machine
    year = f", {known.year}" if known.year else ""
    console.print(Text.assemble((plain(known.title), "bold"), f"  {known.origin.value} machine"))
    console.print(_indented(plain(f"{known.source}{year}")))
    _print_facts(shown, console)
    for group in figure_groups(known.estimates):
        _print_figures(group, console, every=every)
    _print_loose([one.printed for one in shown.loose], known.source, console, every=every)


def _print_facts(shown: ShownMachine, console: Console) -> None:
    parts = shown.machine.parts
    facts = dict(shown.machine.properties)
    facts.setdefault("nodes", str(parts.nodes) if parts.nodes else "")
    facts.setdefault("cores", str(parts.cores) if parts.cores else "")
    rows = {name: said for name, said in (facts | shown.links).items() if said}
    if not rows:
        return
    table = _table(("part", "", False), ("what is known of it", "", False))
    table.columns[0].max_width = _WIDEST_PART
    for name, said in rows.items():
        table.add_row(Text(plain(part_name(name), 120)), Text(plain(said)))
    console.print()
    console.print(_indented(table))


def _print_figures(group: ResultGroup, console: Console, *, every: bool) -> None:
    figures = group.figures
    shown = figures if every else figures[:MOST_ROWS]
    console.print()
    title = f"{group.benchmark}: {within_a_line(group.title)}"
    console.print(Text(plain(title), style="bold"))
    if group.source:
        console.print(_indented(Text(plain(group.source), style="dim")))
    common = group.common()
    if common:
        console.print(_indented(Text(plain(f"all: {', '.join(common)}"), style="dim")))
    measured = any(one.launches > 1 or not one.source for one in shown)
    known = "95 % interval" if measured else "known"
    table = _table(("point", "", False), ("value", "right", True), (known, "", True))
    for one in shown:
        table.add_row(Text(_point(one, common)), Text(_value(one)), Text(_known(one)))
    console.print(_indented(table))
    if len(figures) > len(shown):
        console.print(_indented(f"… and {len(figures) - len(shown)} more: --all shows them"))
    _print_told(group.told("note"), group.told("flag"), console)


def _print_told(
    notes: Iterable[str], flags: Mapping[str, Sequence[object]], console: Console
) -> None:
    for note in notes:
        console.print(_indented(Text(plain(f"note: {note}"), style="dim")))
    for flag, of in flags.items():
        mark = f"! {count_text(len(of), 'figure is', 'figures are')} flagged: "
        console.print(_indented(Text(plain(f"{mark}{flag}"), style="yellow")))


def _print_loose(figures: Sequence[Printed], source: str, console: Console, *, every: bool) -> None:
    if not figures:
        return
    shown = figures if every else figures[:MOST_ROWS]
    console.print()
    console.print(Text("Other figures, which are compared with none", style="bold"))
    columns = (("figure", "", False), ("value", "right", True), ("known", "", True))
    table = _table(*columns, ("where", "", False))
    for one in shown:
        further = known_further(one)
        said = f"{one.text or one.id}{f' ({further})' if further else ''}"
        value = f"{printed_text(one)}{' !' if one.flag else ''}"
        row = (said, value, known_briefly(one), _place(one, source))
        table.add_row(*(Text(plain(word)) for word in row))
    console.print(_indented(table))
    if len(figures) > len(shown):
        console.print(_indented(f"… and {len(figures) - len(shown)} more: --all shows them"))
    flags: dict[str, list[str]] = {}
    for one in shown:
        if one.flag:
            flags.setdefault(one.flag, []).append(one.id)
    _print_told(_notes(shown), flags, console)


def _notes(figures: Sequence[Printed]) -> Iterator[str]:
    """Each note once, with the figures that it is of where it is not of all."""
    of: dict[str, list[Printed]] = {}
    for one in figures:
        of.setdefault(one.note, []).append(one)
    for note, those in of.items():
        if note:
            names = "; ".join(one.text or one.id for one in those)
            yield note if len(those) == len(figures) else f"{note} ({names})"


def _place(one: Printed, source: str) -> str:
    """Where it is printed, without the machine's own source, which is told once."""
    return without_address(one.source.removeprefix(f"{source}, "))


def _point(one: Estimate, common: Sequence[str]) -> str:
    words = [word for word in circumstances(one) if word not in common]
    text = [one.printed.text] if one.printed and one.printed.text else []
    said = ", ".join([*words, *text]) or one.title
    further = known_further(one.printed) if one.printed and one.as_printed else ""
    return plain(f"{said} ({further})" if further else said)


def _value(one: Estimate) -> str:
    return plain(f"{value_text(one)} {'!' if one.flag else ''}".strip())


def _known(one: Estimate) -> str:
    return known_by(one)


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
