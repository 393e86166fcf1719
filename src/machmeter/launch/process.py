"""Start a launch, wait for it within its time limit, and leave no process of it behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path

from msgspec import Struct

from machmeter.launch.files.read_only import enter_read_only
from machmeter.launch.files.written_files import WrittenFiles
from machmeter.launch.left_processes import descendants_of_launch
from machmeter.model.units import format_bytes

OUTPUT_TAIL = 4000
MOST_OUTPUT = 64 * 2**20
_GRACE_SECONDS = 2.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.05
# Nothing but a suspended job, a paused machine or Ctrl-Z keeps this process from its CPU for so
# long.
_STOOD_STILL_SECONDS = 5.0


class _Ended(Enum):
    """How a wait ended."""

    BY_ITSELF = auto()
    TIME_OVER = auto()
    PRINTED_TOO_MUCH = auto()
    WROTE_TOO_MUCH = auto()


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
    wrote_too_much: bool = False
    """Whether it was ended for what it printed, or wrote into its folder."""
    filled_folder: bool = False
    """Whether it was ended for what it wrote into its folder."""
    left: tuple[str, ...] = ()
    """Processes of it that could not be ended, each by number and name."""
    stopped_seconds: float = 0.0
    """How long this process, and with it most likely the launch, stood still meanwhile, seconds:
    neither in the wall time nor in its limit."""


def run_process(
    command: Sequence[str],
    environment: Mapping[str, str],
    limit_seconds: float,
    most_kept: int = OUTPUT_TAIL,
    folder: str | None = None,
    read_only: Sequence[Path] = (),
) -> ProcessResult:
    """Run `command` in a session of its own, end it after `limit_seconds`, and leave nothing of it
    behind: its process group, and whatever left that (`left_processes`).

    most_kept: bytes of its output, from the end, that the result has; folder: where it is started
    (None: here); read_only: files that it cannot write to, and that `can_be_read_only`.

    Output goes to a file, not a pipe: launchers behave differently before a pipe, and a program
    that prints without end cannot fill our memory. So that it cannot fill the disk either, it is
    ended beyond `MOST_OUTPUT` bytes, or half of the free space in files of `folder`
    (`WrittenFiles`), and the output says so.
    """
    files = WrittenFiles(Path(folder)) if folder else None
    with tempfile.TemporaryFile() as output, descendants_of_launch() as descendants:
        begin = time.monotonic()
        process: subprocess.Popen[bytes] | None = None
        left: tuple[str, ...] = ()
        try:
            with _interrupts_later():
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=dict(environment),
                    cwd=folder,
                    start_new_session=True,
                    # Nothing else runs in this process while a launch is started.
                    preexec_fn=enter_read_only(read_only) if read_only else None,  # noqa: PLW1509
                )
            reason, stopped = _wait(process, output.fileno(), begin + limit_seconds, files)
            wall = time.monotonic() - begin - stopped
        except (OSError, subprocess.SubprocessError) as error:
            if process is not None:
                raise
            why = error.strerror if isinstance(error, OSError) else "its files are not read-only"
            return ProcessResult(127, 0.0, False, f"cannot start {command[0]}: {why}")
        finally:
            if process is not None:
                _end_group(process)
                left = descendants.end()
        return ProcessResult(
            process.returncode,
            wall,
            reason is _Ended.TIME_OVER,
            _tail(output.fileno(), most_kept) + _why_ended(reason, files) + _not_ended(left),
            reason in (_Ended.PRINTED_TOO_MUCH, _Ended.WROTE_TOO_MUCH),
            reason is _Ended.WROTE_TOO_MUCH,
            left,
            stopped,
        )


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Interrupts that come within the block are raised at its end: one that cuts the start of a
    process short would leave it behind."""
    came: list[int] = []
    own = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {
            one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        }
        # What is ignored stays so in the process too.
        own = {one: handler for one, handler in handlers.items() if callable(handler)}
    for one in own:
        signal.signal(one, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for one, handler in own.items():
            signal.signal(one, handler)
    for number in came:
        signal.raise_signal(number)


def _why_ended(reason: _Ended, files: WrittenFiles | None) -> str:
    """What the output says of a program that was ended for what it wrote."""
    if reason is _Ended.PRINTED_TOO_MUCH:
        done = f"printed more than {format_bytes(MOST_OUTPUT)}"
    elif reason is _Ended.WROTE_TOO_MUCH and files is not None:
        done = f"wrote more than {format_bytes(files.most)} into its folder"
    else:
        return ""
    return f"\nmachmeter-launch: ended, for it {done}\n"


def _not_ended(left: Sequence[str]) -> str:
    named = ", ".join(left)
    return f"\nmachmeter-launch: could not end {named}: end it by hand\n" if left else ""


def _wait(
    process: subprocess.Popen[bytes], output: int, deadline: float, files: WrittenFiles | None
) -> tuple[_Ended, float]:
    """How it ended, and how long this process stood still meanwhile, seconds, by which the deadline
    is later."""
    stopped, looked = 0.0, time.monotonic()

    def look() -> float:
        nonlocal stopped, looked
        now = time.monotonic()
        stopped += now - looked if now - looked > _STOOD_STILL_SECONDS else 0.0
        looked = now
        return now

    with _exit_of(process) as ended:
        while process.poll() is None:
            now = look()
            if os.fstat(output).st_size > MOST_OUTPUT:
                return _Ended.PRINTED_TOO_MUCH, stopped
            if files is not None and files.are_too_many():
                return _Ended.WROTE_TOO_MUCH, stopped
            # A file system that answers late holds up nothing but this process.
            looked = time.monotonic()
            left = deadline + stopped - now
            if left <= 0:
                return _Ended.TIME_OVER, stopped
            # Rarely, so as not to disturb: the end of the process is seen when it comes.
            ended.poll(1000 * min(_LONGEST_PAUSE, left))
    look()
    return _Ended.BY_ITSELF, stopped


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
