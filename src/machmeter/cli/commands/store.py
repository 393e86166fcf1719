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
    from machmeter.cli.context import cache_folder, data_folder
    from machmeter.cli.output import Rebuilt, print_json, text_console, warn
    from machmeter.model.errors import ExitCode, MachmeterError
    from machmeter.run.history.indexing import index_of
    from machmeter.run.history.indexing import rebuild as rebuild_index
    from machmeter.store.remembered_runs import remember_folders, runs_below

    problems: list[str] = []

    def tell(error: MachmeterError) -> None:
        warn(error)
        problems.append(error.message)

    data = data_folder()
    remember_folders(data, [run for folder in folders or () for run in runs_below(folder)])
    count = rebuild_index(data, cache_folder(), tell)
    path = index_of(data).path
    if as_json:
        print_json(Rebuilt(count, str(path), tuple(problems)))
    else:
        text_console().print(f"{count} runs in {path}", markup=False, soft_wrap=True)
    if problems:
        raise typer.Exit(ExitCode.SOMETHING_FAILED)
