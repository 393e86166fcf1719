"""`machmeter reproduce`: the printed figures of a study beside those of twins."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson, WithChange
from machmeter.cli.options.completion import complete_reproducible


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[STUDY|MACHINE]",
            help="louhi, edison-network, comet-network, or one of their machines (default: all)",
            autocompletion=complete_reproducible,
            show_default=False,
        ),
    ] = "",
    changes: WithChange = None,
    as_json: AsJson = False,
) -> None:
    """Compare the printed figures of a study with models.

    Every figure that a study prints of its machines: predicted by the model, fitted, restated,
    a parameter, or not predictable, with what is missing. A deviation is model / printed - 1;
    beside it is what a trivial rule predicts (docs/reproduce.md). The largest deviations come
    first. Nothing is measured here.

    Examples:

    ```text
    machmeter reproduce                  # all machines
    machmeter reproduce edison-network   # Edison and Hopper
    machmeter reproduce hopper           # one machine
    machmeter reproduce edison --with network.hop_latency=2x   # changed
    machmeter reproduce comet-network --json | jq '.machines[].twin_within'
    ```
    """
    from machmeter.api.twins.reproducing import reproduce as reproduced
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.report.terminal.reproduction import print_reproduction

    found = reproduced(name, changes or (), command_context())
    if as_json:
        print_json(found)
    else:
        print_reproduction(found, text_console())
