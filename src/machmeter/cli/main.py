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
from machmeter.cli.commands.list import list_names
from machmeter.cli.commands.machine import machine
from machmeter.cli.commands.report import report
from machmeter.cli.commands.run import run
from machmeter.cli.commands.runs import runs
from machmeter.cli.commands.scaling import scaling
from machmeter.cli.commands.schema import schema
from machmeter.cli.commands.show import show
from machmeter.cli.commands.store import store
from machmeter.cli.guard import GuardedGroup, ReaderGoneError
from machmeter.cli.help import PlainCommand
from machmeter.cli.output import print_error
from machmeter.model.errors import ExitCode, MachmeterError, UsageError

app = typer.Typer(
    name="machmeter",
    cls=GuardedGroup,
    help="Measure how fast a machine is, why, and how to place programs on it.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"machmeter {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="print the version and exit"
    ),
) -> None:
    del version
    if context.invoked_subcommand is None:
        sys.stdout.write(f"{context.get_help()}\n")
        raise typer.Exit(ExitCode.WRONG_USAGE)


for _name, _command in (
    ("run", run),
    ("list", list_names),
    ("runs", runs),
    ("show", show),
    ("findings", findings),
    ("compare", compare),
    ("report", report),
    ("export", export),
    ("history", history),
    ("doctor", doctor),
    ("scaling", scaling),
    ("schema", schema),
):
    app.command(name=_name, cls=PlainCommand)(_command)
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
        return UsageError(str(shown()), f"`{command} --help` lists arguments and options")
    if isinstance(error, typer.Abort):
        return MachmeterError("interrupted")
    if os.environ.get("MACHMETER_TRACEBACK"):
        raise error
    where = traceback.extract_tb(error.__traceback__)[-1]
    return MachmeterError(
        f"internal error: {type(error).__name__}: {error} ({where.filename}, line {where.lineno})",
        "please report it with the command line; measured data are intact. "
        "MACHMETER_TRACEBACK=1 shows the traceback",
    )
