"""Errors of the command-line parser in this project's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import typer

from machmeter.model.choices import nearest
from machmeter.model.errors import UsageError

# What the types of Python's numbers are called by the parser's checks.
_NOT_NUMBERS = {"int_parsing": "a whole number", "float_parsing": "a number"}


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
