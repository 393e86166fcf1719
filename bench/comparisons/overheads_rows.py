"""Rows of the overheads of machmeter and syncbench: contained, below zero, resolved. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from msgspec import Struct

from bench.parsers import SyncOverhead
from bench.verdicts import Row, Target, at_least, at_most, contains, judge_target, share_row
from machmeter.analysis.stats.estimates import MetricInterval, interval_of
from machmeter.model.benchmark import Formula
from machmeter.model.units import SECONDS, UNBOUNDED, format_value

RESOLVED = 0.10
TIMES_AS_MANY = 3.0
CONTAINED = contains(1.0)


class ConstructLaunches(Struct, frozen=True):
    """One construct as both programs measured it: one entry per launch, seconds."""

    construct: str
    ours: tuple[float, ...]
    theirs: tuple[SyncOverhead, ...]

    def our_interval(self) -> MetricInterval:
        """The interval that machmeter prints."""
        return interval_of(self.ours, Formula.OVERHEAD)

    def interval_over_their_launches(self) -> MetricInterval:
        """The same statistic over the peer's launches."""
        return interval_of([launch.overhead for launch in self.theirs], Formula.OVERHEAD)

    def above_their_bar(self) -> tuple[float, ...]:
        """The peer's launches whose own +/- is smaller than the value."""
        return tuple(each.overhead for each in self.theirs if each.half_width < each.overhead)

    def comparable(self) -> bool:
        """Whether both have two launches, the peer's with a +/- smaller than the value."""
        return len(self.ours) >= 2 and len(self.above_their_bar()) >= 2

    def their_mean(self) -> float:
        """Mean of the peer's launches above their +/-, of all where fewer than two are."""
        all_of_them = [launch.overhead for launch in self.theirs]
        return statistics.fmean(self.above_their_bar() if self.comparable() else all_of_them)

    def resolved_by_their_bar(self) -> bool:
        """Whether more than half of the peer's launches print a +/- below 10 % of the value."""
        narrow = [launch.half_width < RESOLVED * launch.overhead for launch in self.theirs]
        return 2 * sum(narrow) > len(narrow)

    def their_bar(self) -> float:
        """The half width that the peer prints after +/-: median over its launches."""
        return statistics.median(launch.half_width for launch in self.theirs)

    def holds_their_mean(self) -> bool:
        """Whether the peer's mean is in our interval."""
        interval = self.our_interval()
        return interval.low <= self.their_mean() <= interval.high


def rows(pairs: Sequence[ConstructLaunches]) -> list[Row]:
    """A row per construct, then the counts. Constructs with fewer than two launches are skipped."""
    known = [pair for pair in pairs if len(pair.ours) >= 2 and len(pair.theirs) >= 2]
    if not known:
        return []
    return [*map(construct_row, known), *counted_rows(known)]


def construct_row(pair: ConstructLaunches) -> Row:
    """The peer's mean over our value and over both ends of our interval: 1 means contained."""
    interval, mean = pair.our_interval(), pair.their_mean()
    low, high = _over(mean, interval.high), _over(mean, interval.low)
    low, high = min(low, high), max(low, high)
    target = CONTAINED if pair.comparable() else Target()
    return Row(
        what=f"{pair.construct}\n: syncbench",
        ours=_printed(interval),
        peer=f"{format_value(mean, SECONDS)}\n±{format_value(pair.their_bar(), SECONDS)}",
        ratio=_over(mean, interval.value),
        low=low,
        high=high,
        launches=min(len(pair.ours), len(pair.theirs)),
        statistic="peer's mean over ours",
        target=target.text(),
        verdict=judge_target(target, low, high),
    )


def counted_rows(pairs: Sequence[ConstructLaunches]) -> list[Row]:
    """Counts of contained means, of values below zero and of resolved constructs."""
    comparable = [pair for pair in pairs if pair.comparable()]
    held = [pair.holds_their_mean() for pair in comparable]
    printed = [pair.our_interval() for pair in pairs]
    contained = [_count_row("peer's mean in our interval", held, (), at_least(1.0))] if held else []
    return [
        *contained,
        _count_row(
            "printed below zero",
            [interval.value < 0 or interval.below_zero for interval in printed],
            [launch.overhead < 0 for pair in pairs for launch in pair.theirs],
            at_most(0.0),
        ),
        _count_row(
            "launches below zero",
            [value < 0 for pair in pairs for value in pair.ours],
            [launch.overhead < 0 for pair in pairs for launch in pair.theirs],
            at_most(0.0),
        ),
        _resolved_row(
            "resolved to 10 %, by each one's own interval",
            [_resolved(interval) for interval in printed],
            [pair.resolved_by_their_bar() for pair in pairs],
            at_least(TIMES_AS_MANY),
        ),
        _resolved_row(
            "resolved to 10 %, both over launches",
            [_resolved(interval) for interval in printed],
            [_resolved(pair.interval_over_their_launches()) for pair in pairs],
            Target(),
        ),
    ]


def wall_note(seconds: Mapping[str, float]) -> str:
    """The wall time of the launches of either, which should be equal."""
    return "wall time of all launches: " + ", ".join(
        f"{name} {spent:.1f} s" for name, spent in seconds.items()
    )


def bar_note(pairs: Sequence[ConstructLaunches]) -> str:
    """How many of the peer's overheads are not larger than its own +/-."""
    launches = [launch for pair in pairs for launch in pair.theirs]
    within = sum(launch.overhead <= launch.half_width for launch in launches)
    return (
        f"{within} of EPCC's {len(launches)} overheads are not larger than its own +/- (from the "
        "repetitions of one launch)"
    )


def _resolved(interval: MetricInterval) -> bool:
    return interval.resolved and interval.precision < RESOLVED


def _over(mean: float, ours: float) -> float:
    return mean / ours if ours > 0 else UNBOUNDED


def _printed(interval: MetricInterval) -> str:
    if not interval.resolved:
        return f"<{format_value(interval.high, SECONDS)}"
    return f"{format_value(interval.value, SECONDS)}\n±{100 * interval.precision:.1f} %"


def _count_row(what: str, ours: Sequence[bool], theirs: Sequence[bool], target: Target) -> Row:
    text = (_of(ours), _of(theirs) if theirs else "")
    return share_row(what, sum(ours) / max(1, len(ours)), len(ours), target, text)


def _resolved_row(what: str, ours: Sequence[bool], theirs: Sequence[bool], target: Target) -> Row:
    """The ratio of two counts of the same constructs."""
    none_of_theirs = UNBOUNDED if any(ours) else 1.0
    ratio = sum(ours) / sum(theirs) if any(theirs) else none_of_theirs
    return Row(
        what=what,
        ours=_of(ours),
        peer=_of(theirs),
        ratio=ratio,
        low=ratio,
        high=ratio,
        launches=len(ours),
        statistic="counted",
        target=target.text(),
        verdict=judge_target(target, ratio, ratio),
    )


def _of(which: Sequence[bool]) -> str:
    return f"{sum(which)} of {len(which)}"
