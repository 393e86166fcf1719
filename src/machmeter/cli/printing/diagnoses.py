"""What `machmeter doctor` prints."""

from __future__ import annotations

from rich.padding import Padding
from rich.text import Text

from machmeter.api.measuring import Readiness
from machmeter.cli.consoles import text_console
from machmeter.model.machine import Severity
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_STYLES = {
    Severity.LACKING: "bold red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
    Severity.GOOD: "green",
}


def print_diagnoses(readiness: Readiness) -> None:
    """Every diagnosis with its remedy, the worst first."""
    console, machine = text_console(), readiness.machine
    cores = count_text(len(machine.topology.usable_cores), "core", "cores")
    console.print(
        plain(f"{machine.name}: {machine.cpu_model}, {cores} to measure on"),
        style="bold",
        markup=False,
    )
    for one in readiness.diagnoses:
        line = Text(f"{one.severity.value:<8} ", style=_STYLES[one.severity])
        line.append(f"{one.what}: ", style="bold")
        line.append(plain(one.found), style="default")
        console.print(line)
        if one.remedy:
            console.print(
                Padding(
                    Text(plain(f"remedy: {one.remedy}"), style="dim"), (0, 0, 0, 9), expand=False
                )
            )
