"""One builder at a time, also over processes."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from machmeter.model.errors import storage_error
from machmeter.store.files import open_unfollowed

_PAUSE_SECONDS = 0.05


@contextmanager
def exclusive(path: Path, while_waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock file at `path`; wait while another process holds it.

    while_waiting: is called again and again until the lock is ours; what it raises ends the wait.
    Raises MachineLacksError when the folder cannot be written, its file system has no locks, or the
    file is a link.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = open_unfollowed(path, os.O_WRONLY | os.O_CREAT)
    except OSError as error:
        raise storage_error(error, path) from error
    with os.fdopen(descriptor, "wb") as file:
        try:
            _lock(file.fileno(), while_waiting)
        except OSError as error:
            raise storage_error(error, path) from error
        yield


def _lock(file: int, while_waiting: Callable[[], None] | None) -> None:
    while while_waiting:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            while_waiting()
            time.sleep(_PAUSE_SECONDS)
        else:
            return
    fcntl.flock(file, fcntl.LOCK_EX)
