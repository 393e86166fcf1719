"""How far a build is, from the words of the build tool."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from msgspec import Struct

# `cmake` and `ninja` write it before each step that is done, as NINJA_STATUS asks.
NINJA_STATUS = "[%f/%t] "
_STEP = re.compile(r"\[(\d{1,6})/(\d{1,6})\] ")
# Fewer steps, or a smaller share of all, tell no pace.
_FEWEST_STEPS, _SMALLEST_SHARE = 3, 0.1


class BuildStep(Struct, frozen=True):
    """How far a build is."""

    done: int
    """Steps that are done."""
    steps: int
    """Steps in all (0: not known yet)."""
    elapsed: float
    """Seconds since the build began, configuring included."""
    left: float
    """Seconds left at the pace of the steps since the first; below 0 where too few are done."""

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return 0 < self.steps <= self.done


BuildListener = Callable[[BuildStep], None]


def ignore_build(step: BuildStep) -> None:
    """Listen to nothing."""
    del step


class BuildWatch:
    """Reads the words of one build, and tells a listener of each step; the first at once.

    clock: the time now in seconds.
    """

    def __init__(
        self, listener: BuildListener, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._listener = listener
        self._clock = clock
        self._began = clock()
        # Configuring comes before the first step and is no measure of the others.
        self._first: tuple[float, int] | None = None
        listener(BuildStep(0, 0, 0.0, -1.0))

    def __call__(self, line: str) -> None:
        """Take one line that the build tool printed."""
        found = _STEP.match(line)
        if not found:
            return
        done, steps = int(found[1]), int(found[2])
        now = self._clock()
        self._first = self._first or (now, done)
        since, before = self._first
        left = _left(now - since, done - before, done, steps)
        self._listener(BuildStep(done, steps, now - self._began, left))


def _left(seconds: float, timed: int, done: int, steps: int) -> float:
    """Seconds for the steps that are not done, when `timed` of those done took `seconds`."""
    if done >= steps:
        return 0.0
    if timed < max(_FEWEST_STEPS, _SMALLEST_SHARE * steps):
        return -1.0
    return seconds / timed * (steps - done)
