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
    charts: Annotated[
        Path | None,
        typer.Option(help="Write every chart here too, as PNG and SVG for a paper."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON where it is.")] = False,
) -> None:
    """Write the HTML page of a run.

    One file that holds everything it shows and loads nothing.

    Examples:

    ```text
    machmeter report                       # the last run, into its folder
    machmeter report last -o report.html
    machmeter report last --charts figures # every chart as PNG and SVG
    ```
    """
    from machmeter.cli.context import cache_folder, find_run
    from machmeter.cli.finishing import PAGE, check_target, save_charts, save_page
    from machmeter.cli.output import Reported, Written, print_json, text_console
    from machmeter.report.words import plain
    from machmeter.run.indexing import result_of

    check_target(output, "--output")
    folder = find_run(run)
    path = output or folder.path / PAGE
    result = result_of(folder, cache_folder())
    save_page(result, path)
    drawn = save_charts(result, charts) if charts else ()
    if as_json:
        files = tuple(Written(str(chart.absolute()), chart.stat().st_size) for chart in drawn)
        print_json(Reported(str(path.absolute()), path.stat().st_size, files))
        return
    text_console().print(f"Page: {plain(str(path))}", markup=False, soft_wrap=True)
    if drawn:
        text_console().print(
            f"Charts: {len(drawn)} files in {charts}", markup=False, soft_wrap=True
        )
