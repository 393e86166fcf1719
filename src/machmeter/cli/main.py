"""The command `machmeter`: subcommands, and errors turned into words and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import cache

import typer

from machmeter import __version__
from machmeter.cli.commands.compare import compare
from machmeter.cli.commands.doctor import doctor
from machmeter.cli.commands.export import export
from machmeter.cli.commands.findings import findings
from machmeter.cli.commands.history import history
from machmeter.cli.commands.list import list_known
from machmeter.cli.commands.machine import machine
from machmeter.cli.commands.report import report
from machmeter.cli.commands.run import run
from machmeter.cli.commands.runs import runs
from machmeter.cli.commands.scaling import scaling
from machmeter.cli.commands.schema import schema
from machmeter.cli.commands.show import show
from machmeter.cli.commands.store import store
from machmeter.cli.guard import GuardedGroup, ReaderGoneError
from machmeter.cli.output import print_error
from machmeter.model.errors import ExitCode, MachmeterError, UsageError

app = typer.Typer(
    name="machmeter",
    cls=GuardedGroup,
    help="How fast is this machine, why, and how should a program be placed on it: measured, with "
    "stated uncertainty.",
    invoke_without_command=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"machmeter {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    del version
    if context.invoked_subcommand is None:
        context.get_help()
        raise typer.Exit(ExitCode.WRONG_USAGE)


app.command()(run)
app.command(name="list")(list_known)
app.command()(runs)
app.command()(show)
app.command()(findings)
app.command()(compare)
app.command()(report)
app.command()(export)
app.command()(history)
app.command()(doctor)
app.command()(scaling)
app.command()(schema)
app.add_typer(machine, name="machine")
app.add_typer(store, name="store")


@cache
def command() -> Callable[..., object]:
    """The parser of all commands, made once: that takes longer than many of them."""
    return typer.main.get_command(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; end the process with one of `ExitCode`, never with a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(_ended(words))


def _ended(words: list[str]) -> int:
    as_json = "--json" in words
    try:
        result = command()(args=words, prog_name="machmeter", standalone_mode=False)
        return int(result) if isinstance(result, int) else int(ExitCode.DONE)
    except ReaderGoneError:
        return int(ExitCode.DONE)
    except Exception as error:
        understood = _understood(error)
        print_error(understood, as_json=as_json)
        return int(understood.exit_code)


def _understood(error: Exception) -> MachmeterError:
    """Any error as one with a remedy: ours as it is, the parser's as wrong usage, others as bugs.

    The parser's own classes have no public name; what it shows to people has.
    """
    if isinstance(error, MachmeterError):
        return error
    shown = getattr(error, "format_message", None)
    if callable(shown):
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", "machmeter")
        return UsageError(str(shown()), f"`{command} --help` shows what it takes")
    if isinstance(error, typer.Abort):
        return MachmeterError("interrupted")
    if os.environ.get("MACHMETER_TRACEBACK"):
        raise error
    where = traceback.extract_tb(error.__traceback__)[-1]
    return MachmeterError(
        f"a mistake in machmeter itself: {type(error).__name__}: {error} "
        f"({where.filename}, line {where.lineno})",
        "please report it with the command line; what was measured is intact. "
        "MACHMETER_TRACEBACK=1 shows where it came from",
    )
