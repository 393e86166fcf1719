"""The files that launches of a program are given: looked at before each, written by none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.apps.inputs import checksum_of
from machmeter.launch.files.read_only import can_be_read_only
from machmeter.model.errors import UsageError
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import FileState
from machmeter.model.units import format_bytes

COPIES = "inputs"
"""The folder beside the records of launches that has copies while a run measures."""
LARGEST_COPIES = 64 * 2**20
"""Of the input files of a launch no more than this is copied for each launch, bytes."""
SHARE_OF_FREE = 0.25
"""Of what is free in the file system of a run, so much may be taken by copies of larger ones."""
# Checksums and copies of less take no time worth a line.
_WORTH_A_LINE = 2**30

Notify = Callable[[str], None]


class Stamp(Struct, frozen=True):
    """What differs where a file was written to, or where another one took its place."""

    bytes: int
    """Its size, bytes."""
    changed_ns: int
    """When its content was changed, nanoseconds since 1970."""
    touched_ns: int
    """When anything of it was changed, which no program can set."""
    identity: tuple[int, int]
    """Its device and its inode."""


class Given(Struct, frozen=True):
    """What one launch is given."""

    states: tuple[FileState, ...]
    """The program and its input files as they are before the launch."""
    links: Mapping[str, Path]
    """Of input files too large to be copied for each launch, by their path in its folder: what a
    link there points to."""
    stamps: Mapping[str, Stamp | None]
    """Of each file of `states`, by path."""
    read_only: tuple[Path, ...]
    """Of the files that links point to those that are the user's own, and are to be mounted
    read-only for the launch (`launch.files.read_only`)."""
    fixed: int
    """How many of `states` are the program and described input files; then words name them."""


class GivenFiles:
    """The files of commands before and after launches.

    A checksum is made once, and again where the stamp of its file differs. notify: takes a line
    before something slow, and where a program could write into a file of the user's.
    """

    def __init__(self, notify: Notify) -> None:
        self.notify = notify
        self._sums: dict[Path, tuple[Stamp, str]] = {}
        self._copies: dict[Path, Stamp | None] = {}
        self._notified: set[str] = set()
        # Of files among the words: those that outlasted a launch as they were, and the others.
        self._read: set[str] = set()
        self._written: set[str] = set()
        self._read_only: dict[Path, bool] = {}

    def before(
        self, command: Command, words: Sequence[str], copies: Path, *, is_local: bool
    ) -> Given:
        """What a launch is given that starts `words`; copies: a folder for those of large files;
        is_local: whether all of it are processes below this one.

        A program that is gone is left out: its launch says so. Raises UsageError where an input
        file cannot be read, OSError where a copy cannot be made.
        """
        folder = Path(command.folder)
        inputs = [one.path for one in command.description.inputs] if command.description else []
        # Words that were typed name files that nothing describes.
        named = [] if command.own_folder else [*_files_named(words[1:], folder)]
        states = [self._state(Path(one)) for one in words[:1] if Path(one).is_file()]
        states += [self._state(folder / one) for one in inputs]
        links = dict(self._links(folder, inputs, copies, is_local)) if command.own_folder else {}
        fixed = len(states)
        states += [self._state(one) for one in named if str(one) not in self._written]
        stamps = {one.path: _stamp(Path(one.path)) for one in states}
        read_only = tuple(one for one in links.values() if is_local and self._read_only.get(one))
        return Given(tuple(states), links, stamps, read_only, fixed)

    def after(self, given: Given) -> tuple[FileState, ...]:
        """What a launch was given, once it has ended: what changed meanwhile is `written`. A file
        among the words that the first launch changes is none that it is given."""
        changed = {one.path for one in given.states if self._changed(one, given)}
        of_words = {one.path for one in given.states[given.fixed :]} - self._read
        self._written |= of_words & changed
        self._read |= of_words - changed
        return tuple(
            replace(one, written=one.path in changed)
            for one in given.states
            if one.path not in self._written
        )

    def _changed(self, one: FileState, given: Given) -> bool:
        path = Path(one.path)
        if _stamp(path) == given.stamps[one.path]:
            return False
        try:
            return self._state(path).sha256 != one.sha256
        except UsageError:
            return True

    def _state(self, path: Path) -> FileState:
        stamp = _stamp(path)
        known = self._sums.get(path)
        if known is None or stamp is None or known[0] != stamp:
            if stamp and stamp.bytes >= _WORTH_A_LINE:
                self.notify(f"making the checksum of {path}, {format_bytes(stamp.bytes)}")
            checksum = checksum_of(path)
            known = self._sums[path] = (stamp or Stamp(0, 0, 0, (0, 0)), checksum)
        return FileState(str(path), known[0].bytes, known[0].changed_ns, known[1])

    def _links(
        self, folder: Path, inputs: Sequence[str], copies: Path, is_local: bool
    ) -> Iterator[tuple[str, Path]]:
        """The largest files, as far as all of them are more than what each launch may copy."""
        sizes = {one: self._sums[folder / one][0].bytes for one in inputs}
        left = sum(sizes.values())
        for one in sorted(sizes, key=lambda name: -sizes[name]):
            if left <= LARGEST_COPIES:
                return
            left -= sizes[one]
            yield one, self._shared(folder / one, copies, is_local)

    def _shared(self, path: Path, copies: Path, is_local: bool) -> Path:
        """A copy of a file that no launch has written to; the file itself where it does not fit,
        read-only for the program where the system gives that."""
        stamp, checksum = self._sums[path]
        copy = copies / f"{checksum[:12]}-{path.name}"
        if copy in self._copies and self._copies[copy] == _stamp(copy):
            return copy
        with suppress(FileNotFoundError):
            copy.unlink()
        size = format_bytes(stamp.bytes)
        copies.mkdir(exist_ok=True)
        free = os.statvfs(copies)
        if stamp.bytes > SHARE_OF_FREE * free.f_bavail * free.f_frsize:
            if path not in self._read_only:
                self._read_only[path] = can_be_read_only(path)
            why = f"a copy of {size} would take more than a quarter of what is free in"
            if is_local and self._read_only[path]:
                line = f"{path} is mounted read-only for the program: {why} {copies.parent}"
            else:
                line = (
                    f"the program can write into {path}: {why} {copies.parent}; it is looked at "
                    "after each launch"
                )
            self._notify_once(line)
            return path
        self._notify_once(f"copying {path}, {size}: launches read the copy, not the file")
        shutil.copyfile(path, copy)
        self._copies[copy] = _stamp(copy)
        return copy

    def _notify_once(self, line: str) -> None:
        if line not in self._notified:
            self._notified.add(line)
            self.notify(line)


def _files_named(words: Sequence[str], folder: Path) -> Iterator[Path]:
    for word in words:
        # A word may be no name of a file at all.
        with suppress(OSError, ValueError):
            path = folder / word
            if path.is_file() and os.access(path, os.R_OK):
                yield path


def _stamp(path: Path) -> Stamp | None:
    """None of a file that is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    number = (found.st_dev, found.st_ino)
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, number)
