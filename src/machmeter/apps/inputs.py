"""Files that an application reads: whether they are there, and are those of the description."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from machmeter.benchmarks.explore import INPUT
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description
from machmeter.model.plan.study import Study
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


def refuse_changed_inputs(study: Study) -> None:
    """Raise UsageError where what a description names is not what it was when the run began."""
    for one in study.experiments:
        command, wanted = one.command, one.parameters.get(INPUT, ())
        if command is None or command.description is None or not wanted:
            continue
        checksums = check_inputs(command.description, Path(command.folder))
        if identity(command.description, checksums) not in wanted:
            raise UsageError(
                f"input files in {command.folder} were changed since the run began",
                "restore them, or start a new run",
            )
