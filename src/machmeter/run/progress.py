"""What a run tells of itself while it runs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class Progress(Struct, frozen=True):
    """Now running `what`; times in seconds. precision: the worst one a primary figure has so far.

    points_reached counts primary figures that have the asked precision.
    """

    phase: str
    what: str
    launches_done: int
    launches_expected: int
    points_reached: int
    points: int
    worst_precision: float
    elapsed: float
    left: float


ProgressListener = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """Listen to nothing."""
    del progress
