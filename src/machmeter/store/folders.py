"""Folders that programs of others wrote into, cleared without trust: links are not followed."""

from __future__ import annotations

import heapq
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_OWN_RIGHTS = stat.S_IRWXU
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A program can make folders within folders without end; each that is entered is an open file.
_DEEPEST = 32
# No path that the system takes has 4096 bytes, and one that is read aloud has fewer.
_LONGEST_PATH = 3500
_LONGEST_SHOWN = 160


def remove_tree(path: Path) -> str:
    """Remove a folder, a file or a link, not what the link points to: why it is still there, empty
    where it is gone.

    Folders that their owner may not write to or enter are opened first.
    """
    try:
        if not _is_folder(path):
            path.unlink(missing_ok=True)
            return ""
        with _entered(str(path)) as top:
            removal = _Removal(top, str(path))
            removal.empty()
        if removal.problem:
            raise removal.problem
        path.rmdir()
    except OSError as error:
        return f"cannot remove {_in_short(error.filename or path)}: {error.strerror}"
    return ""


def keep_smallest(path: Path, most_bytes: int, most_files: int) -> str:
    """Remove the largest files of a folder until what is left is within both bounds, and folders
    that are empty then: why that was not possible, empty where it was.

    Folders that are too deep to be opened by their path are removed with all that is in them.
    """
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
        return f"cannot clear {_in_short(error.filename or path)}: {error.strerror}"
    return ""


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode) if os.path.lexists(path) else False


def _in_short(path: str | Path) -> str:
    """The path, or its beginning and its end."""
    text, half = str(path), _LONGEST_SHOWN // 2
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:half]}…{text[-half:]}"


def _opened(path: Path) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Every folder from `path` down, before those in it, with its entries that are no folders.

    Raises OSError where one cannot be opened, or one too deep cannot be removed.
    """
    below = [str(path)]
    while below:
        folder = below.pop()
        with _entered(folder) as here:
            # By its path: the entries have theirs.
            with os.scandir(folder) as entries:
                every = list(entries)
            inside = [one for one in every if one.is_dir(follow_symlinks=False)]
            near = [one.path for one in inside if len(os.fsencode(one.path)) <= _LONGEST_PATH]
            if len(near) < len(inside):
                removal = _Removal(here, folder)
                removal.empty(
                    tuple(one.name for one in inside if len(os.fsencode(one.path)) > _LONGEST_PATH)
                )
                if removal.problem:
                    raise removal.problem
        below += near
        yield folder, [one for one in every if not one.is_dir(follow_symlinks=False)]


class _Removal:
    """Removes what is in a folder, however deep; goes on where something cannot be removed.

    What is deeper than `_DEEPEST` is moved up into the folder first.
    """

    def __init__(self, top: int, path: str) -> None:
        """top: a descriptor of the folder; path: its path, for messages."""
        self.problem: OSError | None = None
        """The first one, with the path of what is still there."""
        self._top = top
        self._path = path
        self._moved: list[str] = []

    def empty(self, names: tuple[str, ...] | None = None) -> None:
        """Remove the folders of these names in it, or (None) all that is in it."""
        if names is None:
            self._empty(self._top, self._path, 1)
        for name in names or ():
            self._attempt(self._top, name, self._path, 1, folder=True)
        while self._moved:
            self._attempt(self._top, self._moved.pop(), self._path, 1, folder=True)

    def _empty(self, here: int, path: str, depth: int) -> None:
        with os.scandir(here) as entries:
            every = [(one.name, one.is_dir(follow_symlinks=False)) for one in entries]
        for name, folder in every:
            self._attempt(here, name, path, depth, folder=folder)

    def _attempt(self, here: int, name: str, path: str, depth: int, *, folder: bool) -> None:
        try:
            if not folder:
                os.unlink(name, dir_fd=here)
            elif depth > _DEEPEST:
                self._move_up(here, name)
            else:
                with _entered(name, here) as below:
                    self._empty(below, f"{path}/{name}", depth + 1)
                os.rmdir(name, dir_fd=here)
        except OSError as error:
            # Errors name what was called with, which is no path here.
            with_path = OSError(error.errno, error.strerror, f"{path}/{name}")
            self.problem = self.problem or with_path

    def _move_up(self, here: int, name: str) -> None:
        # What is moved has to be writable: `..` in it changes.
        with _entered(name, here):
            moved = secrets.token_hex(16)
            os.rename(name, moved, src_dir_fd=here, dst_dir_fd=self._top)
        self._moved.append(moved)


@contextmanager
def _entered(name: str, within: int | None = None) -> Iterator[int]:
    """A descriptor of a folder itself, never of one that a link leads to, with all rights of its
    owner. Raises OSError.

    within: a descriptor of the folder that it is in; None: `name` is a path.
    """
    place = os.open(name, os.O_PATH | _FOLDER, dir_fd=within)
    try:
        mode = os.fstat(place).st_mode
        if mode & _OWN_RIGHTS != _OWN_RIGHTS:
            # By its descriptor: by now there may be a link of that name.
            os.chmod(f"/proc/self/fd/{place}", stat.S_IMODE(mode) | _OWN_RIGHTS)  # noqa: PTH101
        opened = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=place)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error
    finally:
        os.close(place)
    try:
        yield opened
    finally:
        os.close(opened)
