"""Reading the description of an application."""

from __future__ import annotations

from pathlib import Path

from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description
from machmeter.model.written.toml_text import toml_as
from machmeter.store.files import read_regular

LARGEST_DESCRIPTION = 64 * 2**10
_KEYS = "docs/apps.md describes all keys, and `machmeter schema app-file` lists them"


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
    return description_in(content, str(path))


def description_in(content: bytes, where: str) -> Description:
    """The application in the content of a file that messages name as `where`.

    Raises UsageError where it does not follow `docs/apps.md`.
    """
    # The engine of its patterns takes a while to load, and packaged ones need no check.
    from machmeter.apps.rules import check_description  # noqa: PLC0415

    try:
        description = packaged_description(content)
        check_description(description)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.remedy) from error
    return description


def packaged_description(content: bytes) -> Description:
    """The application in a file that comes with machmeter, which tests have checked.

    Raises UsageError where it is of another form.
    """
    return toml_as(content, Description, most_bytes=LARGEST_DESCRIPTION, keys=_KEYS)
