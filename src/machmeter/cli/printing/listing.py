"""What `machmeter list` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from machmeter.api.catalogue import MeasuredMachine
from machmeter.api.programs.known import KnownApp
from machmeter.api.programs.proxies import ListedProxy
from machmeter.api.published import ListedMachine
from machmeter.api.twins.showing import ListedTwin
from machmeter.cli.consoles import without_filling
from machmeter.model.benchmark import Benchmark, Parameter, ParameterKind, Value
from machmeter.model.plan.study import Study
from machmeter.model.units import Unit, format_bytes
from machmeter.report.benchmarks.groups.roofline.shares import share_text
from machmeter.report.documents.document import Document
from machmeter.report.views.tables import Table, TableRow
from machmeter.text.machines import without_address
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_PUBLISHED = ("id", "machine", "year", "figures", "on one node", "source")


class Listing(Struct, frozen=True):
    """What `list --json` prints; sections that were not requested are empty."""

    benchmarks: tuple[Benchmark, ...] = ()
    """What can be measured."""
    studies: tuple[Study, ...] = ()
    """Named lists of experiments."""
    apps: tuple[KnownApp, ...] = ()
    """Applications that come with machmeter."""
    machines: tuple[MeasuredMachine, ...] = ()
    """Measured here."""
    published: tuple[ListedMachine, ...] = ()
    """Printed by studies."""
    twins: tuple[ListedTwin, ...] = ()
    """Models of machines, to simulate on."""
    proxies: tuple[ListedProxy, ...] = ()
    """Of the benchmarks those that stand for applications, with what limits them here."""


def print_listing(listing: Listing) -> None:
    """Every section in full, without the blanks that fill a table."""
    with without_filling() as console:
        _print_what(console, listing)
        _print_apps(console, listing.apps)
        _print_machines(console, listing)


def print_overview(listing: Listing) -> None:
    """A line for each study and benchmark, then machines."""
    named = (("Studies", listing.studies), ("Benchmarks", listing.benchmarks))
    with without_filling() as console:
        for heading, every in named:
            more = "`machmeter list NAME`: what one measures"
            console.print(Text.assemble((heading, "bold"), (f"  {more}", "dim")))
            width = max(len(one.name) for one in every)
            for one in every:
                console.print(Text(f"  {one.name:<{width}}  {one.title}"))
            console.print()
        _print_apps(console, listing.apps)
        console.print()
        _print_machines(console, listing)


def _print_apps(console: Console, apps: Sequence[KnownApp]) -> None:
    """Each with its program, or with what installs it."""
    if not apps:
        return
    more = "`machmeter apps show NAME`: what one is; `machmeter explore NAME` measures it"
    console.print(Text.assemble(("Applications", "bold"), (f"  {more}", "dim")))
    width = max(len(one.description.name) for one in apps)
    for one in apps:
        described = one.description
        console.print(Text(plain(f"  {described.name:<{width}}  {described.title}")))
        # A command to copy is not broken.
        console.print(Text(plain(f"      {_installed(one)}")), soft_wrap=True)


def _installed(one: KnownApp) -> str:
    if one.program:
        return one.program
    return f"not installed: {' or '.join(one.description.provided.commands)}"


def _print_what(console: Console, listing: Listing) -> None:
    proxies = {one.name: one for one in listing.proxies}
    for benchmark in listing.benchmarks:
        _print_benchmark(console, benchmark, proxies.get(benchmark.name))
    for study in listing.studies:
        names = _benchmarks_of(study)
        console.print(Text.assemble("study ", (study.name, "bold"), f"  {study.title}"))
        console.print(Padding(Text(f"{study.summary}\nruns {names}"), (0, 0, 1, 2), expand=False))


def _print_machines(console: Console, listing: Listing) -> None:
    for machine in listing.machines:
        console.print(Text.assemble((plain(machine.name), "bold"), "  measured machine"))
        words = plain(
            f"{machine.cpu_model}, host {machine.host}; "
            f"{count_text(machine.runs, 'run', 'runs')}, the last: {machine.last_run}"
        )
        console.print(Padding(Text(words), (0, 0, 0, 2), expand=False))
    if listing.published:
        _print_published(console, listing.published)
    if listing.twins:
        _print_twins(console, listing.twins)


def _benchmarks_of(study: Study) -> str:
    """`network.latency (6 settings), memory.stream`: each once, with how often it is measured."""
    counts = Counter(experiment.benchmark for experiment in study.experiments)
    return ", ".join(
        f"{name} ({count} settings)" if count > 1 else name for name, count in counts.items()
    )


def _print_published(console: Console, machines: Sequence[ListedMachine]) -> None:
    """One line a machine, and how to look at one."""
    console.print(Text("Published machines (machmeter show machine ID)", style="bold"))
    table = RichTable(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("id", "machine"):
        table.add_column(name, overflow="fold")
    for name in ("year", "figures", "on one node"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("source", overflow="fold")
    for one in machines:
        source = without_address(plain(one.source))
        counts = (str(one.year), str(one.figures), str(one.comparable))
        row = (one.id, plain(one.name), *counts, source)
        table.add_row(*(Text(word) for word in row))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    text = "on one node: results that a run on one node can have, too, and compare with"
    console.print(Padding(Text(text, style="dim"), (0, 0, 0, 2), expand=False))


def _print_twins(console: Console, twins: Sequence[ListedTwin]) -> None:
    """Two lines a model: what it is, and where its parameters come from."""
    more = "(machmeter run network --on NAME, machmeter twin show NAME)"
    console.print(Text(f"Twins: models of machines {more}", style="bold"))
    width = max(len(one.name) for one in twins)
    for one in twins:
        console.print(Text(f"  {one.name:<{width}}  {plain(one.title)}"))
        words = f"{count_text(one.nodes, 'node', 'nodes')}; {one.network}; {one.parameters}"
        console.print(Padding(Text(words, style="dim"), (0, 0, 0, width + 4), expand=False))


def _print_benchmark(console: Console, benchmark: Benchmark, proxy: ListedProxy | None) -> None:
    console.print(Text.assemble((benchmark.name, "bold"), f"  {benchmark.title}"))
    console.print(Padding(Text(benchmark.summary), (0, 0, 0, 2), expand=False))
    table = RichTable(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(width=9, style="dim")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    if proxy:
        console.print(Padding(Text(_proxy_text(proxy)), (0, 0, 0, 2), expand=False))
    for parameter in benchmark.parameters:
        values = ", ".join(_value_text(parameter, value) for value in _shown_values(parameter))
        table.add_row("parameter", parameter.name, Text(f"{parameter.summary}: {values}"))
    for metric in benchmark.metrics:
        words = f"{metric.title}, {_unit_text(metric.unit)}, {metric.direction.value}"
        table.add_row("metric", metric.name, Text(words))
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _proxy_text(proxy: ListedProxy) -> str:
    """Two lines: whose work it does, and what limits it here."""
    limit = "not measured; `machmeter run proxies` does"
    if proxy.standing:
        limit = f"{share_text(proxy.standing)}, run {proxy.run}"
    return f"stands for {proxy.stands_for}\nlimit here: {limit}"


def _shown_values(parameter: Parameter) -> tuple[Value, ...]:
    return parameter.choices or parameter.values


def _value_text(parameter: Parameter, value: Value) -> str:
    if parameter.kind is ParameterKind.SIZE and isinstance(value, int):
        return format_bytes(value)
    return str(value)


def _unit_text(unit: Unit) -> str:
    return f"{unit.symbol} ({unit.name})" if unit.symbol else unit.name


def listing_document(listing: Listing) -> Document:
    """Every section as a table."""
    benchmarks = tuple(_benchmark_row(one) for one in listing.benchmarks)
    studies = tuple((one.name, one.title, _benchmarks_of(one)) for one in listing.studies)
    apps = tuple(
        (
            one.description.name,
            one.description.title,
            one.program,
            " or ".join(one.description.provided.commands),
        )
        for one in listing.apps
    )
    machines = tuple(
        (one.name, one.cpu_model, one.host, str(one.runs), one.last_run) for one in listing.machines
    )
    published = tuple(
        (
            one.id,
            one.name,
            str(one.year),
            str(one.figures),
            str(one.comparable),
            without_address(one.source),
        )
        for one in listing.published
    )
    twins = tuple(
        (one.name, one.title, f"{one.nodes:,}", one.network, one.parameters)
        for one in listing.twins
    )
    tables = (
        Table("Benchmarks", ("name", "title", "parameters", "metrics"), benchmarks),
        Table("Studies", ("name", "title", "benchmarks"), studies),
        Table("Applications", ("name", "title", "program", "install"), apps),
        Table("Measured machines", ("name", "CPU", "host", "runs", "last run"), machines, (3,)),
        Table("Published machines", _PUBLISHED, published, (2, 3, 4)),
        Table("Twins", ("name", "machine", "nodes", "network", "parameters"), twins, (2,)),
    )
    return Document("What can be measured", tuple(table for table in tables if table.rows))


def _benchmark_row(one: Benchmark) -> TableRow:
    parameters = "; ".join(
        f"{p.name} ({', '.join(_value_text(p, value) for value in _shown_values(p))})"
        for p in one.parameters
    )
    metrics = "; ".join(f"{m.title}, {_unit_text(m.unit)}" for m in one.metrics)
    return one.name, one.title, parameters, metrics
