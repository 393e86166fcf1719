"""Wait before a launch until others leave its CPUs alone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

from machmeter.model.plan.launch import QuietWait
from machmeter.run.measuring.contention import MOST_OF_OTHERS

BUDGET_SHARE = 0.3
"""Most of a run's budget that is spent on waiting."""
LOOK_SECONDS = 0.2
# Load that comes and goes is waited for; where it stays, waits get shorter and shorter.
_PATIENCE_SECONDS = 10.0
_GLANCES, _GLANCE_SECONDS = 4, 0.001
_BUSY_FIELDS = (1, 2, 3, 6, 7)  # user, nice, system, irq, softirq (proc(5))


class QuietWatch:
    """Looks at CPUs of this machine while machmeter itself starts nothing.

    allowed_seconds: how long all waits together may last.
    """

    def __init__(self, allowed_seconds: float, stat: Path = Path("/proc/stat")) -> None:
        self._left = allowed_seconds
        self._stat = stat
        self._patience = _PATIENCE_SECONDS

    def spend(self, seconds: float) -> None:
        """Take what a wait lasted from what is left."""
        self._left -= seconds

    def wait(self, cpus: Collection[int], on_busy: Callable[[float], None]) -> QuietWait | None:
        """Wait until others take at most a tenth of the time of `cpus`, as long as may be.

        Where nothing else is runnable nobody waits, and where it is, each look takes 0.2 s;
        on_busy: takes the share after a look at busy CPUs. None where no time is left to look, or
        the kernel does not say.
        """
        if self._left <= 0:
            return None
        try:
            return self._wait(cpus, on_busy)
        except (OSError, ValueError, IndexError):
            return None

    def _wait(self, cpus: Collection[int], on_busy: Callable[[float], None]) -> QuietWait:
        allowed = min(self._left, self._patience)
        waited = share = 0.0
        while waited < allowed and (waited or self._others_run()):
            began, before = time.monotonic(), self._busy_seconds(cpus)
            time.sleep(LOOK_SECONDS)
            passed = time.monotonic() - began
            waited += passed
            share = (self._busy_seconds(cpus) - before) / (passed * len(cpus))
            if share <= MOST_OF_OTHERS:
                break
            on_busy(share)
        quiet = share <= MOST_OF_OTHERS
        self._patience = _PATIENCE_SECONDS if quiet else max(self._patience / 2, LOOK_SECONDS)
        return QuietWait(waited, share, MOST_OF_OTHERS, BUDGET_SHARE)

    def _others_run(self) -> bool:
        """Whether anything but this thread was runnable in one of a few glances."""
        for _ in range(_GLANCES):
            running = [int(line[1]) for line in self._lines() if line[0] == "procs_running"]
            if running[0] > 1:
                return True
            time.sleep(_GLANCE_SECONDS)
        return False

    def _busy_seconds(self, cpus: Collection[int]) -> float:
        names = {f"cpu{cpu}" for cpu in cpus}
        found = [line for line in self._lines() if line[0] in names]
        if len(found) != len(names):
            raise ValueError
        ticks = sum(int(line[field]) for line in found for field in _BUSY_FIELDS)
        return ticks / os.sysconf("SC_CLK_TCK")

    def _lines(self) -> list[list[str]]:
        return [words for words in map(str.split, self._stat.read_text().splitlines()) if words]
