"""Run a command, and end it with all that it started: once it has ended, and where whoever started
this process was killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from machmeter.launch.left_processes import descendants_of_launch

_SET_PDEATHSIG = 1
_CANNOT_START = 127


def guard_words() -> tuple[str, ...]:
    """What stands before the command; neither files of its folder are loaded, nor what its
    variables name for Python, which are for the command."""
    paths = [one for one in sys.path if one]
    code = f"import sys; sys.path[:] = {paths!r}; from machmeter.launch import guard; guard.main()"
    return (sys.executable, "-E", "-P", "-c", code, str(os.getpid()))


def guarded(parent: int, words: Sequence[str]) -> int:
    """The exit code of the command; 128 and its number for a signal. parent: the process that
    started this one."""
    ctypes.CDLL(None).prctl(_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        return 128 + signal.SIGTERM
    started: list[subprocess.Popen[bytes]] = []
    with descendants_of_launch() as descendants:

        def end(number: int, _frame: object) -> None:
            for one in started:
                # Where the kernel lists no children, at least its group.
                with suppress(OSError):
                    os.killpg(one.pid, signal.SIGKILL)
            descendants.end()
            os._exit(128 + number)

        signal.signal(signal.SIGTERM, end)
        try:
            # What is in the session of this process would not be ended.
            started.append(subprocess.Popen(words, start_new_session=True))
            code = started[0].wait()
        except OSError as error:
            sys.stderr.write(f"cannot start {words[0]}: {error.strerror}\n")
            return _CANNOT_START
        descendants.end()
        return code if code >= 0 else 128 - code


def main() -> None:
    """Guard what the arguments of this process are: its parent, the command and its arguments."""
    sys.exit(guarded(int(sys.argv[1]), sys.argv[2:]))
