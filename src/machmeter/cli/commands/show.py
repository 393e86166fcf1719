"""`machmeter show`: the summary of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.completion import complete_run


def show(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`.",
            autocompletion=complete_run,
        ),
    ] = "last",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole result as JSON.")
    ] = False,
) -> None:
    """Print what a run says.

    Examples:

    ```text
    machmeter show                     # the last run
    machmeter show 20261121-21         # the run whose id begins so
    machmeter show last --json         # everything, for a program
    ```
    """
    from machmeter.cli.context import cache_folder, find_run
    from machmeter.cli.finishing import PAGE
    from machmeter.cli.output import print_json, text_console
    from machmeter.report.terminal import print_summary
    from machmeter.run.indexing import result_of

    folder = find_run(run)
    result = result_of(folder, cache_folder())
    if as_json:
        print_json(result)
        return
    page = folder.path / PAGE
    print_summary(result, text_console(), folder.path, page if page.is_file() else None)
