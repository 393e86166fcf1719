"""Start a launch, wait for it within its time limit, and leave no process of it behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto

from msgspec import Struct

OUTPUT_TAIL = 4000
MOST_OUTPUT = 64 * 2**20
_GRACE_SECONDS = 2.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.05
_TOO_MUCH = f"\nmachmeter-launch: ended, for it printed more than {MOST_OUTPUT // 2**20} MiB\n"


class _Ended(Enum):
    """How a wait ended."""

    BY_ITSELF = auto()
    TIME_OVER = auto()
    PRINTED_TOO_MUCH = auto()


class ProcessResult(Struct, frozen=True):
    """What became of a process."""

    exit_code: int
    """Negative for a signal."""
    wall_seconds: float
    """Wall time, seconds."""
    timed_out: bool
    """Whether it was ended after its time limit."""
    output: str
    """The end of what it printed."""
    printed_too_much: bool = False
    """Whether it was ended for that."""


def run_process(
    command: Sequence[str],
    environment: Mapping[str, str],
    limit_seconds: float,
    most_kept: int = OUTPUT_TAIL,
    folder: str | None = None,
) -> ProcessResult:
    """Run `command` in a process group of its own and end the whole group after `limit_seconds`.

    most_kept: bytes of its output, from the end, that the result has; folder: where it is started
    (None: here).

    Output goes to a file, not a pipe: launchers behave differently before a pipe, and a program
    that prints without end cannot fill our memory. So that it cannot fill the disk either, it is
    ended beyond `MOST_OUTPUT` bytes, and the output says so.
    """
    with tempfile.TemporaryFile() as output:
        begin = time.monotonic()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            return ProcessResult(127, 0.0, False, f"cannot start {command[0]}: {error.strerror}")
        try:
            reason = _wait(process, output.fileno(), begin + limit_seconds)
            wall = time.monotonic() - begin
        finally:
            _end_group(process)
        said = _tail(output.fileno(), most_kept) + (
            _TOO_MUCH if reason is _Ended.PRINTED_TOO_MUCH else ""
        )
        return ProcessResult(
            process.returncode,
            wall,
            reason is _Ended.TIME_OVER,
            said,
            reason is _Ended.PRINTED_TOO_MUCH,
        )


def _wait(process: subprocess.Popen[bytes], output: int, deadline: float) -> _Ended:
    with _exit_of(process) as ended:
        while process.poll() is None:
            if os.fstat(output).st_size > MOST_OUTPUT:
                return _Ended.PRINTED_TOO_MUCH
            left = deadline - time.monotonic()
            if left <= 0:
                return _Ended.TIME_OVER
            # Rarely, so as not to disturb: the end of the process is seen when it comes.
            ended.poll(1000 * min(_LONGEST_PAUSE, left))
    return _Ended.BY_ITSELF


@contextmanager
def _exit_of(process: subprocess.Popen[bytes]) -> Iterator[select.poll]:
    """What wakes at the end of the process; before Linux 5.3, and in a Python that was built
    there, it sleeps all its time."""
    wakes = select.poll()
    try:
        descriptor = os.pidfd_open(process.pid)
    except (OSError, AttributeError):
        yield wakes
        return
    try:
        wakes.register(descriptor, select.POLLIN)
        yield wakes
    finally:
        os.close(descriptor)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask first, then kill: mpiexec ends its ranks when asked."""
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_SECONDS)
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()
    _wait_for_group(process.pid)


def _wait_for_group(group: int) -> None:
    """Killed processes take a moment to go: what still dies would disturb the next launch."""
    deadline = time.monotonic() + _GRACE_SECONDS
    with suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(_FIRST_PAUSE)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tail(descriptor: int, most_kept: int) -> str:
    size = os.fstat(descriptor).st_size
    content = os.pread(descriptor, most_kept, max(0, size - most_kept))
    return content.decode("utf-8", errors="replace")
