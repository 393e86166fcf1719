"""One figure to show first, and how benchmarks choose theirs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.text.labels import point_label


class Headline(Struct, frozen=True):
    """What it is, under which circumstances, and its estimate."""

    title: str
    label: str
    estimate: Estimate


Chooser = Callable[[RunResult, tuple[Estimate, ...]], list[Headline]]


def figure(title: str, estimate: Estimate | None, without: tuple[str, ...] = ()) -> list[Headline]:
    """The estimate as a figure, parameters of `without` not named; none where there is none."""
    return [Headline(title, point_label(estimate, without), estimate)] if estimate else []
