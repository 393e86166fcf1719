"""CPU lists as text, a few CPUs of each."""

from __future__ import annotations

from collections.abc import Sequence

LISTED = 4


def cpu_words(cpus: Sequence[int]) -> str:
    """The lowest CPUs of a list, and how many more there are; `none` for an empty one."""
    shown = ",".join(str(cpu) for cpu in sorted(cpus)[:LISTED])
    more = len(cpus) - LISTED
    return (shown or "none") + (f" and {more} more" if more > 0 else "")
