"""The C++ compiler of the machine that is measured."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping

from msgspec import Struct

from machmeter.build.process import run_tool
from machmeter.machine.compiler_words import compiler_words
from machmeter.model.errors import MachineLacksError, UsageError

_CANDIDATES = ("g++", "clang++", "c++", "icpx")
_REMEDY = (
    "install one (Debian: `apt install g++`; RHEL: `dnf install gcc-c++`; a cluster: "
    "`module load gcc`), or name it with --compiler"
)

# Ninja hands commands to a shell, and CMake splits lists at semicolons: none of their characters.
_FLAG = re.compile(r"-[A-Za-z0-9][A-Za-z0-9_+=,./:-]{0,200}|--[A-Za-z0-9_+=,./:-]{1,200}")
_MOST_FLAGS = 100
# What the build decides: where its output goes, which step it is, what it reads, which language;
# and what makes a compiler tell of itself in place of compiling.
_OF_THE_BUILD = re.compile(
    r"-(o.*|c|S|E|x.*|MD?|MMD|MF.*|MT.*|MQ.*|MM?|fsyntax-only|std=.*|ansi|shared|dump.*|print-.*)"
    r"|--(output|language|std|ansi|compile|assemble|preprocess|shared|version|help|target-help"
    r"|(write-|user-|write-user-)?dependencies|print-.*|dump.*)(=.*)?"
)


class Compiler(Struct, frozen=True):
    """A C++ compiler."""

    path: str
    """Where it is."""
    version: str
    """Its own name and version."""
    flags: tuple[str, ...] = ()
    """Flags that follow its name."""

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """The variables by which CMake compiles with it."""
        if not self.flags:
            return dict(given)
        return {**given, "CXXFLAGS": " ".join((*self.flags, given.get("CXXFLAGS", ""))).strip()}


def parse_flags(text: str) -> tuple[str, ...]:
    """Flags of the compiler, one word each: `-O2 -fno-tree-vectorize`.

    Raises UsageError for a word that is no flag, or one that the build itself decides.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--flags {text!r}: {error}", 'write --flags="-O2 -g"') from error
    if len(words) > _MOST_FLAGS:
        raise UsageError(f"--flags: {len(words)} are more than {_MOST_FLAGS}", "name fewer")
    for word in words:
        if not _FLAG.fullmatch(word):
            raise UsageError(
                f"--flags: {word!r} is no flag of a compiler",
                "each begins with - and holds letters, digits and _+=,./:- alone; a value is "
                "joined to its flag: --param=NAME=VALUE",
            )
        if _OF_THE_BUILD.fullmatch(word):
            raise UsageError(
                f"--flags: {word} is for the build to decide", "name flags that change the code"
            )
    return words


def find_compiler(requested: str, environment: Mapping[str, str]) -> Compiler:
    """The compiler requested, else $CXX, else the first of the usual names.

    It may have several words, as make and CMake read $CXX: what caches or distributes compiling
    before it, which is left out since objects are kept anyway, and flags after it. Raises
    MachineLacksError when there is none, UsageError for words that are no flags.
    """
    named = requested or environment.get("CXX", "").strip()
    for words in [_words_of(named, environment)] if named else [[one] for one in _CANDIDATES]:
        path = shutil.which(words[0], path=environment.get("PATH"))
        if path:
            text = run_tool(
                [path, "--version"],
                doing=f"asking {words[0]} for its version",
                remedy=_REMEDY,
                timeout=60,
                environment=environment,
                answers=True,
            )
            version = text.splitlines()[0].strip() if text.strip() else "unknown"
            return Compiler(path, version, tuple(words[1:]))
    if named:
        raise MachineLacksError(f"there is no C++ compiler {named!r}", _REMEDY)
    raise MachineLacksError("this machine has no C++ compiler", _REMEDY)


def _words_of(named: str, environment: Mapping[str, str]) -> list[str]:
    words = compiler_words(named, environment.get("PATH"))
    for word in words[1:]:
        if not _FLAG.fullmatch(word):
            raise UsageError(
                f"the compiler {named!r}: {word!r} is no flag",
                "name the compiler, with flags of one word each, and set CXXFLAGS for others",
            )
    return words
