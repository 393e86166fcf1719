"""A bandwidth over time as one launch recorded it, and thinned until a page can hold it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.history.change_points import ChangePoint, change_points
from machmeter.model.results.run import RunResult, ShownPoint

BENCHMARK = "memory.timeline"
MOST_BUCKETS = 400
_MOST_SLICES = 1_000_000
_CPU = "cpu."


class Bucket(Struct, frozen=True):
    """Slices next to each other: when the first began, seconds; rates, STREAM bytes per second."""

    at: float
    low: float
    median: float
    high: float
    slices: int
    migrations: int


class Timeline(Struct, frozen=True):
    """One series: of each slice its start, seconds, its rate, bytes per second, and migrations.

    cpus: every CPU on which a recorded thread was seen; domains: shares of the sampled pages by
    NUMA domain, at the end.
    """

    shown: ShownPoint
    at: tuple[float, ...]
    rates: tuple[float, ...]
    migrations: tuple[int, ...]
    cpus: tuple[int, ...]
    domains: dict[int, float]

    def changes(self) -> tuple[tuple[float, ChangePoint], ...]:
        """Where the level changes: seconds from the start, and the change."""
        return tuple((self.at[change.index], change) for change in change_points(self.rates))

    def buckets(self, most: int = MOST_BUCKETS) -> tuple[Bucket, ...]:
        """At most `most` buckets of equally many slices, the last of fewer."""
        each = math.ceil(len(self.rates) / most)
        starts = range(0, len(self.rates), each)
        return tuple(self._bucket(start, start + each) for start in starts)

    def _bucket(self, start: int, end: int) -> Bucket:
        rates = self.rates[start:end]
        moved = sum(self.migrations[start:end])
        return Bucket(
            self.at[start],
            min(rates),
            float(statistics.median(rates)),
            max(rates),
            len(rates),
            moved,
        )


def timelines(result: RunResult) -> tuple[Timeline, ...]:
    """The series of every shown point of `memory.timeline` that can be read as one."""
    return tuple(
        found
        for shown in result.shown
        if shown.point.benchmark == BENCHMARK and (found := _timeline(shown))
    )


def _timeline(shown: ShownPoint) -> Timeline | None:
    series, amount = shown.record.series, shown.record.quantities.get("stream_bytes", 0.0)
    seconds = series.get("seconds", ())
    usable = len(seconds) <= _MOST_SLICES and all(0 < s < math.inf for s in seconds)
    if not (seconds and usable and 0 < amount < math.inf):
        return None
    slices = len(seconds)
    at = _as_long(series.get("at", ()), slices)
    if not at:
        return None
    moved = _as_long(series.get("migrations", ()), slices) or (0.0,) * slices
    cpus = {
        int(cpu)
        for name, values in series.items()
        if name.startswith(_CPU)
        for cpu in set(values)
        if 0 <= cpu < math.inf
    }
    return Timeline(
        shown,
        at,
        tuple(amount / s for s in seconds),
        tuple(int(count) for count in moved),
        tuple(sorted(cpus)),
        _page_domains(series),
    )


def _as_long(values: Sequence[float], slices: int) -> tuple[float, ...]:
    """The values where there is a finite one for each slice, else none."""
    fits = len(values) == slices and all(math.isfinite(value) for value in values)
    return tuple(values) if fits else ()


def _page_domains(series: dict[str, tuple[float, ...]]) -> dict[int, float]:
    last = [
        int(values[-1])
        for name, values in series.items()
        if name.startswith("domain.") and values and math.isfinite(values[-1])
    ]
    return {domain: last.count(domain) / len(last) for domain in sorted(set(last)) if domain >= 0}
