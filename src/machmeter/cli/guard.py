"""What the command-line parser refuses or would swallow, turned into errors of our own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperGroup

from machmeter.cli.help import completed_words, worded_help_option
from machmeter.model.choices import nearest
from machmeter.model.errors import (
    FULL,
    MachmeterError,
    UsageError,
    full_output_error,
    storage_error,
)

# What the types of Python's numbers are called by the parser's checks.
_NOT_NUMBERS = {"int_parsing": "a whole number", "float_parsing": "a number"}


class ReaderGoneError(Exception):
    """Whoever read the output stopped (`machmeter list | head`)."""


class GuardedGroup(TyperGroup):
    """A command group whose interruptions are errors of our own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As the parser does; values of what is being typed stay words."""
        if not ctx.resilient_parsing:
            rest: list[str] = super().parse_args(ctx, args)
            return rest
        words = completed_words(self, ctx, args)
        ctx._protected_args, ctx.args = words[:1], words[1:]
        return words[1:]

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
    options: Sequence[str] = getattr(getattr(error, "param", None), "opts", ())
    reason = _refused_value(error)
    if isinstance(error, typer.BadParameter) and options and reason:
        return UsageError(f"{options[-1]}: {reason}", listed)
    return UsageError(str(error.format_message()), listed)


def _refused_value(error: Any) -> str:
    """Why a value was refused, without the words of the library that checks it; else empty."""
    found = getattr(error.__cause__, "errors", None)
    if not callable(found):
        return ""
    first = cast("list[dict[str, Any]]", found())[0]
    if first["type"] in _NOT_NUMBERS:
        return f"{first['input']!r} is not {_NOT_NUMBERS[first['type']]}"
    return str(first.get("ctx", {}).get("error", "")).rstrip(".")
