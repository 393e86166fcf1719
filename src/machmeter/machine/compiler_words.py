"""A compiler as people name it in $CXX: what stands before it, itself, and flags."""

from __future__ import annotations

import shlex
import shutil
from pathlib import PurePath

# They start a compiler: machmeter keeps objects by itself, and what is compiled elsewhere is not
# for this processor.
_BEFORE = ("ccache", "sccache", "distcc", "icecc", "buildcache")


def compiler_words(named: str, path: str | None = None) -> list[str]:
    """The compiler and its flags, without what caches or distributes compiling before it.

    A path with blanks is one word where a program is there. path: where it is looked for (None:
    as of this process).
    """
    if shutil.which(named, path=path):
        return [named]
    try:
        words = shlex.split(named)
    except ValueError:
        return [named]
    while len(words) > 1 and PurePath(words[0]).name in _BEFORE:
        words = words[1:]
    return words or [named]
