"""How far a build is, from the words of the build tool."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from msgspec import Struct

# `cmake` and `ninja` write it before each step that is done, as NINJA_STATUS asks.
NINJA_STATUS = "[%f/%t] "
_STEP = re.compile(r"\[(\d{1,6})/(\d{1,6})\] ")


class BuildStep(Struct, frozen=True):
    """Steps of a build that are done, and how many it takes (0: not known yet); times in seconds.

    left: at the pace of the steps so far; below 0 where none is done yet.
    """

    done: int
    steps: int
    elapsed: float
    left: float

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return 0 < self.steps <= self.done


BuildListener = Callable[[BuildStep], None]


def ignore_build(step: BuildStep) -> None:
    """Listen to nothing."""
    del step


class BuildWatch:
    """Reads the words of one build, and tells a listener of each step; the first at once."""

    def __init__(self, listener: BuildListener) -> None:
        self._listener = listener
        self._began = time.monotonic()
        listener(BuildStep(0, 0, 0.0, -1.0))

    def __call__(self, line: str) -> None:
        """Take one line that the build tool printed."""
        found = _STEP.match(line)
        if not found:
            return
        done, steps = int(found[1]), int(found[2])
        elapsed = time.monotonic() - self._began
        left = elapsed / done * max(steps - done, 0) if done else -1.0
        self._listener(BuildStep(done, steps, elapsed, left))
