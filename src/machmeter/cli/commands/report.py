"""`machmeter report`: the page of a run, of a machine, or of machines beside one another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.score_options import (
    Adjusted,
    Benchmarks,
    Capability,
    ScoreMadeOf,
    ScoreWish,
    Weight,
)

if TYPE_CHECKING:
    from machmeter.cli.actions.scoring import ScoreAsked
    from machmeter.store.run_folder import RunFolder


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
    from machmeter.cli.actions.finishing import check_target
    from machmeter.cli.actions.scoring import score_asked
    from machmeter.cli.output import Reported, Written, print_json, text_console
    from machmeter.model.errors import ExitCode
    from machmeter.text.plain import plain

    check_target(output, "--output")
    asked = score_asked(score, score_over, capability, weight, adjusted=adjusted)
    names = what or ["last"]
    if len(names) == 1:
        _refuse_alone(names[0], benchmark, asked)
        lacks_score = False
        path, drawn = _write_one(names[0], output, charts)
    else:
        path, drawn, lacks_score = _write_comparison(names, output, charts, benchmark, asked)
    if as_json:
        files = tuple(Written(str(chart.absolute()), chart.stat().st_size) for chart in drawn)
        print_json(Reported(str(path.absolute()), path.stat().st_size, files))
    else:
        told = [f"Page: {plain(str(path))}"]
        told += [f"Charts: {len(drawn)} files in {charts}"] * bool(drawn)
        text_console().print("\n".join(told), markup=False, soft_wrap=True)
    if lacks_score:
        raise typer.Exit(ExitCode.SOMETHING_FAILED)


def _refuse_alone(name: str, benchmarks: list[str] | None, score: ScoreAsked | None) -> None:
    from machmeter.model.errors import UsageError

    if benchmarks or score:
        option = "--benchmark" if benchmarks else "--score"
        raise UsageError(
            f"{option} is of machines beside one another, and {name} stands alone",
            f"name another: `machmeter report {name} OTHER`, or leave it out",
        )


def _write_one(
    name: str, output: Path | None, charts: Path | None
) -> tuple[Path, tuple[Path, ...]]:
    """The page and the charts of one machine, or of one run."""
    from machmeter.cli.actions.machine_page import has_page_of_its_own

    write = _write_machine if has_page_of_its_own(name) else _write_run
    return write(name, output, charts)


def _write_machine(
    name: str, output: Path | None, charts: Path | None
) -> tuple[Path, tuple[Path, ...]]:
    """The page and the charts of a published machine, or of one in a file."""
    from machmeter.cli.actions.finishing import check_target, write_charts
    from machmeter.cli.actions.machine_page import page_path, write_page_of_machine
    from machmeter.cli.output import warn
    from machmeter.model.errors import MachmeterError

    path = page_path(name, output)
    check_target(path, "--output")
    drawn = write_page_of_machine(name, path, charts_too=charts is not None)
    if charts and not drawn:
        warn(MachmeterError("no chart was written: no figures of the machine make a curve"))
    return path, write_charts(drawn, charts) if charts and drawn else ()


def _write_run(
    name: str, output: Path | None, charts: Path | None
) -> tuple[Path, tuple[Path, ...]]:
    """The page and the charts of one run."""
    from machmeter.cli.actions.finishing import PAGE, beside_of, save_charts, save_page
    from machmeter.cli.context import cache_folder
    from machmeter.report.records_links import records_place
    from machmeter.run.history.indexing import result_of

    folder = _run_named(name)
    path = output or folder.path / PAGE
    result = result_of(folder, cache_folder())
    save_page(result, path, records_place(folder.path, path), beside_of(result))
    return path, save_charts(result, charts) if charts else ()


def _run_named(name: str) -> RunFolder:
    """The run of that name; raises UsageError, which tells what else has a page."""
    from machmeter.cli.context import find_run
    from machmeter.model.errors import UsageError

    try:
        return find_run(name)
    except UsageError as error:
        raise UsageError(
            f"{error.message}, and no published machine or file of that name",
            f"{error.remedy}, `machmeter list machines` published machines; several runs as one, "
            "or a part of one, are set beside another machine: machmeter report A B",
        ) from error


def _write_comparison(
    names: list[str],
    output: Path | None,
    charts: Path | None,
    benchmarks: list[str] | None,
    score: ScoreAsked | None,
) -> tuple[Path, tuple[Path, ...], bool]:
    """The page of machines beside one another, its charts, and whether it lacks its score."""
    from machmeter.cli.actions.comparison_page import write_comparison_page
    from machmeter.cli.actions.finishing import check_target, write_charts
    from machmeter.cli.output import warn
    from machmeter.model.errors import MachmeterError

    path = output or Path("comparison.html")
    check_target(path, "--output")
    page = write_comparison_page(names, path, benchmarks or (), score)
    if charts and not page.charts:
        warn(MachmeterError("no chart was written: the machines have no ratio to draw"))
    drawn = write_charts(page.charts, charts) if page.charts and charts else ()
    return path, drawn, page.lacks_score
