"""Files that an application reads: whether they are there, and are those of the description."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description
from machmeter.store.files import open_regular

_CHUNK = 2**20


def check_inputs(description: Description, folder: Path) -> dict[str, str]:
    """The SHA-256 checksum of each input file, by its path; folder: that of the description.

    Raises UsageError where one is missing, cannot be read, or has another checksum.
    """
    found = {}
    for one in description.inputs:
        found[one.path] = checksum = _checksum(folder / one.path)
        if one.sha256 and checksum != one.sha256.lower():
            raise UsageError(
                f"input {folder / one.path} is another file than the description of "
                f"{description.name} names: its SHA-256 is {checksum}",
                "restore the file; if the new one is meant, change sha256 in the description",
            )
    return found


def _checksum(path: Path) -> str:
    try:
        with open_regular(path) as file:
            digest = hashlib.sha256()
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
            return digest.hexdigest()
    except OSError as error:
        raise UsageError(
            f"cannot read input {path}: {error.strerror}",
            "put it there, or correct its path in the description",
        ) from error


def identity(description: Description, checksums: Mapping[str, str]) -> str:
    """12 hexadecimal digits that are equal where command and input files are; checksums: by path,
    as of `check_inputs`."""
    of_command = description.command, description.thread_arguments, description.environment
    content = msgspec.json.encode((*of_command, checksums), order="sorted")
    return hashlib.sha256(content).hexdigest()[:12]
