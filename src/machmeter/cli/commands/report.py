"""`machmeter report`: the page of a run, of a machine, or of machines beside one another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.score_options import (
    Adjusted,
    Benchmarks,
    Capability,
    ScoreMadeOf,
    ScoreWish,
    Weight,
    score_requested,
)


def report(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="A run (its id or how that begins, its folder, or `last`), a published "
            "machine, a machine's file, or what another tool printed. Several are set beside "
            "the first.",
            autocompletion=complete_machine,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write it (default: into the run's folder; of a machine NAME.html "
            "here, of several comparison.html).",
        ),
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write every chart here too, as PNG and SVG for a paper."),
    ] = None,
    benchmark: Benchmarks = None,
    score: ScoreWish = None,
    score_over: ScoreMadeOf = None,
    adjusted: Adjusted = False,
    capability: Capability = None,
    weight: Weight = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON where it is.")] = False,
) -> None:
    """Write the HTML page of a run, of a published machine, or of machines beside one another.

    One file that holds everything it shows and loads nothing. Its figures lead to their records,
    and to the command that measures them again. Benchmarks to keep to and scores are of machines
    beside one another; where a score cannot be made the page says why, and the exit code is 1.

    Examples:

    ```text
    machmeter report                       # the last run, into its folder
    machmeter report last -o report.html
    machmeter report last --charts figures # every chart as PNG and SVG
    machmeter report edison                # a published machine, into edison.html
    machmeter report scalemp last          # this machine beside a published one
    machmeter report 20261120 20261122 -o before-after.html
    machmeter report gordon comet --score throughput --adjusted
    ```
    """
    from machmeter.api.reports import report as write_report
    from machmeter.cli.context import command_context
    from machmeter.cli.output import Reported, Written, print_json, text_console
    from machmeter.model.errors import ExitCode
    from machmeter.text.plain import plain

    written = write_report(
        *(what or ()),
        path=output,
        charts=charts,
        benchmarks=benchmark or (),
        score=score_requested(score, score_over, capability, weight, adjusted=adjusted),
        context=command_context(),
    )
    if as_json:
        files = tuple(Written(str(one.absolute()), one.stat().st_size) for one in written.charts)
        page = written.path
        print_json(Reported(str(page.absolute()), page.stat().st_size, files))
    else:
        lines = [f"Page: {plain(str(written.path))}"]
        lines += [f"Charts: {len(written.charts)} files in {charts}"] * bool(written.charts)
        text_console().print("\n".join(lines), markup=False, soft_wrap=True)
    if written.lacks_score:
        raise typer.Exit(ExitCode.SOMETHING_FAILED)
