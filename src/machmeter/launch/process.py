"""Start a launch, wait for it within its time limit, and leave no process of it behind."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

OUTPUT_TAIL = 4000
_GRACE_SECONDS = 2.0


class ProcessResult(Struct, frozen=True):
    """What became of the process. exit_code is negative for a signal; wall_seconds in seconds."""

    exit_code: int
    wall_seconds: float
    timed_out: bool
    output: str


def run_process(
    command: Sequence[str], environment: Mapping[str, str], limit_seconds: float
) -> ProcessResult:
    """Run `command` in a process group of its own and end the whole group after `limit_seconds`.

    Output goes to a file, not a pipe: launchers behave differently before a pipe, and a program
    that prints without end cannot fill our memory.
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
                start_new_session=True,
            )
        except OSError as error:
            return ProcessResult(127, 0.0, False, f"cannot start {command[0]}: {error.strerror}")
        timed_out = False
        try:
            process.wait(timeout=limit_seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _end_group(process)
        wall = time.monotonic() - begin
        return ProcessResult(process.returncode, wall, timed_out, _tail(output.fileno()))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask first, then kill: mpiexec ends its ranks when asked."""
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_SECONDS)
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tail(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    content = os.pread(descriptor, OUTPUT_TAIL, max(0, size - OUTPUT_TAIL))
    return content.decode("utf-8", errors="replace")
