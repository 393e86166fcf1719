"""`machmeter runs`: every run of this user."""

from __future__ import annotations

from typing import Annotated

import typer


def runs(
    machine: Annotated[
        str, typer.Option(help="Only runs of the machine of this name or host name.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
) -> None:
    """List the runs, the oldest first.

    Examples:

    ```text
    machmeter runs
    machmeter runs --machine node7 --json
    ```
    """
    from machmeter.cli.actions.following import take_in_runs
    from machmeter.cli.actions.listing import RunList, print_runs
    from machmeter.cli.context import cache_folder, data_folder
    from machmeter.cli.output import print_json, warn
    from machmeter.run.history.indexing import list_runs

    take_in_runs(data_folder(), cache_folder())
    found = list_runs(data_folder(), cache_folder(), warn)
    if machine:
        found = tuple(run for run in found if machine in (run.machine, run.host))
    if as_json:
        print_json(RunList(found))
    else:
        print_runs(found)
