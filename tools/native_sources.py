"""The native sources as a graph of includes, and those that a change affects."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[1] / "native"
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def sources() -> tuple[str, ...]:
    """All C++ files, relative to `native/`."""
    found = (path for path in NATIVE.rglob("*") if path.suffix in (".cpp", ".hpp"))
    return tuple(sorted(path.relative_to(NATIVE).as_posix() for path in found))


def changed_since(revision: str) -> tuple[str, ...]:
    """Files below `native/` that differ from a revision or that git does not track."""
    tracked = ("git", "diff", "--name-only", "--relative", "--diff-filter=d", revision)
    untracked = ("git", "ls-files", "--others", "--exclude-standard")
    return tuple(sorted({*_lines(tracked), *_lines(untracked)}))


def affected_by(changed: Iterable[str]) -> frozenset[str]:
    """These files and all that include them, directly or not.

    A file that is no source (CMakeLists.txt) affects all sources.
    """
    all_sources = sources()
    affected = set(changed)
    if any(not name.endswith((".cpp", ".hpp", ".md")) for name in affected):
        return frozenset(all_sources)
    included = {name: set(_INCLUDE.findall((NATIVE / name).read_text())) for name in all_sources}
    while True:
        more = {name for name in all_sources if included[name] & affected} - affected
        if not more:
            return frozenset(affected.intersection(all_sources))
        affected |= more


def _lines(command: Iterable[str]) -> list[str]:
    done = subprocess.run(
        [*command, "--", "."], check=True, capture_output=True, text=True, cwd=NATIVE
    )
    return done.stdout.splitlines()
