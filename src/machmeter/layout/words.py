"""A few of many CPUs or names, as text."""

from __future__ import annotations

from collections.abc import Sequence

LISTED = 4


def cpu_words(cpus: Sequence[int]) -> str:
    """The lowest CPUs of a list, and how many more there are; `none` for an empty one."""
    shown = ",".join(str(cpu) for cpu in sorted(cpus)[:LISTED])
    more = len(cpus) - LISTED
    return (shown or "none") + (f" and {more} more" if more > 0 else "")


def first_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are: `n1, n2, n3, n4 and 2 more`."""
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + f" and {more} more" * (more > 0)
