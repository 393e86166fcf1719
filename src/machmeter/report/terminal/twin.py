"""A model of a machine in a terminal of at most 100 columns."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.model.twin import Twin, TwinBasis
from machmeter.model.units import format_bytes
from machmeter.report.twins.explained import ExplainedTime
from machmeter.report.twins.shown import ShownParameter, shown_parameters
from machmeter.text.numbers import half_width_text
from machmeter.text.plain import plain
from machmeter.text.twins.parts import adding_up, shares_adding_up
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


def print_explained(explained: ExplainedTime, console: Console) -> None:
    """Print a simulated time and its parts, which add up to it."""
    for line in explained_lines(explained):
        console.print(line)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("part", no_wrap=True)
    for name in ("time", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    times = adding_up([one.seconds for one in explained.parts], explained.seconds)
    shares = shares_adding_up([one.share for one in explained.parts])
    for one, time, share in zip(explained.parts, times[:-1], shares, strict=True):
        what = Text(one.text)
        if one.parameters:
            what.append(f"\n{', '.join(one.parameters)}", style="dim")
        table.add_row(Text(one.name), time, share, what)
    table.add_row(Text("total", style="bold"), Text(times[-1], style="bold"), "100.0 %", "")
    console.print(Padding(table, _INDENT, expand=False))


def explained_lines(explained: ExplainedTime) -> tuple[Text, ...]:
    """What was simulated, its time, protocol and error band."""
    total = adding_up((), explained.seconds)[-1]
    size = format_bytes(explained.size)
    head = f"{explained.pattern}, {size}, {explained.pair} two nodes of {explained.twin}"
    of = "half a round trip" if explained.pattern == "ping-pong" else "one exchange"
    band = "unknown" if explained.band is None else f"±{half_width_text(explained.band)}"
    return (
        Text.assemble((plain(head), "bold"), f" ({explained.distance}): ", (total, "bold")),
        Text(f"  {of}, simulated; error band {band}; protocol: {explained.protocol}"),
        *(Text(f"  changed: {plain(change)}", style="yellow") for change in explained.changes),
        Text(),
    )
