"""How much a launch writes into its folder, looked at while it runs: no launch fills the disk."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

MOST_WRITTEN = 16 * 2**30
"""A launch is ended beyond so many bytes in files of its folder, or beyond half of the free space
where that is less."""
_PAUSE_SECONDS = 0.5
_BLOCK = 512


class WrittenFiles:
    """What is written into a folder from now on.

    Folders may hold many files, and what a launch left out would disturb it: they are gone through
    only once the file system, which others use too, lost as much space as the launch may take.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._since = folder, time.time()
        self._free = _free_bytes(folder)
        self._next = 0.0
        self.most = min(MOST_WRITTEN, self._free // 2)

    def are_too_many(self) -> bool:
        """Whether they take more than `most` bytes; seldom looked at, and False between."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _PAUSE_SECONDS
        free = _free_bytes(self._folder)
        if self._free - free <= self.most:
            return False
        written = _bytes_since(self._folder, self._since)
        # The rest was written by others.
        self._free = free + written
        return written > self.most


def _free_bytes(folder: Path) -> int:
    """Zero where it is not known: then nothing is lost."""
    with suppress(OSError):
        found = os.statvfs(folder)
        return found.f_bavail * found.f_frsize
    return 0


def _bytes_since(folder: Path, since: float) -> int:
    """Bytes on disk of the files that were changed since that time; links are not followed."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = os.lstat(os.path.join(path, name))  # noqa: PTH118 - many files
                total += found.st_blocks * _BLOCK if found.st_ctime >= since else 0
    return total
