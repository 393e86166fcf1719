"""`machmeter history`: results over all runs of a machine, and where they changed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_benchmark
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format
from machmeter.model.errors import ExitCode
from machmeter.model.layout_fields import OptionGroup

if TYPE_CHECKING:
    from machmeter.model.results.history import History


class HistoryFailOn(StrEnum):
    """What makes the command end with exit code 1."""

    REGRESSION = "regression"
    SUSPICION = "suspicion"
    NEVER = "never"


def history(  # noqa: PLR0913, PLR0917 - the options of the command
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="[BENCHMARK|GROUP]", help="default: all", autocompletion=complete_benchmark
        ),
    ] = "",
    machine: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="only the machine of this name or host name",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = "",
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="only this metric", rich_help_panel=OptionGroup.WHAT)
    ] = "",
    point: Annotated[
        str,
        typer.Option(
            metavar="POINT",
            help="only points that contain this text: size=8",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = "",
    since: Annotated[
        str,
        typer.Option(
            metavar="DATE",
            help="only runs from then on (UTC): 2026-11-20",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = "",
    threshold: Annotated[
        str,
        typer.Option(
            metavar="PERCENT",
            help="smallest change that matters (points for shares)",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = "3%",
    confirm: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="runs that confirm a new level, from 2 to 100",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = 2,
    fail_on: Annotated[
        HistoryFailOn,
        typer.Option(
            metavar="WHAT", help="exit code 1 for regression, suspicion (one run) or never"
        ),
    ] = HistoryFailOn.REGRESSION,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="also write an HTML page with charts"),
    ] = None,
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """Track results over all runs and find changes.

    Runs are grouped by machine name and CPU model, results by benchmark, parameters, layout and
    metric. Apache Otava (fetched from PyPI once) finds changes from eight runs on; each is shown
    with its confidence interval and with changes of the environment. The exit code is 1 where a
    result became worse.

    Examples:

    ```text
    machmeter history                                  # every machine
    machmeter history network --machine node7          # a group, on one machine
    machmeter history network.latency --point size=8   # one result, run by run
    machmeter history --since 2026-11-01               # runs from a date on
    machmeter history --fail-on suspicion --json       # in a nightly job
    machmeter history --output history.html            # with charts
    ```
    """
    from machmeter.api.histories import history as history_of
    from machmeter.api.histories import report_history
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.options.run_options import parse_share
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.report.documents.history import history_document
    from machmeter.report.terminal.history import print_history
    from machmeter.store.run_folder import check_target

    check_format(file_format, as_json=as_json)
    if output:
        check_target(output)
    found = history_of(
        benchmark,
        machine=machine,
        metric=metric,
        point=point,
        since=since,
        threshold=parse_share("--threshold", threshold),
        confirm=confirm,
        context=command_context(),
    )
    if output:
        report_history(found, output)
    if as_json:
        print_json(found)
    elif file_format is not DocumentFormat.TEXT:
        print_document(history_document(found), file_format)
    else:
        print_history(found, text_console())
    raise typer.Exit(exit_code_for(found, fail_on))


def exit_code_for(history: History, fail_on: HistoryFailOn) -> ExitCode:
    """1 where what `fail_on` names was found; a regression is a suspicion, too."""
    failed = {
        HistoryFailOn.REGRESSION: history.regressions,
        HistoryFailOn.SUSPICION: history.regressions + history.suspicions,
        HistoryFailOn.NEVER: 0,
    }[fail_on]
    return ExitCode.SOMETHING_FAILED if failed else ExitCode.DONE
