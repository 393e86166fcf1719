"""A machine in a terminal of at most 100 columns: what it is made of, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.estimate import Estimate
from machmeter.model.known import KnownMachine
from machmeter.report.words import (
    count_text,
    interval_text,
    parameter_phrase,
    plain,
    value_text,
)

MOST_ROWS = 30
_WORDS_OF_LAYOUT = {
    "nodes": ("{} node", "{} nodes"),
    "ranks_per_node": ("{} rank a node", "{} ranks a node"),
    "threads_per_rank": ("{} thread a rank", "{} threads a rank"),
}


class LooseFigure(Struct, frozen=True):
    """A printed number that no benchmark and no workload is named for: value with its unit."""

    id: str
    text: str
    value: str
    page: str
    flag: str = ""


class ShownMachine(Struct, frozen=True):
    """What `show machine --json` prints.

    links: rate of each link, with unit and direction; loose: numbers that are compared with none.
    """

    machine: KnownMachine
    links: dict[str, str]
    loose: tuple[LooseFigure, ...] = ()


def print_machine(shown: ShownMachine, console: Console, *, every: bool) -> None:
    """Print a machine; of each group at most 30 figures unless `every` is asked for."""
    known = shown.machine
    year = f", {known.year}" if known.year else ""
    console.print(Text.assemble((plain(known.title), "bold"), f"  {known.origin.value} machine"))
    console.print(_indented(plain(f"{known.source}{year}")))
    _print_facts(shown, console)
    for title, figures in _groups(known.estimates):
        _print_figures(title, figures, console, every=every)
    _print_loose(shown.loose, console, every=every)


def _print_facts(shown: ShownMachine, console: Console) -> None:
    parts = shown.machine.parts
    facts = dict(shown.machine.facts)
    facts.setdefault("nodes", str(parts.nodes) if parts.nodes else "")
    facts.setdefault("cores", str(parts.cores) if parts.cores else "")
    rows = {name: said for name, said in (facts | shown.links).items() if said}
    if not rows:
        return
    table = _table(("part", "", False), ("what is known of it", "", False))
    for name, said in rows.items():
        table.add_row(Text(plain(name, 40)), Text(plain(said)))
    console.print()
    console.print(_indented(table))


def _groups(estimates: Iterable[Estimate]) -> list[tuple[str, list[Estimate]]]:
    """Figures by what they are of and where they are printed."""
    found: dict[tuple[str, str, str], list[Estimate]] = {}
    for one in estimates:
        found.setdefault((one.point.benchmark, one.title, one.source), []).append(one)
    return [
        (f"{benchmark}: {_within_a_line(title)}", figures)
        for (benchmark, title, _), figures in found.items()
    ]


def _within_a_line(title: str) -> str:
    """The title with a small first letter, unless it begins with a name such as MPI_Init."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def _print_figures(
    title: str, figures: Sequence[Estimate], console: Console, *, every: bool
) -> None:
    shown = figures if every else figures[:MOST_ROWS]
    console.print()
    console.print(Text(plain(title), style="bold"))
    if figures[0].source:
        console.print(_indented(Text(plain(figures[0].source), style="dim")))
    common = set.intersection(*(set(_circumstances(one)) for one in figures))
    same = [word for word in _circumstances(figures[0]) if word in common and len(figures) > 1]
    if same:
        console.print(_indented(Text(plain(f"all: {', '.join(same)}"), style="dim")))
    table = _table(("point", "", False), ("value", "right", True), ("95 % interval", "", True))
    for one in shown:
        words = [word for word in _circumstances(one) if word not in same]
        text = one.words.get("text", "")
        table.add_row(
            Text(plain(", ".join([*words, *([text] if text else [])]) or one.title)),
            Text(_value(one)),
            Text(_interval(one)),
        )
    console.print(_indented(table))
    if len(figures) > len(shown):
        console.print(_indented(f"… and {len(figures) - len(shown)} more: --all shows them"))
    for word in ("note", "flag"):
        for said in dict.fromkeys(one.words[word] for one in figures if word in one.words):
            of = [one for one in figures if one.words.get(word) == said]
            mark = f"! {count_text(len(of), 'figure is', 'figures are')} flagged: "
            style = "yellow" if word == "flag" else "dim"
            told = f"{mark}{said}" if word == "flag" else f"note: {said}"
            console.print(_indented(Text(plain(told), style=style)))


def _print_loose(figures: Sequence[LooseFigure], console: Console, *, every: bool) -> None:
    if not figures:
        return
    shown = figures if every else figures[:MOST_ROWS]
    console.print()
    console.print(Text("Other figures, which are compared with none", style="bold"))
    table = _table(("figure", "", False), ("value", "right", True), ("printed", "", False))
    for one in shown:
        said = f"{one.text or one.id}{' [flagged: ' + one.flag + ']' if one.flag else ''}"
        table.add_row(*(Text(plain(word)) for word in (said, one.value, one.page)))
    console.print(_indented(table))
    if len(figures) > len(shown):
        console.print(_indented(f"… and {len(figures) - len(shown)} more: --all shows them"))


def _circumstances(one: Estimate) -> list[str]:
    """Parameters and stated layout of a figure, in words."""
    words = [parameter_phrase(name, value) for name, value in one.point.parameters]
    stated = one.words.get("layout_stated", "").split(", ") if one.source else _STATED
    for name in stated:
        value = getattr(one.point.layout, name, "")
        single, several = _WORDS_OF_LAYOUT.get(name, (f"{name.replace('_', ' ')} {{}}",) * 2)
        if value != "":
            words.append((single if value == 1 else several).format(value))
    return words


_STATED = tuple(_WORDS_OF_LAYOUT)


def _value(one: Estimate) -> str:
    qualifier = one.words.get("qualifier", "")
    mark = "!" if "flag" in one.words else ""
    return plain(f"{qualifier} {value_text(one)} {mark}".strip())


def _interval(one: Estimate) -> str:
    if not one.source or one.launches > 1:
        return interval_text(one)
    read_off = one.words.get("precision") == "read off a plot"
    return "read off a plot" if read_off else "as printed"


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
