"""One builder at a time, also over processes."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from machmeter.model.errors import storage_error


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; wait while another process holds it.

    Raises MachineLacksError when the folder cannot be written or its file system has no locks.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as error:
        raise storage_error(error, path) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            raise storage_error(error, path) from error
        yield
