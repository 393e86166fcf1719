"""Endings that the command-line parser would swallow, turned into errors of our own."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from machmeter.cli.help import completed_words, worded_help_option
from machmeter.model.errors import MachmeterError, storage_error

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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
            if error.errno not in _FULL:
                raise
            _discard_output()
            raise storage_error(error, Path(error.filename or "/dev/stdout")) from error
        except KeyboardInterrupt as error:
            raise MachmeterError("interrupted") from error
        return result


def _discard_output() -> None:
    """Let the interpreter's last flush of standard output go nowhere instead of failing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
