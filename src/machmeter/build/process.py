"""Run a tool that prepares a measurement, and say clearly what went wrong with it."""

from __future__ import annotations

import codecs
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Event
from typing import IO

from machmeter.model.errors import MachineLacksError, MachmeterError

_TAIL = 40
_PIECE = 65536
# In characters: of what is printed without end, this much is kept, and a line is cut that long.
MOST_KEPT = 4 * 2**20
_LONGEST_LINE = 2**20
# In seconds: to end when asked, and to close the pipe when the tool has ended.
_GRACE_SECONDS = 5.0
_DRAIN_SECONDS = 1.0
_LOOK_SECONDS = 0.25
_PAUSE_SECONDS = 0.02


# Tools that run now, for any thread.
_running: set[subprocess.Popen[bytes]] = set()
# Of a thread whose work another may end.
_ended: ContextVar[Event | None] = ContextVar("ended", default=None)


class EndedError(MachmeterError):
    """Another thread has ended this one's work."""


@contextmanager
def until(ended: Event) -> Iterator[None]:
    """Within the block this thread starts tools and waits for locks only until `ended` is set."""
    token = _ended.set(ended)
    try:
        yield
    finally:
        _ended.reset(token)


def raise_if_ended() -> None:
    """Raises EndedError where the event of `until` is set."""
    ended = _ended.get()
    if ended and ended.is_set():
        raise EndedError("ended, because another part failed or was interrupted")


def end_running_tools() -> None:
    """End what `run_tool` waits for in other threads, which then raises there."""
    for process in tuple(_running):
        _end_session(process)


def run_tool(  # noqa: PLR0913 - a tool is started in one place
    command: Sequence[str],
    *,
    doing: str,
    remedy: str,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    listener: Callable[[str], None] | None = None,
    answers: bool = False,
    started_by: Sequence[str] = (),
) -> str:
    """What the tool printed, of very much the last `MOST_KEPT` characters.

    timeout: in seconds. listener: is given each line as it comes, a very long one in parts. What a
    tool leaves running is not waited for. answers: whether its output is an answer: what it, or
    the loader before it, writes as errors is then none, unless there is no other. started_by: words
    before the command, of which messages say nothing.

    Raises MachineLacksError, with the command and the end of its output, when the tool is missing,
    fails or takes longer; EndedError as `raise_if_ended`.
    """
    raise_if_ended()
    shown = " ".join(command)
    try:
        with tempfile.TemporaryFile() if answers else nullcontext() as errors:
            words = (*started_by, *command)
            code, output = _run(words, timeout, environment, folder, listener, errors)
            if errors is not None and (code != 0 or not output.strip()):
                errors.seek(0)
                output += errors.read(MOST_KEPT).decode("utf-8", errors="replace")
    except OSError as error:
        raise MachineLacksError(
            f"{doing}: cannot start {shown}: {error.strerror}", remedy
        ) from error
    except subprocess.TimeoutExpired as error:
        raise MachineLacksError(
            f"{doing}: no end after {timeout:.0f} s: {shown}", remedy
        ) from error
    if code != 0:
        tail = "\n".join(output.splitlines()[-_TAIL:])
        raise MachineLacksError(f"{doing} failed (exit code {code}): {shown}", remedy, details=tail)
    return output


def _run(
    command: Sequence[str],
    timeout: float,
    environment: Mapping[str, str] | None,
    folder: Path | None,
    listener: Callable[[str], None] | None,
    errors: IO[bytes] | None,
) -> tuple[int, str]:
    """Exit code and output. What ends the wait ends the tool with all that it started."""
    deadline = time.monotonic() + timeout
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors or subprocess.STDOUT,
        env=dict(environment) if environment is not None else None,
        cwd=folder,
        start_new_session=True,
    ) as process:
        _running.add(process)
        try:
            output = _last(_lines(process, deadline), listener)
            process.wait(max(deadline - time.monotonic(), 0.0))
        except BaseException:
            _end_session(process)
            raise
        finally:
            _running.discard(process)
        return process.returncode, output


def _last(lines: Iterator[str], listener: Callable[[str], None] | None) -> str:
    """The last `MOST_KEPT` characters of `lines`, to the line; the listener is given all."""
    kept: deque[str] = deque()
    length = 0
    for line in lines:
        kept.append(line)
        length += len(line)
        while length > MOST_KEPT:
            length -= len(kept.popleft())
        if listener:
            listener(line)
    return "".join(kept)


def _lines(process: subprocess.Popen[bytes], deadline: float) -> Iterator[str]:
    """Each line with its end, as it is printed. Raises TimeoutExpired at the deadline."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    begun: list[str] = []
    length = 0
    for piece in _pieces(process, deadline):
        *ends, rest = decoder.decode(piece).split("\n")
        for end in ends:
            yield "".join((*begun, end, "\n"))
            begun, length = [], 0
        begun.append(rest)
        length += len(rest)
        if length > _LONGEST_LINE:
            yield "".join(begun)
            begun, length = [], 0
    if last := "".join(begun) + decoder.decode(b"", final=True):
        yield last


def _pieces(process: subprocess.Popen[bytes], deadline: float) -> Iterator[bytes]:
    """What is printed until the pipe is closed, or a moment after the tool has ended: what it left
    running may hold the pipe open for ever.
    """
    pipe = process.stdout
    if pipe is None:
        return
    ended = False
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not ended and process.poll() is not None:
                ended = True
                last_look = time.monotonic() + _DRAIN_SECONDS
            if ended and time.monotonic() > last_look:
                return
            if not selector.select(min(left, _LOOK_SECONDS)):
                continue
            piece = os.read(pipe.fileno(), _PIECE)
            if not piece:
                return
            yield piece
    raise subprocess.TimeoutExpired(process.args, 0)


def _end_session(process: subprocess.Popen[bytes]) -> None:
    """Ask first: ninja hands on to its compilers, each in a group of its own, the signal it gets.
    Then kill whatever is left of the tool's session.
    """
    try:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        _wait_for_session(process, _GRACE_SECONDS)
    finally:
        for member in _session(process.pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member, signal.SIGKILL)
        _wait_for_session(process, _GRACE_SECONDS)


def _wait_for_session(process: subprocess.Popen[bytes], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        # A child that nobody has asked about stays in the list.
        process.poll()
        if not _session(process.pid):
            return
        time.sleep(_PAUSE_SECONDS)


def _session(leader: int) -> list[int]:
    """The processes of one session that still run: its number is that of the first of them
    (proc(5), /proc/pid/stat).
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name, in brackets, may hold anything: what follows the last bracket counts.
            text = (folder / "stat").read_text(errors="replace")
        except OSError:
            continue
        state, _, _, session = text.rpartition(")")[2].split()[:4]
        if int(session) == leader and state not in "ZX":
            found.append(int(folder.name))
    return found
