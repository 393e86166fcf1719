"""What the command-line parser refuses or would swallow, turned into errors of our own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from machmeter.cli.help import worded_help_option
from machmeter.model.errors import (
    FULL,
    MachmeterError,
    UsageError,
    full_output_error,
    storage_error,
)
from machmeter.model.written.choices import nearest

# By the parser's names of their types.
_NUMBERS = {"int": "a whole number", "float": "a number"}


class ReaderGoneError(Exception):
    """Whoever read the output stopped (`machmeter list | head`)."""


class GuardedGroup(TyperGroup):
    """A command group whose interruptions are errors of our own."""

    def get_help_option(self, ctx: Any) -> Any:
        """The parser's own, worded like the other options."""
        return worded_help_option(super().get_help_option(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand. Raises MachmeterError when interrupted, else what it raises."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            _discard_output()
            raise ReaderGoneError from error
        except OSError as error:
            if error.errno not in FULL:
                raise
            _discard_output()
            if error.filename is None:
                raise full_output_error() from error
            raise storage_error(error, Path(error.filename)) from error
        except KeyboardInterrupt as error:
            raise MachmeterError("interrupted") from error
        return result


def _discard_output() -> None:
    """Let the interpreter's last flush of standard output go nowhere instead of failing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def worded(error: Any) -> UsageError:
    """An error of the parser, with the nearest option or the choices where it knows them.

    error: anything with `format_message`; the parser's own classes have no public name.
    """
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "machmeter")
    listed = f"`{command} --help` lists arguments and options"
    option = getattr(error, "option_name", "")
    if option and hasattr(error, "possibilities"):
        near = nearest(option, error.possibilities or ())
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        return UsageError(f"there is no option {option}", f"{meant}{listed}")
    param = getattr(error, "param", None)
    options: Sequence[str] = getattr(param, "opts", ())
    # One that is missing has no message, only words of the parser's.
    if isinstance(error, typer.BadParameter) and options and error.message:
        number = _NUMBERS.get(getattr(getattr(param, "type", None), "name", ""))
        if number:
            return UsageError(f"{options[-1]} takes {number}", listed)
        return UsageError(f"{options[-1]}: {error.message.rstrip('.')}", listed)
    return UsageError(str(error.format_message()), listed)
