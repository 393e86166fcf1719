"""`machmeter report`: the page of a run, or of machines beside one another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.completion import complete_run

if TYPE_CHECKING:
    from machmeter.store.run_folder import RunFolder


def report(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`. Several machines "
            "(runs, published machines, files) are set beside the first.",
            autocompletion=complete_run,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write it (default: into the run's folder; of several machines "
            "comparison.html here).",
        ),
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write every chart here too, as PNG and SVG for a paper."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON where it is.")] = False,
) -> None:
    """Write the HTML page of a run, or of machines beside one another.

    One file that holds everything it shows and loads nothing. Its figures lead to their records,
    and to the command that measures them again.

    Examples:

    ```text
    machmeter report                       # the last run, into its folder
    machmeter report last -o report.html
    machmeter report last --charts figures # every chart as PNG and SVG
    machmeter report scalemp last          # this machine beside a published one
    machmeter report 20261120 20261122 -o before-after.html
    ```
    """
    from machmeter.cli.finishing import check_target
    from machmeter.cli.output import Reported, Written, print_json, text_console
    from machmeter.report.words import plain

    check_target(output, "--output")
    names = what or ["last"]
    write = _write_run if len(names) == 1 else _write_comparison
    path, drawn = write(names, output, charts)
    if as_json:
        files = tuple(Written(str(chart.absolute()), chart.stat().st_size) for chart in drawn)
        print_json(Reported(str(path.absolute()), path.stat().st_size, files))
        return
    text_console().print(f"Page: {plain(str(path))}", markup=False, soft_wrap=True)
    if drawn:
        text_console().print(
            f"Charts: {len(drawn)} files in {charts}", markup=False, soft_wrap=True
        )


def _write_run(
    names: list[str], output: Path | None, charts: Path | None
) -> tuple[Path, tuple[Path, ...]]:
    """The page and the charts of one run."""
    from machmeter.cli.context import cache_folder
    from machmeter.cli.finishing import PAGE, beside_of, save_charts, save_page
    from machmeter.report.records_links import records_place
    from machmeter.run.indexing import result_of

    folder = _run_named(names[0])
    path = output or folder.path / PAGE
    result = result_of(folder, cache_folder())
    save_page(result, path, records_place(folder.path, path), beside_of(result))
    return path, save_charts(result, charts) if charts else ()


def _run_named(name: str) -> RunFolder:
    """The run of that name; raises UsageError, which tells how a machine becomes a page."""
    from machmeter.cli.context import find_run
    from machmeter.model.errors import UsageError

    try:
        return find_run(name)
    except UsageError as error:
        raise UsageError(
            error.message,
            f"{error.remedy}; a published machine or a file is set beside another machine: "
            f"machmeter report {name} last",
        ) from error


def _write_comparison(
    names: list[str], output: Path | None, charts: Path | None
) -> tuple[Path, tuple[Path, ...]]:
    """The page of machines beside one another, and its plot."""
    from machmeter.cli.beside import write_comparison_page
    from machmeter.cli.finishing import check_target, write_charts
    from machmeter.cli.output import warn
    from machmeter.model.errors import MachmeterError

    path = output or Path("comparison.html")
    check_target(path, "--output")
    plot = write_comparison_page(names, path)
    if charts and not plot:
        warn(MachmeterError("no chart was written: the machines have no ratio to draw"))
    return path, write_charts([plot], charts) if plot and charts else ()
