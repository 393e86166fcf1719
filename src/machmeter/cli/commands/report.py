"""`machmeter report`: the page of a run, of a machine, or of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.score_options import (
    Adjusted,
    Benchmarks,
    Capability,
    Fitting,
    ScoreOption,
    ScoreOverOption,
    Weight,
    score_requested,
)


def report(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    machines: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MACHINE]...",
            help="a run (ID or unique prefix, folder, last), a published machine, or a file; "
            "several are compared with the first; default: last",
            autocompletion=complete_machine,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="write here  [default: the run's folder, NAME.html, comparison.html]",
        ),
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="also write every chart as PNG and SVG"),
    ] = None,
    brief: Annotated[
        bool,
        typer.Option("--brief", help="only the executive summary of a run: one printed page"),
    ] = False,
    benchmark: Benchmarks = None,
    score: ScoreOption = None,
    score_over: ScoreOverOption = None,
    adjusted: Adjusted = False,
    fitting: Fitting = False,
    capability: Capability = None,
    weight: Weight = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="print paths and sizes of the files as JSON")
    ] = False,
) -> None:
    """Write the HTML page of a run, a machine, or a comparison.

    One file that loads nothing. Results link to their records, and each section has the command
    that reproduces a row. --benchmark and --score need two machines or more; a score that cannot be
    made is explained on the page, and the exit code is 1.

    Examples:

    ```text
    machmeter report                         # the last run, into its folder
    machmeter report last -o report.html
    machmeter report last --brief -o summary.html
    machmeter report last --charts figures   # every chart as PNG and SVG
    machmeter report edison                  # a published machine
    machmeter report scalemp last            # compared with a published machine
    machmeter report 20261120 20261122 -o before-after.html
    machmeter report gordon comet --score throughput --adjusted
    ```
    """
    from machmeter.api.reports import report as write_report
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import Reported, Written, print_json
    from machmeter.model.errors import ExitCode
    from machmeter.text.plain import plain

    written = write_report(
        *(machines or ()),
        path=output,
        charts=charts,
        brief=brief,
        benchmarks=benchmark or (),
        score=score_requested(
            score, score_over, capability, weight, adjusted=adjusted, fitting=fitting
        ),
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
