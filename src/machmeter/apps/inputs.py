"""Files that an application reads: whether they are there, and are those of the description."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from machmeter.apps.placeholders import filled
from machmeter.benchmarks.explore import INPUT
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description, InputFile
from machmeter.model.plan.study import Study
from machmeter.store.files import open_regular, read_regular

_CHUNK = 2**20
LARGEST_FILLED = 2**20
"""An input file with placeholders is no larger, bytes."""


def given_inputs(description: Description) -> tuple[InputFile, ...]:
    """The input files that no preparation makes."""
    return tuple(one for one in description.inputs if not one.made)


def check_inputs(description: Description, folder: Path) -> dict[str, str]:
    """The SHA-256 checksum of each input file, by its path; folder: where they are.

    Raises UsageError where one is missing, cannot be read, has another checksum, or is to be filled
    and cannot be.
    """
    found = {}
    for one in description.inputs:
        found[one.path] = _checked(description, folder / one.path, one.sha256)
        if one.fill:
            _check_filled(folder / one.path, description.values)
    return found


def check_scripts(description: Description, folder: Path) -> dict[str, str]:
    """The SHA-256 checksum of each script that prepares input, by its path; folder: that of the
    description. Raises UsageError as `check_inputs` does."""
    return {
        name: _checked(description, folder / name, sha256)
        for name, sha256 in description.scripts.items()
    }


def _checked(description: Description, path: Path, sha256: str) -> str:
    checksum = checksum_of(path)
    if sha256 and checksum != sha256.lower():
        raise UsageError(
            f"input {path} is another file than the description of {description.name} names: its "
            f"SHA-256 is {checksum}",
            "restore the file; if the new one is meant, change sha256 in the description",
        )
    return checksum


def lines_of(path: Path) -> list[str]:
    """The lines of an input file with placeholders, with their ends.

    Raises OSError where it cannot be read, UsageError where it is no UTF-8 or too large.
    """
    content = read_regular(path, LARGEST_FILLED + 1)
    try:
        if len(content) > LARGEST_FILLED:
            raise ValueError(f"it is larger than {LARGEST_FILLED} bytes")
        return content.decode().splitlines(keepends=True)
    except ValueError as error:
        raise UsageError(
            f"input {path} cannot have placeholders: {error}",
            "leave `fill` out, or write it as text in UTF-8",
        ) from error


def _check_filled(path: Path, own: Mapping[str, str]) -> None:
    lines = lines_of(path)
    try:
        filled(lines, 1, 1, "1", own)
    except UsageError as error:
        raise UsageError(f"input {path}: {error.message}", error.remedy) from error


def checksum_of(path: Path) -> str:
    """SHA-256 of an input file. Raises UsageError where it cannot be read."""
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


def identity(description: Description, checksums: Mapping[str, str], program: str = "") -> str:
    """12 hexadecimal digits that are equal where command, size and input files are.

    What a tool makes may differ in each of its versions: such a file is the same where its
    preparations are. checksums: by path, as of `check_inputs`; program: path of the program, which
    counts by its name where it is one of several variants.
    """
    of_command = description.command, description.thread_arguments, description.environment
    any_content = {one.path for one in description.inputs if one.made and not one.sha256}
    checksums = {path: one for path, one in checksums.items() if path not in any_content}
    filled_files = sorted(one.path for one in description.inputs if one.fill)
    of_files = (checksums, filled_files) if filled_files else (checksums,)
    variant = Path(program).name if description.variants else ""
    further = [
        one
        for one in (
            description.preparations,
            description.rank_arguments,
            variant,
            description.values,
            description.grows,
        )
        if one
    ]
    content = msgspec.json.encode((*of_command, *of_files, *further), order="sorted")
    return hashlib.sha256(content).hexdigest()[:12]


def refuse_changed_inputs(study: Study) -> None:
    """Raise UsageError where what a description names is not what it was when the run began."""
    for one in study.experiments:
        command, wanted = one.command, one.parameters.get(INPUT, ())
        if command is None or command.description is None or not wanted:
            continue
        try:
            checksums = check_inputs(command.description, Path(command.folder))
        except UsageError as error:
            raise UsageError(error.message, f"{error.remedy}; or start a new run") from error
        if identity(command.description, checksums, command.words[0]) not in wanted:
            raise UsageError(
                f"input files in {command.folder} were changed since the run began",
                "restore them, or start a new run",
            )
