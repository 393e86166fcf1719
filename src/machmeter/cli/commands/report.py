"""`machmeter report`: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.completion import complete_run


def report(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`.",
            autocompletion=complete_run,
        ),
    ] = "last",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write it (default: into the run's folder)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON where it is.")] = False,
) -> None:
    """Write the HTML page of a run.

    One file that holds everything it shows and loads nothing.

    Examples:

    ```text
    machmeter report                       # the last run, into its folder
    machmeter report last -o report.html
    ```
    """
    from machmeter.cli.context import cache_folder, find_run
    from machmeter.cli.finishing import PAGE, check_target, save_page
    from machmeter.cli.output import Written, print_json, text_console
    from machmeter.run.indexing import result_of

    check_target(output, "--output")
    folder = find_run(run)
    path = output or folder.path / PAGE
    save_page(result_of(folder, cache_folder()), path)
    if as_json:
        print_json(Written(str(path.absolute()), path.stat().st_size))
    else:
        text_console().print(f"Page: {path}", markup=False, soft_wrap=True)
