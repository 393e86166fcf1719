"""Change of results from one run to another. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

from msgspec import Struct

from bench.rounds import RoundResults
from bench.verdicts import Row, TargetVerdict, center

LEAST_LAUNCHES = 2


def results_of_run(measured: RoundResults, keys: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """The geometric mean over launches of every point; keys: contender and metric by point.

    Points without two launches, or with a value that is not above zero, are omitted.
    """
    found = {}
    for point, (contender, metric) in keys.items():
        values = measured.values(contender, metric)
        if len(values) >= LEAST_LAUNCHES and min(values.values()) > 0:
            found[point] = center(values)
    return found


class RunChanges(Struct, frozen=True):
    """Relative changes of the same points, ours and the peer's, as |ln(second / first)|."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def less(self) -> int:
        """Number of points at which ours changes less."""
        return sum(a < b for a, b in zip(self.ours, self.theirs, strict=True))


class TwoRuns(Struct, frozen=True):
    """Results of two runs by point."""

    first: Mapping[str, float]
    second: Mapping[str, float]

    def change(self, point: str) -> float:
        """|ln| of the ratio of both."""
        return abs(math.log(self.second[point] / self.first[point]))

    @property
    def points(self) -> set[str]:
        """The points that both have."""
        return set(self.first) & set(self.second)


def run_changes(ours: TwoRuns, theirs: TwoRuns) -> RunChanges:
    """Over the points that both tools have in both runs."""
    points = sorted(ours.points & theirs.points)
    return RunChanges(
        tuple(ours.change(point) for point in points),
        tuple(theirs.change(point) for point in points),
    )


def change_row(what: str, changes: RunChanges) -> Row:
    """Medians over points; the ratio is the peer's change over ours.

    Raises ValueError where there is no point.
    """
    if not changes.ours:
        raise ValueError("there is no point to compare")
    ours, theirs = statistics.median(changes.ours), statistics.median(changes.theirs)
    times = theirs / ours if ours > 0 else math.inf
    count = len(changes.ours)
    return Row(
        what=what,
        ours=f"{100 * math.expm1(ours):.1f} %",
        peer=f"{100 * math.expm1(theirs):.1f} %",
        ratio=times,
        low=times,
        high=times,
        launches=count,
        statistic="median change",
        target=f"less at {changes.less} of {count}",
        verdict=TargetVerdict.SHOWN,
    )
