"""Run a tool that prepares a measurement, and say clearly what went wrong with it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
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
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            env=dict(environment) if environment is not None else None,
            cwd=folder,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise MachineLacksError(
            f"{doing}: cannot start {shown}: {error.strerror}", remedy
        ) from error
    except subprocess.TimeoutExpired as error:
        raise MachineLacksError(
            f"{doing}: no end after {timeout:.0f} s: {shown}", remedy
        ) from error
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-_TAIL:])
        raise MachineLacksError(
            f"{doing} failed (exit code {done.returncode}): {shown}", remedy, details=tail
        )
    return done.stdout
