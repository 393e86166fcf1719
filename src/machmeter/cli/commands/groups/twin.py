"""`machmeter twin`: models of machines, shown and explained."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.help import PlainCommand
from machmeter.cli.options.common import AsJson, ChangesOfTwin
from machmeter.cli.options.completion import complete_twin

twin = typer.Typer(help="Show models of machines, explain simulated times.", no_args_is_help=False)


@twin.callback()
def _twin() -> None:
    """Show models of machines, explain simulated times."""


@twin.command(cls=PlainCommand)
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="of `machmeter list machines`, or a twin file (.toml)",
            autocompletion=complete_twin,
        ),
    ],
    changes: ChangesOfTwin = None,
    as_json: AsJson = False,
) -> None:
    """Show the model of a machine: network, node, and every parameter with its basis.

    Examples:

    ```text
    machmeter twin show hopper
    machmeter twin show my.toml
    machmeter twin show hopper --with network.hop_latency=50ns
    ```
    """
    from machmeter.api.twins.showing import twin_named
    from machmeter.cli.consoles import without_filling
    from machmeter.cli.output import print_json
    from machmeter.report.terminal.twin import print_twin
    from machmeter.report.twins.shown import shown_twin

    found = twin_named(name, changes or ())
    if as_json:
        print_json(shown_twin(found))
    else:
        with without_filling() as console:
            print_twin(found, console)
