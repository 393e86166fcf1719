"""One point of ours versus one of a peer, over rounds: ratio, verdict, stability. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from bench.network.quantity import NO_SIZE, PeerColumn, Quantity
from bench.rounds import LEAST_ROUNDS
from bench.verdicts import Row, TargetVerdict, center
from machmeter.analysis.stats.comparison import compare_paired
from machmeter.analysis.stats.student import mean_and_half_width
from machmeter.model.results.comparison import Comparison
from machmeter.model.units import SECONDS, SHARE, format_bytes, format_value

MARGIN = 0.03
STABLE_SPREAD = 0.05


class PointPair(Struct, frozen=True):
    """Ours and the peer's at one size, by round; step: one in the peer's last printed digit."""

    quantity: Quantity
    theirs: PeerColumn
    size: int
    our_values: Mapping[int, float]
    peer_values: Mapping[int, float]
    step: float

    @property
    def what(self) -> str:
        """Quantity and size as text."""
        size = "" if self.size == NO_SIZE else f", {format_bytes(self.size)}"
        return f"{self.quantity.name}{size}"

    @property
    def rounds(self) -> tuple[int, ...]:
        """The rounds with values of both."""
        return tuple(sorted(self.our_values.keys() & self.peer_values.keys()))

    @property
    def values(self) -> tuple[list[float], list[float]]:
        """Values of ours and of the peer in the rounds that both have."""
        return (
            [self.our_values[number] for number in self.rounds],
            [self.peer_values[number] for number in self.rounds],
        )

    @property
    def is_share(self) -> bool:
        """Whether a difference is shown, because a share may be zero."""
        return self.quantity.unit == SHARE

    @property
    def comparable(self) -> bool:
        """Whether there are two rounds with values whose ratio exists."""
        ours, theirs = self.values
        return len(ours) >= 2 and (self.is_share or min(*ours, *theirs) > 0)


class Stability(Struct, frozen=True):
    """Standard deviations of the logs over rounds, and the peer's last digit as a share."""

    ours: float
    theirs: float
    digit: float

    @property
    def coarse(self) -> bool:
        """Whether the peer prints too few digits for the margin."""
        return self.digit > MARGIN

    @property
    def stable(self) -> bool:
        """Whether both spread below 5 % from round to round."""
        return max(self.ours, self.theirs) < STABLE_SPREAD and not self.coarse


def stability(pair: PointPair) -> Stability:
    """The stability of a pair whose values are above zero."""
    ours, theirs = pair.values
    return Stability(_spread(ours), _spread(theirs), pair.step / statistics.geometric_mean(theirs))


def compared(pair: PointPair) -> Comparison:
    """Paired by round: Student's t on the logs of the ratios, the same within 3 %."""
    ours, theirs = pair.values
    return compare_paired(ours, theirs, pair.quantity.unit != SECONDS, MARGIN)


def point_row(pair: PointPair) -> Row:
    """The line of the table. `*` marks a peer's definition that differs."""
    star = "*" if pair.theirs.differs else ""
    what = f"{pair.what} : {pair.theirs.tool}{star}"
    if pair.is_share:
        return _difference_row(what, pair)
    found = compared(pair)
    stable = stability(pair)
    kind = "stable" if stable.stable else "coarse" if stable.coarse else "unstable"
    unit = pair.quantity.unit
    ours, theirs = (format_value(center(dict(enumerate(of))), unit) for of in pair.values)
    return Row(
        what=what,
        ours=ours,
        peer=theirs,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        launches=len(pair.rounds),
        statistic="",
        target=f"{found.verdict.value}, {kind}",
        verdict=TargetVerdict.SHOWN,
    )


def _difference_row(what: str, pair: PointPair) -> Row:
    ours, theirs = pair.values
    mean, half = mean_and_half_width([a - b for a, b in zip(ours, theirs, strict=True)])
    unit = pair.quantity.unit
    return Row(
        what=what,
        ours=format_value(statistics.fmean(ours), unit),
        peer=format_value(statistics.fmean(theirs), unit),
        ratio=mean,
        low=mean - half,
        high=mean + half,
        launches=len(pair.rounds),
        statistic="difference",
        target="",
        verdict=TargetVerdict.SHOWN,
    )


def agreement_lines(pairs: Iterable[PointPair]) -> list[str]:
    """How many points are stable, and how many of their ratios are within 3 %."""
    ratios = [pair for pair in pairs if not pair.is_share]
    same = [pair for pair in ratios if not pair.theirs.differs]
    threes = [group for group in _by_point(same) if len({p.theirs.tool for p in group}) == 2]
    stable_threes = [group for group in threes if all(stability(p).stable for p in group)]
    other = [pair for pair in ratios if pair.theirs.differs]
    coarse = sum(stability(pair).coarse for pair in ratios)
    return [
        f"stable: the standard deviation of the logs over rounds is below "
        f"{100 * STABLE_SPREAD:g} % in every tool; coarse: one in the last printed digit is over "
        f"{100 * MARGIN:g} % ({coarse} of {len(ratios)} ratios)",
        f"all three, same definition: {len(stable_threes)} of {len(threes)} points stable; "
        + _within([pair for group in stable_threes for pair in group]),
        f"ours and one peer, same definition: {_stable(same)}",
        f"different definition (*): {_stable(other)}",
    ]


def _stable(pairs: Sequence[PointPair]) -> str:
    stable = [pair for pair in pairs if stability(pair).stable]
    return f"{len(stable)} of {len(pairs)} ratios stable; {_within(stable)}"


def _within(pairs: Sequence[PointPair]) -> str:
    if not pairs:
        return "none to compare"
    near = sum(abs(math.log(compared(pair).ratio)) <= math.log1p(MARGIN) for pair in pairs)
    whole = sum(compared(pair).verdict.value == "same" for pair in pairs)
    return (
        f"of these {len(pairs)} ratios {near} are within {100 * MARGIN:g} % "
        f"({100 * near / len(pairs):.0f} %), {whole} with their whole interval"
    )


def _by_point(pairs: Iterable[PointPair]) -> list[list[PointPair]]:
    named = sorted(pairs, key=lambda pair: (pair.quantity.name, pair.size))
    return [list(group) for _, group in groupby(named, lambda p: (p.quantity.name, p.size))]


def _spread(values: Sequence[float]) -> float:
    if len(values) < LEAST_ROUNDS:
        return math.inf
    return statistics.stdev(math.log(value) for value in values)
