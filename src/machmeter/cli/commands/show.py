"""`machmeter show`: the summary of a run or machine."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_machine, complete_run


def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN | machine MACHINE]",
            help="ID or unique prefix of a run, folder, or last; or the word machine",
            autocompletion=complete_run,
        ),
    ] = "last",
    name: Annotated[
        str, typer.Argument(metavar="", hidden=True, autocompletion=complete_machine)
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="of a machine: every result")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the summary of a run, or a machine.

    Examples:

    ```text
    machmeter show                     # the last run
    machmeter show 20261121-21         # the run with this ID prefix
    machmeter show last --json         # everything, for a program
    machmeter show machine edison      # a published machine
    machmeter show machine mine.toml   # a machine of your own
    ```
    """
    from machmeter.api.loading import load
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.model.errors import UsageError
    from machmeter.report.terminal.run import print_run
    from machmeter.store.run_folder import PAGE

    if run == "machine":
        _show_machine(name or "last", as_json=as_json, every=every)
        return
    if name:
        raise UsageError(
            f"unexpected argument {name!r} after a run", "`machmeter show machine NAME`"
        )
    loaded = load(run, context=command_context())
    if as_json:
        print_json(loaded.result)
        return
    page = loaded.folder / PAGE
    print_run(loaded.result, text_console(), loaded.folder, page if page.is_file() else None)


def _show_machine(name: str, *, as_json: bool, every: bool) -> None:
    from machmeter.api.machine_files import document_of, shown_machine
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.report.terminal.machine import print_machine

    shown = shown_machine(name, command_context())
    if as_json:
        print_json(document_of(shown))
    else:
        print_machine(shown, text_console(), every=every)
