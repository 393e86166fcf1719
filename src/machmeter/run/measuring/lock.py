"""One measurement on a machine at a time: two would measure each other."""

from __future__ import annotations

import fcntl
import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.store.cache_trust import make_closed
from machmeter.store.files import open_unfollowed, read_regular

_HOLDER = re.compile(r"^run (\S+), process (\d+), started at tick (\d+)$")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_STARTED = 22


def lock_path(folder: Path) -> Path:
    """The lock file of this machine in `folder`, which a home on a cluster shares with others.

    Named by the kernel's boot, which containers of one machine share and no two machines do; by
    the host where the kernel tells none (proc(5), random(4)).
    """
    try:
        machine = _BOOT_ID.read_text().strip()
    except OSError:
        machine = ""
    safe = re.sub(r"[^A-Za-z0-9.-]", "-", machine or platform.node())
    return folder / f"measuring-{safe[:100]}.lock"


@contextmanager
def machine_to_ourselves(folder: Path, run: str) -> Iterator[None]:
    """Hold this machine's measuring lock in `folder` while the block runs.

    Raises MachineLacksError when another run holds it, or it is a link; the kernel frees it when
    that run dies.
    """
    path = lock_path(folder)
    try:
        make_closed(folder)
        descriptor = open_unfollowed(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise storage_error(error, path) from error
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            text = file.read(200).decode("utf-8", errors="replace").strip()
            raise _busy(text.partition(", started")[0] or "unknown") from error
        except OSError as error:
            raise MachineLacksError(
                f"cannot lock {path}: {error.strerror}",
                "set MACHMETER_CACHE to a folder on a file system with locks, such as a local disk",
            ) from error
        file.truncate(0)
        process = os.getpid()
        file.write(f"run {run}, process {process}, started at tick {_start(process)}".encode())
        file.flush()
        yield


def _busy(holder: str) -> MachineLacksError:
    return MachineLacksError(
        f"this machine is measuring already: {holder}",
        "wait for that run to end: two at once would measure each other",
    )


def measuring_now(folder: Path) -> str:
    """The run that is being measured on this machine now, by its lock in `folder`; empty if none.

    Reads who holds the lock without trying it: that could make a run that begins now fail.
    """
    try:
        content = read_regular(lock_path(folder), 200, follow_links=False)
    except OSError:
        return ""
    found = _HOLDER.match(content.decode("utf-8", errors="replace"))
    # A number is given to another process in time; with its start it is the same process.
    return found.group(1) if found and _start(int(found.group(2))) == found.group(3) else ""


def _start(process: int) -> str:
    """When a process started, in clock ticks since boot; empty where there is none (proc(5))."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return ""
    # The second field, the name in parentheses, may hold spaces and parentheses itself.
    words = text.rpartition(")")[2].split()
    return words[_STARTED - 3] if len(words) > _STARTED - 3 else ""
