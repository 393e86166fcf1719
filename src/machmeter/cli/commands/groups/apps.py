"""`machmeter apps`: descriptions of applications, shown, begun and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.help import PlainCommand
from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_app

apps = typer.Typer(
    help="Describe programs: show, begin and check descriptions.", no_args_is_help=False
)


@apps.callback()
def _apps() -> None:
    """Describe programs: show, begin and check descriptions."""


@apps.command(cls=PlainCommand)
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="of `machmeter list apps`, or a description (.toml)",
            autocompletion=complete_app,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show what an application is: what it computes, reports, and must get right.

    Examples:

    ```text
    machmeter apps show hpcc
    machmeter apps show lj.toml
    ```
    """
    from machmeter.api.programs.known import app
    from machmeter.cli.consoles import without_filling
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.apps import description_table

    known = app(name, context=command_context())
    if as_json:
        print_json(known)
    else:
        with without_filling() as console:
            console.print(description_table(known, name))


@apps.command(cls=PlainCommand)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="of the description")],
    words: Annotated[
        list[str],
        typer.Argument(metavar="-- PROGRAM [ARGUMENT]...", help="what is to run"),
    ],
    as_json: AsJson = False,
) -> None:
    """Begin the description NAME.toml of a program in this folder.

    Its command and the input files among its arguments are filled in; examples show what else it
    may have. `{ranks}` and `{threads}` in arguments are those of the launch.

    Examples:

    ```text
    machmeter apps new lj -- lmp -in in.lj
    machmeter apps new solver -- ./solver -t {threads} case.nml
    ```
    """
    from machmeter.api.programs.checking import new_app
    from machmeter.cli.consoles import text_console
    from machmeter.cli.output import print_json
    from machmeter.text.numbers import count_text
    from machmeter.text.plain import plain

    made = new_app(name, words)
    if as_json:
        print_json(made)
        return
    console = text_console()
    for line in (
        f"{plain(made.path)}: begun, with "
        + count_text(len(made.description.inputs), "input file", "input files"),
        "Next: add its figures of merit, then",
        f"  machmeter apps check --run {plain(Path(made.path).name)}",
    ):
        console.print(line, markup=False, soft_wrap=True)


@apps.command(cls=PlainCommand)
def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME",
            help="the description (.toml), or a name of `list apps`",
            autocompletion=complete_app,
        ),
    ],
    run: Annotated[bool, typer.Option("--run", help="launch it once and read its output")] = False,
    mpi: Annotated[
        str, typer.Option(metavar="NAME|PREFIX", help="mpich, openmpi, a prefix  [the linked one]")
    ] = "",
    size: Annotated[
        str, typer.Option(metavar="NAME", help="of its sizes  [default: the first]")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check a description, and what one launch of its program writes.

    The launch is as if nobody set anything; it is no result. Exit code 1: it could not be used.

    Examples:

    ```text
    machmeter apps check lj.toml
    machmeter apps check lj.toml --run
    machmeter apps check hpcc --run
    ```
    """
    from machmeter.api.programs.checking import check_app
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import measuring_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.apps import app_lines
    from machmeter.model.errors import ExitCode
    from machmeter.model.plan.launch import Verdict

    with measuring_context(quiet=as_json) as listening:
        checked = check_app(file, launch=run, mpi=mpi, size=size, context=listening)
    if as_json:
        print_json(checked)
    else:
        console = text_console()
        for line in app_lines(checked):
            console.print(line, markup=False, soft_wrap=True)
    if checked.launch is not None and checked.launch.verdict is not Verdict.ACCEPTED:
        raise typer.Exit(ExitCode.SOMETHING_FAILED)
