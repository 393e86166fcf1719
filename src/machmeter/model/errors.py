"""Errors a person sees: what happened, what to do, and the exit code that says so to a script."""

from __future__ import annotations

import errno
from enum import IntEnum
from pathlib import Path


class ExitCode(IntEnum):
    """The exit codes of every command; they do not change."""

    DONE = 0
    SOMETHING_FAILED = 1
    WRONG_USAGE = 2
    MACHINE_LACKS = 3


class MachmeterError(Exception):
    """What happened, where; `remedy` says what to do about it."""

    exit_code = ExitCode.SOMETHING_FAILED

    def __init__(self, message: str, remedy: str = "", details: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.details = details


class UsageError(MachmeterError):
    """The command requests something that has no meaning."""

    exit_code = ExitCode.WRONG_USAGE


class RunInterruptedError(MachmeterError):
    """A run was interrupted, and can be continued."""


class MachineLacksError(MachmeterError):
    """The machine lacks something: a compiler, an MPI, disk space, a free core."""

    exit_code = ExitCode.MACHINE_LACKS


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where nothing more can be written."""


def full_output_error() -> MachineLacksError:
    """The error of a standard output that takes no more."""
    return MachineLacksError(
        "the output is full: it cannot be written", "send it elsewhere, or free some space"
    )


def storage_error(error: OSError, path: Path) -> MachineLacksError:
    """The error that tells a person what a failed write means and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return MachineLacksError(
            f"the disk is full: cannot write {path}",
            "free some space; a run that was cut short goes on with `machmeter run --resume RUN`, "
            "and what was measured before is intact",
        )
    if error.errno == errno.EFBIG:
        return MachineLacksError(
            f"a limit on the size of files keeps {path} from being written",
            "raise it (`ulimit -f unlimited`); a run that was cut short goes on with `machmeter "
            "run --resume RUN`, and what was measured before is intact",
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return MachineLacksError(
            f"cannot write {path}: {error.strerror}",
            "set MACHMETER_CACHE and MACHMETER_DATA to folders you may write to, or use --output",
        )
    return MachineLacksError(
        f"cannot write {path}: {error.strerror}", "check the folder's name and its file system"
    )
