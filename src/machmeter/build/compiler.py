"""The C++ compiler of the machine that is measured."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from msgspec import Struct

from machmeter.build.process import run_tool
from machmeter.model.errors import MachineLacksError

_CANDIDATES = ("g++", "clang++", "c++", "icpx")
_REMEDY = (
    "install one (Debian: `apt install g++`; RHEL: `dnf install gcc-c++`; a cluster: "
    "`module load gcc`), or name it with --compiler"
)


class Compiler(Struct, frozen=True):
    """A C++ compiler: its path and what it says of its version."""

    path: str
    version: str


def find_compiler(asked: str, environment: Mapping[str, str]) -> Compiler:
    """The compiler asked for, else $CXX, else the first of the usual names.

    Raises MachineLacksError when there is none.
    """
    named = asked or environment.get("CXX", "")
    for name in (named,) if named else _CANDIDATES:
        path = shutil.which(name, path=environment.get("PATH"))
        if path:
            text = run_tool(
                [path, "--version"],
                doing=f"asking {name} for its version",
                remedy=_REMEDY,
                timeout=60,
                environment=environment,
            )
            return Compiler(path, text.splitlines()[0].strip() if text else "unknown")
    if named:
        raise MachineLacksError(f"there is no C++ compiler {named!r}", _REMEDY)
    raise MachineLacksError("this machine has no C++ compiler", _REMEDY)
