"""The folder in which one launch of a described program runs: its inputs, and what it wrote."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from machmeter.apps.inputs import lines_of
from machmeter.apps.placeholders import filled_for
from machmeter.model.errors import UsageError
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description
from machmeter.model.plan.launch import Launch
from machmeter.store.files import open_regular
from machmeter.store.folders import keep_smallest, remove_tree

LARGEST_READ = 4 * 2**20
"""Of a file or of the output no more than this is read, from its end, bytes."""
LARGEST_KEPT = 64 * 2**20
"""Of what a launch wrote no more than this is kept, bytes."""
MOST_KEPT = 1000
"""Nor more files than this."""


def make_launch_folder(
    path: Path, launch: Launch, command: Command, links: Mapping[str, Path]
) -> None:
    """A new folder with copies of the input files; those with placeholders have the numbers of
    `launch`. links: what takes the place of a copy, by the path of the input file.

    What a program writes into a file that it was given shall not change the next launch. Raises
    OSError where it cannot be made, UsageError where what stands there cannot be removed.
    """
    if problem := remove_tree(path):
        raise UsageError(problem, "remove it by hand")
    path.mkdir()
    for one in command.description.inputs if command.description else ():
        given, here = Path(command.folder) / one.path, path / one.path
        here.parent.mkdir(parents=True, exist_ok=True)
        if one.fill:
            here.write_text("".join(filled_for(launch, lines_of(given))), encoding="utf-8")
        elif one.path in links:
            here.symlink_to(links[one.path])
        else:
            shutil.copy(given, here)


def written_texts(folder: Path, description: Description, output: str) -> Mapping[str, str]:
    """The end of each file that the description reads, by its name, the output by the empty one; a
    file that is missing or no regular one is left out."""
    # Bytes that are no text take three as they are written in it: never fewer than there were.
    cut = len(output.encode("utf-8", errors="replace")) >= LARGEST_READ
    texts = {"": _whole_lines(output, cut=cut)}
    for name in description.files_read - {""}:
        with suppress(OSError):
            texts[name] = _end_of(folder / name)
    return texts


def _end_of(path: Path) -> str:
    with open_regular(path) as file:
        before = max(0, os.fstat(file.fileno()).st_size - LARGEST_READ)
        file.seek(before)
        text = file.read(LARGEST_READ).decode("utf-8", errors="replace")
    return _whole_lines(text, cut=before > 0)


def _whole_lines(text: str, *, cut: bool) -> str:
    """Without what is left of the first line: half a number is another one."""
    return text.partition("\n")[2] if cut else text


def leave_launch_folder(path: Path, *, keep: bool) -> str:
    """Remove what a launch wrote, or the largest files of it beyond `LARGEST_KEPT` and `MOST_KEPT`
    and a hundredth of the free space: why that was not possible, empty where it was."""
    if not keep:
        return remove_tree(path)
    free = os.statvfs(path.parent)
    most = min(LARGEST_KEPT, free.f_bavail * free.f_frsize // 100)
    return keep_smallest(path, most, MOST_KEPT)
