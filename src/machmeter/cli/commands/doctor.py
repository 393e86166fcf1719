"""`machmeter doctor`: whether this machine is ready for benchmarking."""

from __future__ import annotations

import typer

from machmeter.cli.options.common import AsJson, HwlocXml


def doctor(hwloc_xml: HwlocXml = None, as_json: AsJson = False) -> None:
    """Check readiness for benchmarking and suggest fixes.

    The exit code is 3 where a prerequisite is missing.

    Examples:

    ```text
    machmeter doctor
    machmeter doctor --json
    ```
    """
    from machmeter.api.jobs.readiness import check_readiness
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
