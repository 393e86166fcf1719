"""`machmeter store`: the run index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.help import PlainCommand
from machmeter.cli.options.common import AsJson

store = typer.Typer(help="Manage the run index.", no_args_is_help=False)


@store.callback()
def _store() -> None:
    """Manage the run index."""


@store.command(cls=PlainCommand)
def rebuild(
    folders: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="DIR", help="also index the runs in DIR, now and later (repeatable)"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rebuild the run index from the run folders.

    The index holds nothing that the folders do not hold. Indexed are this user's runs, and those in
    folders given with --output or --from.

    Examples:

    ```text
    machmeter store rebuild
    machmeter store rebuild --from /project/measurements
    ```
    """
    from machmeter.api.loading import rebuild_index
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.model.errors import ExitCode

    rebuilt = rebuild_index(folders or (), context=command_context())
    if as_json:
        print_json(rebuilt)
    else:
        line = f"{rebuilt.runs} runs in {rebuilt.index}"
        text_console().print(line, markup=False, soft_wrap=True)
    if rebuilt.problems:
        raise typer.Exit(ExitCode.SOMETHING_FAILED)
