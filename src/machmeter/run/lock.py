"""One measurement on a machine at a time: two would measure each other."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from machmeter.model.errors import MachineLacksError, storage_error

_HOLDER = re.compile(r"^run (\S+), process (\d+)$")


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
            raise _busy(holder) from error
        file.truncate(0)
        file.write(f"run {run}, process {os.getpid()}".encode())
        file.flush()
        yield


def refuse_while_measuring(folder: Path) -> None:
    """Raise MachineLacksError while a run is measured: even compiling beside it would disturb it.

    Tells early; `machine_to_ourselves` is what holds.
    """
    run = measuring_now(folder)
    if run:
        raise _busy(f"run {run}")


def _busy(holder: str) -> MachineLacksError:
    return MachineLacksError(
        f"this machine is measuring already: {holder}",
        "wait for that run to end: two at once would measure each other",
    )


def measuring_now(folder: Path) -> str:
    """The run that is being measured by this user now, by the lock in `folder`; empty if none.

    Reads who holds the lock without trying it: that could make a run that begins now fail.
    """
    try:
        with (folder / "measuring.lock").open("rb") as file:
            found = _HOLDER.match(file.read(200).decode("utf-8", errors="replace"))
    except OSError:
        return ""
    return found.group(1) if found and _is_alive(int(found.group(2))) else ""


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
