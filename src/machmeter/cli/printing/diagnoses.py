"""What `machmeter doctor` prints."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from machmeter.api.jobs.readiness import Readiness
from machmeter.cli.consoles import without_filling
from machmeter.model.machine import Severity
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_STYLES = {
    Severity.LACKING: "bold red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
    Severity.GOOD: "green",
}
# The worst first.
_COUNTED = {
    Severity.LACKING: ("lacking", "lacking"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.NOTE: ("note for information", "notes for information"),
    Severity.GOOD: ("good", "good"),
}


def print_diagnoses(readiness: Readiness) -> None:
    """How many of each severity, then every diagnosis with its remedy, the worst first."""
    machine, severities = readiness.machine, [one.severity for one in readiness.diagnoses]
    cores = count_text(len(machine.topology.usable_cores), "core", "cores")
    counts = (
        count_text(severities.count(one), *words)
        for one, words in _COUNTED.items()
        if one in severities
    )
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for one in readiness.diagnoses:
        found = Text.assemble((f"{one.what}: ", "bold"), plain(one.found))
        table.add_row(Text(one.severity.value, style=_STYLES[one.severity]), found)
        if one.remedy:
            table.add_row("", Text(plain(f"remedy: {one.remedy}"), style="dim"))
    with without_filling() as console:
        title = plain(f"{machine.name}: {machine.cpu_model}, {cores} to measure on")
        console.print(Text(title, style="bold"))
        console.print(Text(", ".join(counts), style="dim"))
        console.print(table)
