"""A model of a machine in a terminal of at most 100 columns."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.twin import Twin, TwinBasis
from machmeter.report.twins.shown import ShownParameter, shown_parameters
from machmeter.text.plain import plain
from machmeter.text.twins.structure import links_of, twin_facts

_INDENT = (0, 0, 0, 2)


def print_twin(twin: Twin, console: Console) -> None:
    """Print what the model consists of, and every parameter with its basis."""
    console.print(Text.assemble((plain(twin.name), "bold"), f"  {plain(twin.title)}"))
    facts = _table()
    for name, text in twin_facts(twin):
        facts.add_row(Text(name, style="dim"), Text(plain(text)))
    console.print(Padding(facts, _INDENT, expand=False))
    console.print(Text("\nLinks, payload one way", style="bold"))
    links = _table()
    for link in links_of(twin):
        links.add_row(Text(link.rate), Text(link.name))
    console.print(Padding(links, _INDENT, expand=False))
    console.print(Text("\nParameters", style="bold"))
    for one in shown_parameters(twin):
        _print_parameter(one, console)


def _table() -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _print_parameter(one: ShownParameter, console: Console) -> None:
    """Two lines: name, value and meaning; where the value comes from."""
    name = Text.assemble((one.name, "bold"), f" = {one.text}", (f"  {one.meaning}", "dim"))
    console.print(Padding(name, _INDENT, expand=False))
    style = "yellow" if one.basis is TwinBasis.ASSUMED else "dim"
    word = "changed" if one.changed else one.basis.value
    basis = Text.assemble((word, style), f": {plain(one.reason)}")
    console.print(Padding(basis, (0, 0, 0, 4), expand=False))
