"""Reading the description of an application."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.apps.rules import check_description
from machmeter.model.choices import choice_remedy
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import (
    Description,
    Echo,
    Figure,
    InputFile,
    OutputCheck,
    Validity,
)
from machmeter.store.files import read_regular

LARGEST_DESCRIPTION = 64 * 2**10
_PARTS: dict[str, type[Struct]] = {
    "figures": Figure,
    "echoes": Echo,
    "validities": Validity,
    "checks": OutputCheck,
    "inputs": InputFile,
}
_UNKNOWN = re.compile(r"unknown field `(?P<key>.*?)`(?: - at `\$\.(?P<part>\w+))?", re.DOTALL)


def read_description(path: Path) -> Description:
    """The application that a file describes.

    Raises UsageError where it cannot be read, is larger than 64 KiB, or does not follow
    `docs/apps.md`.
    """
    try:
        content = read_regular(path, LARGEST_DESCRIPTION + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "check its name and rights"
        ) from error
    if len(content) > LARGEST_DESCRIPTION:
        raise UsageError(
            f"{path} is larger than {LARGEST_DESCRIPTION} bytes: it is no description",
            "name the TOML file that describes the application",
        )
    return description_in(content, str(path))


def description_in(content: bytes, where: str) -> Description:
    """The application in the content of a file that messages name as `where`.

    Raises UsageError where it does not follow `docs/apps.md`.
    """
    try:
        description = msgspec.toml.decode(content, type=Description)
        check_description(description)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.remedy) from error
    # Python turns no number of over 4,300 digits into an integer: a ValueError of its own.
    except (ValueError, RecursionError) as error:
        message = str(error).partition("; use ")[0]
        raise UsageError(
            f"{where} does not follow docs/apps.md: {message}", _remedy(message)
        ) from error
    return description


def _remedy(message: str) -> str:
    unknown = _UNKNOWN.search(message)
    if not unknown:
        return "correct the file at the place named"
    form = _PARTS.get(unknown["part"] or "", Description)
    return choice_remedy(
        unknown["key"], form.__struct_fields__, "`machmeter schema app-file` has all keys"
    )
