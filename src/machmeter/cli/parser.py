"""The parser of the command line: one command in full, the others by name and summary.

Making the parameters of all commands takes longer than most commands run.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import typer

from machmeter import __version__
from machmeter.cli.guard import GuardedGroup
from machmeter.cli.help import PlainCommand
from machmeter.model.errors import ExitCode


class CommandEntry(NamedTuple):
    """A command, and where it is defined."""

    name: str
    """As a person types it."""
    summary: str
    """The first line of its help."""
    function: str = ""
    """In its module (empty: of its own name)."""
    is_group: bool = False
    """Whether it has commands of its own."""
    module: str = ""
    """Where it is defined (empty: in that of its own name)."""


COMMANDS = (
    CommandEntry("run", "Measure this machine."),
    CommandEntry(
        "prepare", "Fetch and compile what a run needs; measure nothing.", module="jobs.prepare"
    ),
    CommandEntry("attach", "Follow a run that is a job.", module="jobs.attach"),
    CommandEntry("explore", "Find the layout in which a program runs fastest here."),
    CommandEntry(
        "list", "List benchmarks, studies, applications, machines and devices.", "list_names"
    ),
    CommandEntry("runs", "List the runs, the oldest first."),
    CommandEntry("show", "Show the summary of a run, or a machine."),
    CommandEntry("findings", "Show what a run decides, with evidence and confidence."),
    CommandEntry("compare", "Compare machines with a baseline."),
    CommandEntry("reproduce", "Compare the printed figures of a study with models."),
    CommandEntry("report", "Write the HTML page of a run, a machine, or a comparison."),
    CommandEntry("export", "Export results, raw samples or a whole run."),
    CommandEntry("history", "Track results over all runs and find changes."),
    CommandEntry("doctor", "Check readiness for benchmarking and suggest fixes."),
    CommandEntry("scaling", "Show speedup, efficiency and scaling laws."),
    CommandEntry("schema", "Print the JSON Schema of a document."),
    CommandEntry("apps", "Describe programs: show, begin and check descriptions.", is_group=True),
    CommandEntry("machine", "Check machine files, import other tools' results.", is_group=True),
    CommandEntry("twin", "Show models of machines, explain simulated times.", is_group=True),
    CommandEntry("store", "Manage the run index.", is_group=True),
)
_NAMES = frozenset(entry.name for entry in COMMANDS)


def named_command(words: Sequence[str]) -> str:
    """The command that a command line names; empty where it names none."""
    return next((word for word in words if word in _NAMES), "")


# In place of the parser's own words.
_COMPLETION_HELP = {
    "install_completion": "complete commands in this shell from now on",
    "show_completion": "print the completion script of this shell",
}
# As it stands: the parser joins other lines.
_QUESTIONS = """How fast is this machine?     machmeter run
How do I start my program?    machmeter explore -- ./program
Is this number normal?        machmeter compare last normal"""
_FIRST = """Begin with `machmeter run`: it measures this machine in two minutes.
`machmeter doctor` checks whether it can, `machmeter show` shows the results again."""


@cache
def parser(only: str = "") -> Any:
    """The parser with the parameters of the command `only` (empty: of every command).

    A name that is none, such as `-`, gives no command parameters.
    """
    app = typer.Typer(
        name="machmeter",
        cls=GuardedGroup,
        help=f"\b\n{_QUESTIONS}",
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for entry in COMMANDS:
        _add(app, entry, whole=only in {"", entry.name})
    command = typer.main.get_command(app)
    params: list[Any] = command.params
    for param in params:
        if param.name in _COMPLETION_HELP:
            param.help = _COMPLETION_HELP[param.name]
    return command


def _add(app: typer.Typer, entry: CommandEntry, *, whole: bool) -> None:
    if not whole:
        app.command(name=entry.name, help=entry.summary, cls=PlainCommand)(_not_parsed)
        return
    room = "commands.groups" if entry.is_group else "commands"
    module = importlib.import_module(f"machmeter.cli.{room}.{entry.module or entry.name}")
    found = getattr(module, entry.function or entry.name)
    if entry.is_group:
        app.add_typer(found, name=entry.name)
    else:
        app.command(name=entry.name, cls=PlainCommand)(found)


def _not_parsed() -> None:
    """Stands for a command that the command line does not name."""


def _version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"machmeter {__version__}\n")
        raise typer.Exit


def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="print the version and exit"
    ),
) -> None:
    del version
    if context.invoked_subcommand is None:
        sys.stdout.write(f"{context.get_help()}\n\n{_FIRST}\n")
        raise typer.Exit(ExitCode.WRONG_USAGE)
