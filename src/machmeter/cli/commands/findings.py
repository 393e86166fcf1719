"""`machmeter findings`: the questions of a run, answered, decisions first."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_run


def findings(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`.",
            autocompletion=complete_run,
        ),
    ] = "last",
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also what cannot be decided here, with what it lacks, and every case.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all findings as JSON, with what they rest on.")
    ] = False,
) -> None:
    """Print what a run decides, what that rests on, and what would change it.

    Decisions come first, those that matter most before the others: each with the ratio and interval
    that carries it, how sure it is (sure, likely or open: docs/findings.md has the numbers), what
    to do, what would change it, and what published machines say to the same question.

    Examples:

    ```text
    machmeter findings                  # of the last run
    machmeter findings last --all       # every case, and what cannot be decided
    machmeter findings last --json | jq '.findings[] | {question, confidence}'
    ```
    """
    from machmeter.api.runs import findings as findings_of
    from machmeter.api.runs import load
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json, text_console
    from machmeter.report.terminal.findings_terminal import print_findings

    loaded = load(run, context=command_context())
    if as_json:
        print_json(findings_of(loaded))
    else:
        print_findings(loaded.result, text_console(), every=every)
