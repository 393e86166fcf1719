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
    from machmeter.api.measuring import check_readiness
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.diagnoses import print_diagnoses
    from machmeter.model.errors import ExitCode
    from machmeter.model.machine import Severity

    found = check_readiness(hwloc_xml=hwloc_xml, context=command_context())
    if as_json:
        print_json(found)
    else:
        print_diagnoses(found)
    if any(diagnosis.severity is Severity.LACKING for diagnosis in found.diagnoses):
        raise typer.Exit(ExitCode.MACHINE_LACKS)
