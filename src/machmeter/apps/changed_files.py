"""Whether launches were given the same files. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import FileState

_DIGITS = 12


def changed_files(
    command: Command | None, given: Sequence[FileState], first: Mapping[str, FileState]
) -> tuple[str, ...]:
    """Why a launch cannot be compared with others by the files that it was given, one reason a
    file; first: as earlier launches were given them, by path."""
    description = command.description if command else None
    pinned = {one.path: one.sha256.lower() for one in description.inputs} if description else {}
    folder = PurePath(command.folder) if command else PurePath()
    wanted = {str(folder / path): checksum for path, checksum in pinned.items() if checksum}
    reasons = []
    for one in given:
        then = first[one.path].sha256 if one.path in first else wanted.get(one.path, one.sha256)
        # By its name first: of a long reason the middle may be left out.
        name = PurePath(one.path).name
        if one.written:
            reasons.append(f"{name} was changed during the launch: {one.path}")
        elif one.sha256 != then:
            sums = f"{then[:_DIGITS]} before, {one.sha256[:_DIGITS]} now"
            reasons.append(f"{name} was changed: SHA-256 {sums}: {one.path}")
    return tuple(reasons)
