"""Lists of host names as Slurm writes them: `n[1-40],n77`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Up to a comma outside brackets.
_PART = re.compile(r"(?:[^,\[]|\[[^\]]*\]?)+")
_RANGES = re.compile(r"\[([\d,-]*)\]")
# More brackets are in no name.
_MOST_RANGES = 8
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def names_in(text: str) -> Iterator[str]:
    """The names that a list stands for, in its order: `n[1-2],n7` are three."""
    return (name for part in _PART.findall(text) for name in expanded(part.strip()))


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
