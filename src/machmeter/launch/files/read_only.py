"""Files that a process and all it starts can read but not write to, where the system gives that.

Each is mounted over itself, read-only, in a mount namespace of that process (mount_namespaces(7)):
in one of its own user namespace for users who may not mount (user_namespaces(7)), in which user and
group are the same numbers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
# A user who mounts over a file cannot lift what its file system was mounted with (mount(2)).
_KEPT_FLAGS = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME
_PROBE_SECONDS = 30


def can_be_read_only(path: Path) -> bool:
    """Whether `enter_read_only` works for this file, which is tried."""
    try:
        return not subprocess.run(
            ["true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PROBE_SECONDS,
            check=False,
            preexec_fn=_proving(path),
        ).returncode
    except (OSError, subprocess.SubprocessError):
        return False


def enter_read_only(paths: Sequence[Path]) -> Callable[[], None]:
    """What a process calls between fork and exec so that nothing it starts writes into these.

    It raises OSError where the system does not let it.
    """
    # What the child calls is looked up here: between fork and exec as little as can be is done.
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    flags = {path: os.statvfs(path).f_flag & _KEPT_FLAGS for path in paths}

    def enter() -> None:
        if libc.unshare(_NEW_MOUNTS) != 0:
            _check(libc.unshare(_NEW_USERS | _NEW_MOUNTS))
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                Path(f"/proc/self/{name}").write_text(text)
        _check(libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None))
        for path, kept in flags.items():
            place = os.fsencode(path)
            _check(libc.mount(place, place, None, _BIND, None))
            _check(libc.mount(None, place, None, _REMOUNT | _BIND | _READ_ONLY | kept, None))

    return enter


def _proving(path: Path) -> Callable[[], None]:
    enter = enter_read_only((path,))

    def enter_and_look() -> None:
        enter()
        if not os.statvfs(path).f_flag & os.ST_RDONLY:
            raise OSError(errno.EINVAL, "it can be written to all the same", str(path))

    return enter_and_look


def _check(code: int) -> None:
    if code:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
