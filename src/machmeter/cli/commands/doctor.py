"""`machmeter doctor`: what this machine has and lacks for measuring."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def doctor(
    hwloc_xml: Annotated[
        Path | None, typer.Option(help="Take the topology from this hwloc XML file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the diagnoses as JSON.")] = False,
) -> None:
    """Say what this machine has and lacks for measuring, each lack with its remedy.

    Ends with exit code 3 where something lacks without which nothing can be measured.

    Examples:

    ```text
    machmeter doctor
    machmeter doctor --json
    ```
    """
    from machmeter.cli.actions.diagnosing import Diagnoses, print_diagnoses
    from machmeter.cli.context import cache_folder
    from machmeter.cli.output import print_json
    from machmeter.machine.detect import detect_machine
    from machmeter.machine.diagnosis.doctor import diagnose
    from machmeter.machine.diagnosis.probe import probe
    from machmeter.model.errors import ExitCode
    from machmeter.model.machine import Severity

    machine = detect_machine(hwloc_xml=hwloc_xml)
    found = diagnose(machine, probe(cache_folder()))
    if as_json:
        print_json(Diagnoses(machine, found))
    else:
        print_diagnoses(machine, found)
    if any(diagnosis.severity is Severity.LACKING for diagnosis in found):
        raise typer.Exit(ExitCode.MACHINE_LACKS)
