"""What `machmeter list` prints."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from machmeter.api.catalogue import MeasuredMachine
from machmeter.api.programs.known import KnownApp
from machmeter.api.programs.proxies import ListedProxy
from machmeter.api.published import ListedMachine
from machmeter.api.twins.showing import ListedTwin
from machmeter.cli.printing.documents import print_document
from machmeter.model.benchmark import Benchmark, Parameter, ParameterKind, Value
from machmeter.model.device import LibraryWithoutDevice, NamedDevice
from machmeter.model.plan.study import Study
from machmeter.model.units import Unit, format_bytes
from machmeter.published.load import names_of_today
from machmeter.report.documents.document import Document
from machmeter.report.table import Table, TableRow
from machmeter.text.hardware.devices import device_kind_text
from machmeter.text.machines import without_address
from machmeter.text.plain import plain

if TYPE_CHECKING:
    from rich.console import Console

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
    today: tuple[ListedMachine, ...] = ()
    """Of today, which `normal` stands for."""
    twins: tuple[ListedTwin, ...] = ()
    """Models of machines, to simulate on."""
    proxies: tuple[ListedProxy, ...] = ()
    """Of the benchmarks those that stand for applications, with what limits them here."""
    devices: tuple[NamedDevice, ...] = ()
    """Of this machine, where they were requested by themselves."""
    without_device: tuple[LibraryWithoutDevice, ...] = ()
    """Implementations of their interfaces that have no device, or did not answer."""


def print_listing(listing: Listing) -> None:
    """Every section in full."""
    if listing.benchmarks or listing.studies:
        _print_what(listing)
    _print_apps(listing.apps)
    _print_machines(listing)


def print_overview(listing: Listing) -> None:
    """A line for each study and benchmark, then machines."""
    more = "`machmeter list NAME`: what one measures"
    for heading, every in (("Studies", listing.studies), ("Benchmarks", listing.benchmarks)):
        rows = tuple((one.name, one.title) for one in every)
        _print_table(Table(heading, ("name", "title"), rows, note=more))
    _print_apps(listing.apps)
    _print_machines(listing)
    sys.stdout.write(
        f"And {len(names_of_today())} machines of today (`machmeter list machines`): "
        "`machmeter compare last normal`\n"
    )


def _print_table(table: Table) -> None:
    if table.rows:
        print_document(Document("", (table,)), most_columns=100)
        sys.stdout.write("\n")


def _print_apps(apps: Sequence[KnownApp]) -> None:
    """Each with its program, or with what installs it: a command to copy, which is not broken."""
    if not apps:
        return
    more = "`machmeter apps show NAME`: what one is; `machmeter explore NAME` measures it"
    print_document(Document("Applications", (), (more,)), most_columns=100)
    width = max(len(one.description.name) for one in apps)
    for one in apps:
        described = one.description
        sys.stdout.write(plain(f"  {described.name:<{width}}  {described.title}") + "\n")
        sys.stdout.write(plain(f"      {_installed(one)}") + "\n")
    sys.stdout.write("\n")


def _installed(one: KnownApp) -> str:
    if one.program:
        return one.program
    return f"not installed: {' or '.join(one.description.provided.commands)}"


def _print_machines(listing: Listing) -> None:
    for table in (*_machine_tables(listing), *_device_tables(listing)):
        _print_table(table)


def _print_what(listing: Listing) -> None:
    """Benchmarks and studies in full, without the blanks that fill a table."""
    from rich.padding import Padding
    from rich.text import Text

    from machmeter.cli.consoles import without_filling

    proxies = {one.name: one for one in listing.proxies}
    with without_filling() as console:
        for benchmark in listing.benchmarks:
            _print_benchmark(console, benchmark, proxies.get(benchmark.name))
        for study in listing.studies:
            runs = Text(f"{study.summary}\nruns {_benchmarks_of(study)}")
            console.print(Text.assemble("study ", (study.name, "bold"), f"  {study.title}"))
            console.print(Padding(runs, (0, 0, 1, 2), expand=False))


def _benchmarks_of(study: Study) -> str:
    """`network.latency (6 settings), memory.stream`: each once, with how often it is measured."""
    counts = Counter(experiment.benchmark for experiment in study.experiments)
    return ", ".join(
        f"{name} ({count} settings)" if count > 1 else name for name, count in counts.items()
    )


def _print_benchmark(console: Console, benchmark: Benchmark, proxy: ListedProxy | None) -> None:
    from rich.padding import Padding
    from rich.table import Table as RichTable
    from rich.text import Text

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
        from machmeter.report.benchmarks.groups.roofline.shares import share_text

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
    tables = (
        Table("Benchmarks", ("name", "title", "parameters", "metrics"), benchmarks),
        Table("Studies", ("name", "title", "benchmarks"), studies),
        Table("Applications", ("name", "title", "program", "install"), apps),
        *_machine_tables(listing),
        *_device_tables(listing),
    )
    return Document("What can be measured", tuple(table for table in tables if table.rows))


def _machine_tables(listing: Listing) -> tuple[Table, ...]:
    machines = tuple(
        (one.name, one.cpu_model, one.host, str(one.runs), one.last_run) for one in listing.machines
    )
    twins = tuple(
        (one.name, one.title, f"{one.nodes:,}", one.network, one.parameters)
        for one in listing.twins
    )
    on_one_node = "on one node: results that a run on one node can have, too, and compare with"
    return (
        Table(
            "Measured machines",
            ("name", "CPU", "host", "runs", "last run"),
            machines,
            (3,),
            "`machmeter show RUN`: the results of a run",
        ),
        Table(
            "Published machines",
            _PUBLISHED,
            tuple(map(_published_row, listing.published)),
            (2, 3, 4),
            f"`machmeter show machine ID`; {on_one_node}",
        ),
        Table(
            "Machines of today",
            _PUBLISHED,
            tuple(map(_published_row, listing.today)),
            (2, 3, 4),
            "`machmeter compare last normal`: where a run stands among them",
        ),
        Table(
            "Twins",
            ("name", "machine", "nodes", "network", "parameters"),
            twins,
            (2,),
            "models of machines: `machmeter run network --on NAME`, `machmeter twin show NAME`",
        ),
    )


def _device_tables(listing: Listing) -> tuple[Table, ...]:
    return (
        Table(
            "Devices",
            ("name", "device", "kind", "units", "memory", "clock", "platform", "driver"),
            tuple(map(_device_row, listing.devices)),
            (3, 4, 5),
            "`machmeter run device.stream --device NAME`",
        ),
        Table(
            "Without a device",
            ("library", "why"),
            tuple((one.file, one.reason) for one in listing.without_device),
        ),
    )


def _device_row(one: NamedDevice) -> TableRow:
    device = one.device
    notes = (
        f"same as {one.same_as}" if one.same_as else "",
        "no double precision: not measurable" if device.double_precision is False else "",
    )
    known = "; ".join(filter(None, notes))
    return (
        one.name,
        f"{device.name} ({known})" if known else device.name,
        device_kind_text(device),
        "" if device.units is None else f"{device.units:,}",
        "" if device.memory_bytes is None else format_bytes(device.memory_bytes),
        "" if device.clock_hz is None else f"{device.clock_hz / 1e9:.2f} GHz",
        device.platform or "",
        device.driver or "",
    )


def _published_row(one: ListedMachine) -> TableRow:
    counts = (str(one.year), str(one.figures), str(one.comparable))
    return one.id, one.name, *counts, without_address(one.source)


def _benchmark_row(one: Benchmark) -> TableRow:
    parameters = "; ".join(
        f"{p.name} ({', '.join(_value_text(p, value) for value in _shown_values(p))})"
        for p in one.parameters
    )
    metrics = "; ".join(f"{m.title}, {_unit_text(m.unit)}" for m in one.metrics)
    return one.name, one.title, parameters, metrics
