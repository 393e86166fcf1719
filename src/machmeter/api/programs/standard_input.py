"""Standard input of the command: launches are not given it, so that one with data is refused."""

from __future__ import annotations

import fcntl
import os
import stat
import struct
import termios

from machmeter.model.errors import UsageError

_NO_BYTES = struct.pack("i", 0)


def refuse_standard_input(descriptor: int = 0) -> None:
    """Raise UsageError where a file or a pipe with data was redirected to standard input.

    Nothing of it is read. A terminal, a closed one, and what holds no data are none.
    """
    if _holds_data(descriptor):
        raise UsageError(
            "standard input is not given to launches, and something was redirected to it",
            "where it is not meant for the program, add `< /dev/null`; else name the file as an "
            "argument of the program, or write a script that redirects it for the program",
        )


def _holds_data(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor)
        if stat.S_ISREG(mode.st_mode):
            return mode.st_size > os.lseek(descriptor, 0, os.SEEK_CUR)
        if stat.S_ISFIFO(mode.st_mode) or stat.S_ISSOCK(mode.st_mode):
            return fcntl.ioctl(descriptor, termios.FIONREAD, _NO_BYTES) != _NO_BYTES
    except OSError:
        return False
    return False
