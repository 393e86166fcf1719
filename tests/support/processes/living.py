"""Whether a process lives."""

from __future__ import annotations

from pathlib import Path


def is_living(number: int) -> bool:
    """Whether the process of that number runs: one that ended and is not yet reaped does not."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
