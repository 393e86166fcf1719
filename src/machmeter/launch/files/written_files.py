"""How much a launch writes into its folder, looked at while it runs: no launch fills the disk."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

_PAUSE_SECONDS = 0.5
# The launch is waited for meanwhile: folders with more files than this are not gone through again
# and again.
_LONGEST_LOOK_SECONDS, _SHARE_OF_LOOKING = 0.2, 0.01
_BLOCK = 512


class WrittenFiles:
    """What is written into files of a folder from now on; beyond half of the free space it is too
    much.

    Folders may hold many files, and what a launch left out would disturb it: they are gone through
    only once the file system, which others use too, lost as much space as the launch may take.
    Files elsewhere, and those without a name, are not seen.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._since = folder, time.time()
        self._free = _free_bytes(folder)
        self._next = 0.0
        self.most = (self._free or 0) // 2

    def are_too_many(self) -> bool:
        """Whether they take more than `most` bytes; seldom looked at, and False between."""
        now = time.monotonic()
        if now < self._next or self._free is None:
            return False
        self._next = now + _PAUSE_SECONDS
        free = _free_bytes(self._folder)
        if free is None or self._free - free <= self.most:
            return False
        # A file that was there counts whole when it is changed: no more than what is gone.
        written = min(_bytes_since(self._folder, self._since, self.most), self._free - free)
        self._next += (time.monotonic() - now) / _SHARE_OF_LOOKING
        return written > self.most


def _free_bytes(folder: Path) -> int | None:
    """None where it is not known."""
    with suppress(OSError):
        found = os.statvfs(folder)
        return found.f_bavail * found.f_frsize
    return None


def _bytes_since(folder: Path, since: float, most: int) -> int:
    """Bytes on disk of the files that were changed since that time, until they are more than `most`
    or time is up; links are not followed."""
    total, end = 0, time.monotonic() + _LONGEST_LOOK_SECONDS
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = os.lstat(os.path.join(path, name))  # noqa: PTH118 - many files
                total += found.st_blocks * _BLOCK if found.st_ctime >= since else 0
        if total > most or time.monotonic() > end:
            break
    return total
