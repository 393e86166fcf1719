"""How far figures move from one run to another. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

from msgspec import Struct

from bench.rounds import Measured
from bench.verdicts import Holds, Row, center

LEAST_LAUNCHES = 2


def figures_of_run(measured: Measured, keys: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """The geometric mean over launches of every point; keys: contender and figure by point.

    Points without two launches, or with a value that is not above zero, are left out.
    """
    found = {}
    for point, (contender, figure) in keys.items():
        values = measured.values(contender, figure)
        if len(values) >= LEAST_LAUNCHES and min(values.values()) > 0:
            found[point] = center(values)
    return found


class Movement(Struct, frozen=True):
    """Relative changes of the same points, of ours and of theirs, as |ln(second / first)|."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def less(self) -> int:
        """Points at which ours moves less."""
        return sum(a < b for a, b in zip(self.ours, self.theirs, strict=True))


class TwoRuns(Struct, frozen=True):
    """Figures of two runs by point."""

    first: Mapping[str, float]
    second: Mapping[str, float]

    def change(self, point: str) -> float:
        """|ln| of the ratio of both."""
        return abs(math.log(self.second[point] / self.first[point]))

    @property
    def points(self) -> set[str]:
        """Those that both have."""
        return set(self.first) & set(self.second)


def movement(ours: TwoRuns, theirs: TwoRuns) -> Movement:
    """Over the points that both sides have in both runs."""
    points = sorted(ours.points & theirs.points)
    return Movement(
        tuple(ours.change(point) for point in points),
        tuple(theirs.change(point) for point in points),
    )


def movement_row(what: str, moved: Movement) -> Row:
    """Medians over points; the ratio says how many times as far theirs moves.

    Raises ValueError where there is no point.
    """
    if not moved.ours:
        raise ValueError("there is no point to compare")
    ours, theirs = statistics.median(moved.ours), statistics.median(moved.theirs)
    times = theirs / ours if ours > 0 else math.inf
    count = len(moved.ours)
    return Row(
        what=what,
        ours=f"{100 * math.expm1(ours):.1f} %",
        peer=f"{100 * math.expm1(theirs):.1f} %",
        ratio=times,
        low=times,
        high=times,
        launches=count,
        statistic="median change",
        target=f"less at {moved.less} of {count}",
        holds=Holds.SHOWN,
    )
