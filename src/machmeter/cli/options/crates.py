"""The options of `machmeter export --format ro-crate`: target, author, license."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.written.text import check_text

if TYPE_CHECKING:
    from machmeter.report.exports.ro_crate import Author

_MOST_LETTERS = 300
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]{3,290}")
_AUTHOR = re.compile(r"^\s*([^<>]{0,200}?)\s*(?:<([^<>]*)>)?\s*$")


def author_named(text: str) -> Author:
    """`A. Name <https://orcid.org/...>` as an author; the address may be left out.

    Raises UsageError for an address that is none, MachineLacksError where rocrate is lacking.
    """
    author = _author_type()
    found = _AUTHOR.match(check_text(text))
    if found is None or len(text) > _MOST_LETTERS:
        raise UsageError(
            f"--author: invalid name {text[:80]!r}", 'write "A. Name <https://orcid.org/0000-...>"'
        )
    name, address = found.group(1), found.group(2)
    if address is not None and not (name and _ADDRESS.fullmatch(address)):
        raise UsageError(
            f"--author: <{address[:80]}> is not a web address",
            'write "A. Name <https://orcid.org/0000-...>"',
        )
    return author(name, address or "")


def check_license(address: str) -> str:
    """The address as it is. Raises UsageError for what is none."""
    if address and not _ADDRESS.fullmatch(check_text(address)):
        raise UsageError(
            f"--license: {address[:80]!r} is not a web address",
            "write https://spdx.org/licenses/CC-BY-4.0, for example",
        )
    return address


def check_crate(target: Path | None) -> Path:
    """The target where a crate can be written. Raises UsageError where it cannot."""
    if target is None:
        raise UsageError(
            "an RO-Crate is a folder or archive and needs a name", "add -o FOLDER or -o FILE.zip"
        )
    if os.path.lexists(target):
        raise UsageError(f"--output {target} exists", "name another place")
    parent = target.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"--output {target}: there is no folder {parent}", "create it")
    if not os.access(parent, os.W_OK):
        raise UsageError(f"--output {target}: {parent} is not writable", "name another place")
    return target


def size_below(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _author_type() -> type[Author]:
    try:
        from machmeter.report.exports.ro_crate import Author
    except ImportError as error:
        from machmeter.build.python_tools.python_tool import install_command

        raise MachineLacksError(
            "an RO-Crate needs rocrate, which is not installed",
            f"`{install_command('rocrate')}`",
        ) from error
    return Author
