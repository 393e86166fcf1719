"""`machmeter show`: the summary of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_machine, complete_run


def show(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`; or `machine`.",
            autocompletion=complete_run,
        ),
    ] = "last",
    name: Annotated[
        str,
        typer.Argument(
            help="After `machine`: a published machine, a machine's file, or a run.",
            autocompletion=complete_machine,
        ),
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Of a machine: every figure.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole result as JSON.")
    ] = False,
) -> None:
    """Print what a run says, or what is known of a machine.

    Examples:

    ```text
    machmeter show                     # the last run
    machmeter show 20261121-21         # the run whose id begins so
    machmeter show last --json         # everything, for a program
    machmeter show machine edison      # a published machine: its parts and figures
    machmeter show machine mine.toml   # a machine of your own
    ```
    """
    from machmeter.api.reports import PAGE
    from machmeter.api.runs import load
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json, text_console
    from machmeter.model.errors import UsageError
    from machmeter.report.terminal.ab_terminal import print_run

    if run == "machine":
        _show_machine(name or "last", as_json=as_json, every=every)
        return
    if name:
        raise UsageError(f"{name!r} stands after a run", "`machmeter show machine NAME` shows one")
    loaded = load(run, context=command_context())
    if as_json:
        print_json(loaded.result)
        return
    page = loaded.folder / PAGE
    print_run(loaded.result, text_console(), loaded.folder, page if page.is_file() else None)


def _show_machine(name: str, *, as_json: bool, every: bool) -> None:
    from machmeter.api.machine_files import document_of, shown_machine
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json, text_console
    from machmeter.report.terminal.machine_terminal import print_machine

    shown = shown_machine(name, command_context())
    if as_json:
        print_json(document_of(shown))
    else:
        print_machine(shown, text_console(), every=every)
