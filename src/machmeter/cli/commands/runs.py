"""`machmeter runs`: every run of this user."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format


def runs(
    machine: Annotated[
        str, typer.Option(metavar="NAME", help="only runs of this machine or host name")
    ] = "",
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """List the runs, the oldest first.

    An ID is the date and time (UTC) of the start, the host, and four random digits.

    Examples:

    ```text
    machmeter runs
    machmeter runs --machine node7 --json
    ```
    """
    from machmeter.api.loading import runs as runs_of
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.run_list import RunList, print_runs

    check_format(file_format, as_json=as_json)
    found = runs_of(machine, context=command_context())
    if as_json:
        print_json(RunList(found))
    else:
        print_runs(found, file_format)
