"""What a run reports while it runs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class RunProgress(Struct, frozen=True):
    """How far a run is."""

    phase: str
    """`sizing`, `reference` or `measuring`."""
    what: str
    """What runs now."""
    launches_done: int
    """Launches that count so far."""
    median_precision: float
    """The median relative half width of the primary results so far; infinite before the first."""
    elapsed: float
    """Wall time of the run so far, seconds."""
    left: float
    """Wall time that it still needs or has, seconds."""
    over: float = 0.0
    """Seconds by which the first rounds take the run beyond its budget."""
    at_most: bool = False
    """Whether it may well be less: how results vary, and so how many launches they need, is not yet
    known."""


class Remaining(Struct, frozen=True):
    """What takes its time whatever the budget, seconds."""

    at_least: float = 0.0
    """Of the launches that are reported."""
    after: float = 0.0
    """Of what follows them."""
    at_most: bool = False
    """Whether that may be less."""


NOTHING_REMAINING = Remaining()

ProgressListener = Callable[[RunProgress], None]


def ignore_progress(progress: RunProgress) -> None:
    """Listen to nothing."""
    del progress
