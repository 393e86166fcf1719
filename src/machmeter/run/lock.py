"""One measurement on a machine at a time: two would measure each other."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from machmeter.model.errors import MachineLacksError, storage_error


@contextmanager
def machine_to_ourselves(folder: Path, run: str) -> Iterator[None]:
    """Hold this user's measuring lock in `folder` while the block runs.

    Raises MachineLacksError when another run holds it; the kernel frees it when that run dies.
    """
    path = folder / "measuring.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise storage_error(error, path) from error
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = file.read(200).decode("utf-8", errors="replace").strip() or "unknown"
            raise MachineLacksError(
                f"this machine is measuring already: {holder}",
                "wait for that run to end: two at once would measure each other",
            ) from error
        file.truncate(0)
        file.write(f"run {run}, process {os.getpid()}".encode())
        file.flush()
        yield
