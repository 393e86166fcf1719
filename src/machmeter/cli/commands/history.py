"""`machmeter history`: figures over all runs of a machine, and where they changed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.options.completion import complete_benchmark
from machmeter.model.errors import ExitCode

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
            help="A benchmark or group; default: all.", autocompletion=complete_benchmark
        ),
    ] = "",
    machine: Annotated[str, typer.Option(help="Only the machine of this name or host name.")] = "",
    metric: Annotated[str, typer.Option(help="Only this metric: see `machmeter list`.")] = "",
    point: Annotated[
        str, typer.Option(help="Only points that hold this text: size=8, 'progress thread'.")
    ] = "",
    since: Annotated[
        str, typer.Option(help="Only runs from this day or time on (UTC): 2026-11-20.")
    ] = "",
    threshold: Annotated[
        str, typer.Option(help="Smallest change that matters; of shares, in points.")
    ] = "3%",
    confirm: Annotated[
        int, typer.Option(help="Runs that a new level needs to be believed.", min=2, max=100)
    ] = 2,
    fail_on: Annotated[
        HistoryFailOn,
        typer.Option(help="What ends with exit code 1; suspicion: one run alone may do it."),
    ] = HistoryFailOn.REGRESSION,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write an HTML page with charts too.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every value and change as JSON.")
    ] = False,
) -> None:
    """Follow figures over the runs of a machine; exit code 1 where one became worse.

    Runs belong together when machine name and CPU model are the same; figures when benchmark,
    parameters, layout and metric are. Changes are found by Apache Otava (fetched once, from PyPI),
    from eight runs on; each is shown with its interval and with what else changed.

    Examples:

    ```text
    machmeter history                                   # every figure of every machine
    machmeter history network --machine node7           # a group, on one machine
    machmeter history network.latency --point size=8    # one figure, run by run
    machmeter history --since 2026-11-01                # a fresh start, after an accepted change
    machmeter history --fail-on suspicion --json        # for a nightly job in a hurry
    machmeter history --output history.html             # with charts
    ```
    """
    from machmeter.api.histories import history as history_of
    from machmeter.api.histories import report_history
    from machmeter.cli.context import command_context
    from machmeter.cli.options.run_options import parse_share
    from machmeter.cli.output import print_json, text_console
    from machmeter.report.terminal.history_terminal import print_history
    from machmeter.store.run_folder import check_target

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
