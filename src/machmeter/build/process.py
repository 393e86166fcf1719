"""Run a tool that prepares a measurement, and say clearly what went wrong with it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from machmeter.model.errors import MachineLacksError

_TAIL = 40


def run_tool(
    command: Sequence[str],
    *,
    doing: str,
    remedy: str,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> str:
    """What the tool printed. `timeout` in seconds.

    Raises MachineLacksError, with the command and the end of its output, when the tool is missing,
    fails or takes longer.
    """
    shown = " ".join(command)
    try:
        code, output = _run(command, timeout, environment, folder)
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
) -> tuple[int, str]:
    """Exit code and output. What ends the wait ends the tool with all that it started."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment) if environment is not None else None,
        cwd=folder,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, output
