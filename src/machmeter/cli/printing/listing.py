"""What `machmeter list` and `machmeter runs` print."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from msgspec import Struct
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.api.catalogue import MeasuredMachine
from machmeter.api.machine_files import ListedMachine
from machmeter.cli.consoles import text_console
from machmeter.model.benchmark import Benchmark, Parameter, ParameterKind, Value
from machmeter.model.plan.study import Study
from machmeter.model.units import Unit, format_bytes
from machmeter.store.index_rows import RunSummary
from machmeter.studies.select import requested_text
from machmeter.text.machines import without_address
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain


class Listing(Struct, frozen=True):
    """What `list --json` prints; sections that were not requested are empty."""

    benchmarks: tuple[Benchmark, ...] = ()
    """What can be measured."""
    studies: tuple[Study, ...] = ()
    """Named lists of experiments."""
    machines: tuple[MeasuredMachine, ...] = ()
    """Measured here."""
    published: tuple[ListedMachine, ...] = ()
    """Printed by studies."""


class RunList(Struct, frozen=True):
    """What `runs --json` prints."""

    runs: tuple[RunSummary, ...]
    """The oldest first."""


def print_listing(listing: Listing) -> None:
    """Every section."""
    console = text_console()
    for benchmark in listing.benchmarks:
        _print_benchmark(console, benchmark)
    for study in listing.studies:
        names = ", ".join(experiment.benchmark for experiment in study.experiments)
        console.print(Text.assemble("study ", (study.name, "bold"), f"  {study.title}"))
        console.print(Padding(Text(f"{study.summary}\nruns {names}\n"), (0, 0, 0, 2), expand=False))
    for machine in listing.machines:
        console.print(Text.assemble((plain(machine.name), "bold"), "  measured machine"))
        words = plain(
            f"{machine.cpu_model}, host {machine.host}; "
            f"{count_text(machine.runs, 'run', 'runs')}, the last: {machine.last_run}"
        )
        console.print(Padding(Text(words), (0, 0, 0, 2), expand=False))
    if listing.published:
        _print_published(console, listing.published)


def _print_published(console: Console, machines: Sequence[ListedMachine]) -> None:
    """One line a machine, and how to look at one."""
    console.print(Text("Published machines (machmeter show machine ID)", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("id", "machine"):
        table.add_column(name, overflow="fold")
    for name in ("year", "figures"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("source", overflow="fold")
    for one in machines:
        source = without_address(plain(one.source))
        row = (one.id, plain(one.name), str(one.year), str(one.figures), source)
        table.add_row(*(Text(word) for word in row))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))


def _print_benchmark(console: Console, benchmark: Benchmark) -> None:
    console.print(Text.assemble((benchmark.name, "bold"), f"  {benchmark.title}"))
    console.print(Padding(Text(benchmark.summary), (0, 0, 0, 2), expand=False))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(width=9, style="dim")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for parameter in benchmark.parameters:
        values = ", ".join(_value_text(parameter, value) for value in _shown_values(parameter))
        table.add_row("parameter", parameter.name, Text(f"{parameter.summary}: {values}"))
    for metric in benchmark.metrics:
        words = f"{metric.title}, {_unit_text(metric.unit)}, {metric.direction.value}"
        table.add_row("metric", metric.name, Text(words))
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _shown_values(parameter: Parameter) -> tuple[Value, ...]:
    return parameter.choices or parameter.values


def _value_text(parameter: Parameter, value: Value) -> str:
    if parameter.kind is ParameterKind.SIZE and isinstance(value, int):
        return format_bytes(value)
    return str(value)


def _unit_text(unit: Unit) -> str:
    return f"{unit.symbol} ({unit.name})" if unit.symbol else unit.name


def print_runs(runs: Sequence[RunSummary]) -> None:
    """One line a run."""
    console = text_console()
    if not runs:
        console.print("no runs yet; start with `machmeter run`", markup=False)
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("run", no_wrap=True, overflow="fold")
    table.add_column("machine", overflow="fold")
    table.add_column("request", overflow="fold")
    table.add_column("state", no_wrap=True)
    table.add_column("launches", justify="right")
    table.add_column("rejected", justify="right")
    table.add_column("at target precision", justify="right")
    for run in runs:
        reached = f"{run.reached} of {run.estimates}" if run.estimates else "–"
        table.add_row(
            *(
                Text(plain(word))
                for word in (run.id, run.machine, _request_text(run), run.state.value)
            ),
            *(Text(word) for word in (str(run.accepted), str(run.rejected), reached)),
        )
    console.print(table)


def _request_text(run: RunSummary) -> str:
    """What was requested, with which flags, and whether it is an A/B run."""
    flags = f" --flags={shlex.quote(run.flags)}" if run.flags else ""
    return f"{requested_text(run.request.split())}{flags}" + ", A/B" * bool(run.against)
