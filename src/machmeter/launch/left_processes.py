"""Processes that a launch leaves behind, wherever they hid: found as descendants, then ended.

While a launch runs this process is a subreaper (prctl(2)): what loses its parent becomes a child of
this process, not of init, and is known by that.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37
# Daemons of an MPI go by themselves once their mpiexec has ended.
_PATIENCE_SECONDS = 1.0
_KILLING_SECONDS, _LEAST_ROUNDS = 2.0, 50
_PAUSE_SECONDS = 0.002
_SESSION, _START = 3, 19
_STATE = 0


class Process(Struct, frozen=True):
    """A process, the same one only where both numbers agree: numbers are used again."""

    number: int
    """Its process id."""
    started: int
    """When it started, clock ticks since the kernel did."""


class Descendants:
    """What stands below this process and was not there at the start of a launch.

    What is in the session of this process is left alone: launches begin sessions of their own, and
    nothing gets back from there.
    """

    def __init__(self) -> None:
        self._before = set(_below(os.getpid()))

    def end(self) -> tuple[str, ...]:
        """End all of them, and wait until they are gone: the names of those that did not go.

        They have a moment to go by themselves.
        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self._left() and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)
        deadline = time.monotonic() + _KILLING_SECONDS
        # What is killed last may have started others; a machine that stood still has lost the time.
        rounds = 0
        while (left := self._left()) and (rounds < _LEAST_ROUNDS or time.monotonic() < deadline):
            for one in left:
                kill(one)
            time.sleep(_PAUSE_SECONDS)
            rounds += 1
        return tuple(f"{one.number} ({_name(one.number)})" for one in left)

    def _left(self) -> list[Process]:
        """Those that live. Of a process whose parent ends meanwhile, one look may miss it."""
        return self._seen() or self._seen()

    def _seen(self) -> list[Process]:
        """Those that live; the dead among the children of this process are taken leave of."""
        own = os.getsid(0)
        found = []
        for one in _below(os.getpid()):
            status = _status(one.number)
            if one in self._before or status is None or int(status[_SESSION]) == own:
                continue
            if status[_STATE] in "ZX":
                with suppress(ChildProcessError):
                    os.waitpid(one.number, os.WNOHANG)
                continue
            found.append(one)
        return found


@contextmanager
def descendants_of_launch() -> Iterator[Descendants]:
    """What a launch started within the block leaves behind, while this process is a subreaper."""
    libc = ctypes.CDLL(None, use_errno=True)
    was = ctypes.c_int(0)
    libc.prctl(_GET_CHILD_SUBREAPER, ctypes.byref(was), 0, 0, 0)
    libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield Descendants()
    finally:
        libc.prctl(_SET_CHILD_SUBREAPER, was.value, 0, 0, 0)


def kill(process: Process) -> None:
    """Kill a process, and no other one that has its number now (pidfd_open(2))."""
    try:
        descriptor = os.pidfd_open(process.number)
    except (OSError, AttributeError):
        if seen(process.number) == process:
            with suppress(OSError):
                os.kill(process.number, signal.SIGKILL)
        return
    try:
        if seen(process.number) == process:
            with suppress(OSError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    finally:
        os.close(descriptor)


def seen(number: int) -> Process | None:
    """The process that has that number now."""
    status = _status(number)
    return Process(number, int(status[_START])) if status else None


def _below(process: int) -> list[Process]:
    """The descendants of a process, a parent before its children."""
    numbers = _children(process)
    for number in numbers:
        numbers += _children(number)
    return [one for one in map(seen, numbers) if one is not None]


def _children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _status(number: int) -> list[str] | None:
    """The fields of stat after the name (proc(5)), which may hold anything but ends at `)`."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def _name(number: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{number}/comm").read_text(encoding="utf-8", errors="replace").strip()
    return "gone"
