"""How far a build is, from the words of the build tool."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

# `cmake` and `ninja` write it before each step that is done, as NINJA_STATUS asks.
NINJA_STATUS = "[%f/%t] "
_STEP = re.compile(r"\[(\d{1,6})/(\d{1,6})\] ")
# Fewer steps, or a smaller share of all, tell no pace.
_FEWEST_STEPS, _SMALLEST_SHARE = 3, 0.1
# Of every program one file is its `main`, one the hashes of its sources; the binding wrapper and
# what all share are one each (`native/CMakeLists.txt`).
_FILES_OF_PROGRAM, _SHARED_FILES = 2, 2
# With GCC 12 on two cores of an AMD EPYC (Zen 3) the 13 files of `quick` took 20 s, and 50 s while
# other programs used the cores (2026-11-29).
_CONFIGURING_SECONDS, _CPU_SECONDS_OF_FILE = 4.0, 4.0


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


def expected_seconds(kernels: int, programs: int, cpus: float) -> float:
    """About how long compiling takes where the cache holds nothing of it, seconds: half of it, or
    twice, on processors and with compilers that are faster or slower than where it was measured.

    kernels, programs: how many there are; cpus: that may be used.
    """
    files = kernels + _FILES_OF_PROGRAM * programs + _SHARED_FILES
    return _CONFIGURING_SECONDS + files * _CPU_SECONDS_OF_FILE / min(cpus, files)


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


class BuildsAtOnce:
    """Tells one listener of several builds, which other threads do at once, as of one.

    builds: how many there are, those for which nothing has to be done among them.
    """

    def __init__(self, listener: BuildListener, builds: int) -> None:
        self._listener = listener
        self._unfinished = builds
        self._steps: dict[int, BuildStep] = {}
        self._lock = threading.Lock()

    @contextmanager
    def build(self, number: int) -> Iterator[BuildListener]:
        """The listener of one build; its end is the end of the build."""

        def take(step: BuildStep) -> None:
            with self._lock:
                first = not self._steps
                self._steps[number] = step
                if first or self._together().steps:
                    self._listener(self._together())

        yield take
        with self._lock:
            self._unfinished -= 1
            if not self._unfinished and self._steps:
                self._listener(self._together())

    def _together(self) -> BuildStep:
        every = self._steps.values()
        steps, done = sum(one.steps for one in every), sum(one.done for one in every)
        # It is over when the last build is, and of one that has not begun no steps are known.
        most = max(steps - 1, 0) if self._unfinished else steps
        known = all(one.left >= 0 for one in every)
        left = max(one.left for one in every) if known else -1.0
        return BuildStep(min(done, most), steps, max(one.elapsed for one in every), left)


def _left(seconds: float, timed: int, done: int, steps: int) -> float:
    """Seconds for the steps that are not done, when `timed` of those done took `seconds`."""
    if done >= steps:
        return 0.0
    if timed < max(_FEWEST_STEPS, _SMALLEST_SHARE * steps):
        return -1.0
    return seconds / timed * (steps - done)
