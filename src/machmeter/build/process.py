"""Run a tool that prepares a measurement, and say clearly what went wrong with it."""

from __future__ import annotations

import codecs
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from machmeter.model.errors import MachineLacksError

_TAIL = 40
_PIECE = 65536


def run_tool(
    command: Sequence[str],
    *,
    doing: str,
    remedy: str,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    listener: Callable[[str], None] | None = None,
) -> str:
    """What the tool printed. `timeout` in seconds; listener: is given each line as it comes.

    Raises MachineLacksError, with the command and the end of its output, when the tool is missing,
    fails or takes longer.
    """
    shown = " ".join(command)
    try:
        code, output = _run(command, timeout, environment, folder, listener)
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
) -> tuple[int, str]:
    """Exit code and output. What ends the wait ends the tool with all that it started."""
    deadline = time.monotonic() + timeout
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment) if environment is not None else None,
        cwd=folder,
        start_new_session=True,
    ) as process:
        try:
            output = []
            for line in _lines(process, deadline):
                output.append(line)
                if listener:
                    listener(line)
            process.wait(max(deadline - time.monotonic(), 0.0))
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, "".join(output)


def _lines(process: subprocess.Popen[bytes], deadline: float) -> Iterator[str]:
    """Each line with its end, as it is printed. Raises TimeoutExpired at the deadline."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    for piece in _pieces(process, deadline):
        *whole, rest = (rest + decoder.decode(piece)).split("\n")
        yield from (f"{line}\n" for line in whole)
    if last := rest + decoder.decode(b"", final=True):
        yield last


def _pieces(process: subprocess.Popen[bytes], deadline: float) -> Iterator[bytes]:
    pipe = process.stdout
    if pipe is None:
        return
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0 and selector.select(left):
            piece = os.read(pipe.fileno(), _PIECE)
            if not piece:
                return
            yield piece
    raise subprocess.TimeoutExpired(process.args, 0)
