"""`machmeter list`: what can be measured, and what was measured."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class ListSection(StrEnum):
    """What to list."""

    BENCHMARKS = "benchmarks"
    STUDIES = "studies"
    MACHINES = "machines"


def list_known(
    section: Annotated[ListSection | None, typer.Argument(help="Only these.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List benchmarks, studies and machines.

    For each benchmark its parameters, and its metrics with unit and direction.

    Examples:

    ```text
    machmeter list                 # everything
    machmeter list benchmarks      # parameters and metrics
    machmeter list machines        # machines that were measured
    ```
    """
    from machmeter.cli.actions.listing import known_things, print_known
    from machmeter.cli.output import print_json

    known = known_things(section.value if section else "")
    if as_json:
        print_json(known)
    else:
        print_known(known)
