"""What a run tells of itself while it runs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class RunProgress(Struct, frozen=True):
    """Now running `what`; times in seconds. precision: the worst one a primary figure has so far.

    points_reached counts primary figures that have the asked precision. over: by how many seconds
    the end will lie beyond the budget, which the first rounds may take.
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
    over: float = 0.0


class Rest(Struct, frozen=True):
    """What takes its time whatever the budget, seconds: at_least: of the launches that are told of;
    after: what follows them.
    """

    at_least: float = 0.0
    after: float = 0.0


NO_REST = Rest()

ProgressListener = Callable[[RunProgress], None]


def ignore_progress(progress: RunProgress) -> None:
    """Listen to nothing."""
    del progress
