"""Ratios of two contenders, held against a target. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.stats.comparison import compare_paired

WIDEST_HALF = 0.10


class Kind(StrEnum):
    """How a target is held against an interval."""

    AT_LEAST = "at least"
    WITHIN = "within"
    TOUCHES = "touches"
    AT_MOST = "at most"
    NONE = "no target"


class Holds(StrEnum):
    """Whether a target holds."""

    PASS = "pass"  # noqa: S105 - a verdict
    MISSED = "missed"
    NOT_RESOLVED = "not resolved"
    SHOWN = "shown"


class Target(Struct, frozen=True):
    """Bounds of a ratio, or of a share where the kind is AT_MOST."""

    kind: Kind = Kind.NONE
    low: float = 0.0
    high: float = math.inf

    def text(self) -> str:
        """The target in a few characters."""
        match self.kind:
            case Kind.AT_LEAST:
                return f">= {self.low:g}"
            case Kind.WITHIN:
                return f"{self.low:.2f}..{self.high:.2f}"
            case Kind.TOUCHES:
                return f"meets {self.low:.2f}..{self.high:.2f}"
            case Kind.AT_MOST:
                return f"<= {100 * self.high:g} %"
            case _:
                return ""


def at_least(low: float) -> Target:
    """The whole interval must lie at or above `low`."""
    return Target(Kind.AT_LEAST, low=low)


def within(share: float) -> Target:
    """The whole interval must lie within 1 - share and 1 + share."""
    return Target(Kind.WITHIN, 1 - share, 1 + share)


def touches(low: float, high: float) -> Target:
    """The interval must have a part in common with low..high, and not be over 20 % wide."""
    return Target(Kind.TOUCHES, low, high)


def at_most(share: float) -> Target:
    """A share that is counted, not estimated, must not be above `share`."""
    return Target(Kind.AT_MOST, high=share)


class Row(Struct, frozen=True):
    """One line of the table: a ratio above 1 means that machmeter's figure is the better one.

    ours, peer: both figures in words; ratio, low, high: with 95 % interval, or a share alone
    where low is high, or a difference of shares where `statistic` says so; launches: pairs of
    launches, or comparisons counted; target: what is asked, or what is found where no target is.
    """

    what: str
    ours: str
    peer: str
    ratio: float
    low: float
    high: float
    launches: int
    statistic: str
    target: str
    holds: Holds


def ratio_row(
    what: str,
    ours: Mapping[int, float],
    peer: Mapping[int, float],
    *,
    higher_is_better: bool,
    statistic: str,
    target: Target,
    text: tuple[str, str],
) -> Row:
    """The row of two contenders, paired by round: Student's t on the logs of the ratios.

    text: both figures in words. Raises ValueError when fewer than two rounds have both.
    """
    both = sorted(ours.keys() & peer.keys())
    compared = compare_paired(
        [ours[number] for number in both],
        [peer[number] for number in both],
        higher_is_better=higher_is_better,
    )
    return Row(
        what=what,
        ours=text[0],
        peer=text[1],
        ratio=compared.ratio,
        low=compared.low,
        high=compared.high,
        launches=len(both),
        statistic=statistic,
        target=target.text(),
        holds=hold(target, compared.low, compared.high),
    )


def share_row(what: str, share: float, counted: int, target: Target, text: tuple[str, str]) -> Row:
    """The row of a share of `counted` things: it has no interval."""
    return Row(
        what,
        *text,
        share,
        share,
        share,
        counted,
        "share",
        target.text(),
        hold(target, share, share),
    )


def hold(target: Target, low: float, high: float) -> Holds:
    """Whether `target` holds for the interval `low..high`.

    Decided only where the whole interval says the same; a target that an interval touches is not
    met by an interval so wide (over 10 % either way) that it touches nearly anything.
    """
    match target.kind:
        case Kind.AT_LEAST:
            return _decided(low >= target.low, high < target.low)
        case Kind.WITHIN:
            inside = low >= target.low and high <= target.high
            return _decided(inside, high < target.low or low > target.high)
        case Kind.TOUCHES:
            apart = high < target.low or low > target.high
            narrow = low > 0 and math.log(high / low) / 2 <= math.log1p(WIDEST_HALF)
            return _decided(not apart and narrow, apart)
        case Kind.AT_MOST:
            return _decided(high <= target.high, low > target.high)
        case _:
            return Holds.SHOWN


def center(values: Mapping[int, float]) -> float:
    """The geometric mean of the launches: what ratios of means of logs belong to."""
    return statistics.geometric_mean(values.values())


def best_of(candidates: Mapping[str, Mapping[int, float]]) -> str:
    """The name with the highest geometric mean. Raises ValueError when there is none."""
    if not candidates:
        raise ValueError("there is no candidate to choose the best of")
    return max(candidates, key=lambda name: center(candidates[name]))


def _decided(yes: bool, no: bool) -> Holds:
    if yes:
        return Holds.PASS
    return Holds.MISSED if no else Holds.NOT_RESOLVED
