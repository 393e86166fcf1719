"""The command `machmeter`: subcommands, and errors turned into words and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from machmeter import __version__
from machmeter.cli.streams import make_streams_sound

if TYPE_CHECKING:
    from machmeter.model.errors import MachmeterError

# How shells pass the words that are typed when they ask for completions.
_COMPLETING, _TYPED = "_MACHMETER_COMPLETE", ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
_NO_COMMAND = "-"


class InterruptedHereError(KeyboardInterrupt):
    """An interrupt from the keyboard that this process handles.

    Where Python's own passes through an `exec` of text, as while dataclasses are made at imports,
    the interpreter ends by the signal in the end, handled or not: it looks for that very class.
    """


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise InterruptedHereError


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; end the process with one of `ExitCode`, never with a traceback."""
    # One that is ignored, as in the background of a script, stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    make_streams_sound()
    words = sys.argv[1:] if arguments is None else arguments
    if words == ["--version"]:
        # The parser takes longer to load than an answer may take.
        sys.stdout.write(f"machmeter {__version__}\n")
        sys.exit(0)
    sys.exit(_ended(words))


def typed_words(words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The words of the command line, or where a shell asks for completions those typed so far."""
    if _COMPLETING not in environment:
        return list(words)
    return [word for name in _TYPED for word in environment.get(name, "").split()]


def _ended(words: list[str]) -> int:
    from machmeter.cli.guard import ReaderGoneError
    from machmeter.cli.output import print_error
    from machmeter.cli.parser import named_command, parser
    from machmeter.model.errors import ExitCode

    as_json = "--json" in words
    try:
        command = parser(named_command(typed_words(words, os.environ)) or _NO_COMMAND)
        result = command(args=words, prog_name="machmeter", standalone_mode=False)
        return int(result) if isinstance(result, int) else int(ExitCode.DONE)
    except ReaderGoneError:
        return int(ExitCode.DONE)
    except (Exception, KeyboardInterrupt) as error:
        understood = _understood(error)
        print_error(understood, as_json=as_json)
        return int(understood.exit_code)


def _has_current_folder() -> bool:
    from pathlib import Path

    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _understood(error: Exception | KeyboardInterrupt) -> MachmeterError:
    """Any error as one with a remedy: ours as it is, the parser's as wrong usage, others as bugs.

    The parser's own classes have no public name; what it shows to people has.
    """
    import typer

    from machmeter.model.errors import MachineLacksError, MachmeterError

    if isinstance(error, MachmeterError):
        return error
    if callable(getattr(error, "format_message", None)):
        from machmeter.cli.guard import worded

        return worded(error)
    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return MachmeterError("interrupted")
    if isinstance(error, FileNotFoundError) and not _has_current_folder():
        return MachineLacksError(
            "the current folder is gone", "change to one that is there (`cd`), and start again"
        )
    if os.environ.get("MACHMETER_TRACEBACK"):
        raise error
    if isinstance(error, MemoryError | ImportError):
        # A library that does not fit a limit of memory cannot be loaded.
        loading = isinstance(error, ImportError)
        what = f"a library cannot be loaded: {error}" if loading else "there is not enough memory"
        again = ", or install machmeter again" if loading else ""
        return MachineLacksError(what, f"raise the limit of memory (`ulimit -v unlimited`){again}")
    where = traceback.extract_tb(error.__traceback__)[-1]
    return MachmeterError(
        f"internal error: {type(error).__name__}: {error} ({where.filename}, line {where.lineno})",
        "please report it with the command line; measured data are intact. "
        "MACHMETER_TRACEBACK=1 shows the traceback",
    )
