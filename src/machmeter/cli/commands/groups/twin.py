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


@twin.command(cls=PlainCommand)
def explain(
    question: Annotated[
        str,
        typer.Argument(
            metavar="QUESTION",
            help="PATTERN SIZE, PAIR: ping-pong or ping-ping; 8 B, 1 MiB; nearest or farthest",
        ),
    ],
    on: Annotated[
        str,
        typer.Option(
            "--on",
            metavar="TWIN|FILE",
            help="the model",
            autocompletion=complete_twin,
            show_default=False,
        ),
    ],
    changes: ChangesOfTwin = None,
    as_json: AsJson = False,
) -> None:
    """Explain a simulated time: its parts, which add up, and their parameters.

    Examples:

    ```text
    machmeter twin explain "ping-pong 8 B, farthest" --on hopper
    machmeter twin explain "ping-ping 1 MiB" --on my.toml
    ```
    """
    from machmeter.api.twins.explaining import explained, question_of
    from machmeter.api.twins.showing import twin_named
    from machmeter.cli.consoles import without_filling
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.report.terminal.twin import print_explained

    wanted = question_of(question)
    found = explained(twin_named(on, changes or ()), wanted, command_context())
    if as_json:
        print_json(found)
    else:
        with without_filling() as console:
            print_explained(found, console)
