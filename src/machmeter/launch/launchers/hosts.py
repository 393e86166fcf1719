"""Hosts that ranks run on, by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from machmeter.model.plan.study import SSH

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_RANGES = re.compile(r"\[([\d,-]*)\]")
# More brackets are in no name.
_MOST_RANGES = 8
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class Hosts(Struct, frozen=True):
    """Hosts by name, and how processes get to them."""

    names: tuple[str, ...] = ()
    """This machine's first; none: this machine alone."""
    remote_shell: str = ""
    """The program that starts a process on another host in the place of ssh, called `PROGRAM HOST
    COMMAND...` with words for a shell, as ssh is."""
    launcher: str = SSH
    """The name of what starts processes there, among `launchers.registry.LAUNCHERS`."""


THIS_HOST = Hosts()


def is_host_name(text: str) -> bool:
    """Whether that can be the name of a host (RFC 1123, section 2.1, and what clusters add)."""
    return _NAME.fullmatch(text) is not None


def expanded(name: str) -> Iterator[str]:
    """The names that `n[001-099,120]` stands for, as Slurm writes them: with zeros as the first of
    a range has them; what has no brackets, or no ranges in them, is one name."""
    ranges = _RANGES.search(name)
    if not ranges or name.count("[") > _MOST_RANGES:
        if name:
            yield name
        return
    bounds = []
    for one in ranges[1].split(","):
        found = _RANGE.fullmatch(one)
        if not found or int(found[2] or found[1]) < int(found[1]):
            yield name
            return
        bounds.append((found[1], found[2] or found[1]))
    before, after = name[: ranges.start()], name[ranges.end() :]
    for first, last in bounds:
        for number in range(int(first), int(last) + 1):
            own = f"{before}{number:0{len(first)}d}"
            yield from (own + rest for rest in expanded(after)) if after else (own,)
