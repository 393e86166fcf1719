"""`machmeter store`: the index over the runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

store = typer.Typer(help="Look after the index over the runs.", no_args_is_help=False)


@store.callback()
def _store() -> None:
    """Look after the index over the runs."""


@store.command()
def rebuild(
    folders: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Also take the runs in this folder, now and in future."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON what was found.")] = False,
) -> None:
    """Make the index again from the run folders.

    The index holds nothing that they do not hold. Runs are looked for among this user's runs
    and in the folders that were named with `--output` or `--from`.

    Examples:

    ```text
    machmeter store rebuild
    machmeter store rebuild --from /project/measurements
    ```
    """
    from machmeter.api.runs import rebuild_index
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json, text_console
    from machmeter.model.errors import ExitCode

    rebuilt = rebuild_index(folders or (), context=command_context())
    if as_json:
        print_json(rebuilt)
    else:
        line = f"{rebuilt.runs} runs in {rebuilt.index}"
        text_console().print(line, markup=False, soft_wrap=True)
    if rebuilt.problems:
        raise typer.Exit(ExitCode.SOMETHING_FAILED)
