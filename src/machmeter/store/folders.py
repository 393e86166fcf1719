"""Folders that programs of others wrote into, cleared without trust: links are not followed."""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_OWN_RIGHTS = stat.S_IRWXU


def remove_tree(path: Path) -> str:
    """Remove a folder, a file or a link, not what the link points to: why it is still there, empty
    where it is gone.

    Folders that their owner may not write to or enter are opened first.
    """
    try:
        if not _is_folder(path):
            path.unlink(missing_ok=True)
            return ""
        folders, problems = [], []
        for folder, files in _opened(path):
            folders.append(folder)
            for one in files:
                try:
                    os.unlink(one.path)  # noqa: PTH108 - many files
                except OSError as error:
                    problems.append(error)
        if problems:
            raise problems[0]
        for folder in reversed(folders):
            os.rmdir(folder)  # noqa: PTH106 - many folders
    except OSError as error:
        return f"cannot remove {error.filename or path}: {error.strerror}"
    return ""


def keep_smallest(path: Path, most_bytes: int, most_files: int) -> str:
    """Remove the largest files of a folder until what is left is within both bounds, and folders
    that are empty then: why that was not possible, empty where it was."""
    try:
        if not _is_folder(path):
            path.unlink(missing_ok=True)
            return ""
        kept: list[tuple[int, str]] = []
        total, folders = 0, []
        for folder, files in _opened(path):
            folders.append(folder)
            for one in files:
                is_file = one.is_file(follow_symlinks=False)
                size = one.stat(follow_symlinks=False).st_size if is_file else 0
                total += size
                heapq.heappush(kept, (-size, one.path))
                while total > most_bytes or len(kept) > most_files:
                    largest, name = heapq.heappop(kept)
                    total += largest
                    os.unlink(name)  # noqa: PTH108 - many files
        for folder in reversed(folders[1:]):
            with suppress(OSError):
                os.rmdir(folder)  # noqa: PTH106 - many folders
    except OSError as error:
        return f"cannot clear {error.filename or path}: {error.strerror}"
    return ""


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode) if os.path.lexists(path) else False


def _opened(path: Path) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Every folder from `path` down, before those in it, with its entries that are no folders."""
    below = [str(path)]
    while below:
        folder = below.pop()
        mode = os.lstat(folder).st_mode
        if mode & _OWN_RIGHTS != _OWN_RIGHTS:
            os.chmod(folder, stat.S_IMODE(mode) | _OWN_RIGHTS)  # noqa: PTH101 - many folders
        with os.scandir(folder) as entries:
            every = list(entries)
        below += [one.path for one in every if one.is_dir(follow_symlinks=False)]
        yield folder, [one for one in every if not one.is_dir(follow_symlinks=False)]
