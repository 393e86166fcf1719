"""Ratios of two contenders, compared with a target. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bench.processors import CpuFamily
from machmeter.analysis.stats.comparison import compare_paired
from machmeter.model.units import Unit, format_value

WIDEST_HALF = 0.10
# Fewer have no interval.
LEAST_PAIRS = 2


class TargetKind(StrEnum):
    """How a target is compared with an interval."""

    AT_LEAST = "at least"
    WITHIN = "within"
    CONTAINS = "contains"
    AT_MOST = "at most"
    NONE = "no target"


class TargetVerdict(StrEnum):
    """Whether a target is met; FAILED where there are too few results for a ratio."""

    PASS = "pass"  # noqa: S105 - a verdict
    MISSED = "missed"
    INCONCLUSIVE = "inconclusive"
    SHOWN = "shown"
    NOT_JUDGED = "not judged"
    FAILED = "failed"


class Target(Struct, frozen=True):
    """Bounds of a ratio, or of a share where the kind is AT_MOST.

    family: of the CPUs that it was set on, where it is for no others; is_for_this_cpu: whether
    this machine's is one of them.
    """

    kind: TargetKind = TargetKind.NONE
    low: float = 0.0
    high: float = math.inf
    family: CpuFamily | None = None
    is_for_this_cpu: bool = True

    def text(self) -> str:
        """The target in a few characters."""
        return f"{self._bounds()} on {self.family.name}" if self.family else self._bounds()

    def _bounds(self) -> str:
        match self.kind:
            case TargetKind.AT_LEAST:
                return f">= {self.low:g}"
            case TargetKind.WITHIN:
                return f"{self.low:.2f}..{self.high:.2f}"
            case TargetKind.CONTAINS:
                return f"contains {self.low:.2f}"
            case TargetKind.AT_MOST:
                return f"<= {100 * self.high:g} %"
            case _:
                return ""


def at_least(low: float) -> Target:
    """The whole interval must be at or above `low`."""
    return Target(TargetKind.AT_LEAST, low=low)


def only_on(family: CpuFamily, target: Target, cpuinfo: Mapping[str, str]) -> Target:
    """`target` for CPUs of that family; it is not judged where `cpuinfo` is of another."""
    return replace(target, family=family, is_for_this_cpu=family.includes(cpuinfo))


def within(share: float) -> Target:
    """The whole interval must be within 1 - share and 1 + share."""
    return Target(TargetKind.WITHIN, 1 - share, 1 + share)


def contains(ratio: float) -> Target:
    """The interval must contain `ratio`, and not be over 20 % wide."""
    return Target(TargetKind.CONTAINS, ratio, ratio)


def at_most(share: float) -> Target:
    """A share that is counted, not estimated, must not exceed `share`."""
    return Target(TargetKind.AT_MOST, high=share)


class Row(Struct, frozen=True):
    """One line of the table: a ratio above 1 means that machmeter's result is better.

    ours, peer: both results as text; ratio, low, high: with 95 % interval, or a share without one
    (low equals high), or a difference of shares if `statistic` says so; launches: pairs of
    launches, or counted comparisons; target: the target, or without one the finding.
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
    verdict: TargetVerdict


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

    text: both results as text. Raises ValueError when fewer than two rounds have both.
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
        verdict=judge_target(target, compared.low, compared.high),
    )


def measured_row(
    what: str,
    ours: Mapping[int, float],
    peer: Mapping[int, float],
    *,
    unit: Unit,
    higher_is_better: bool,
    statistic: str,
    target: Target,
) -> Row:
    """The row of two contenders, failed where fewer than two rounds have results of both."""
    text = _text(ours, unit), _text(peer, unit)
    if len(ours.keys() & peer.keys()) < LEAST_PAIRS:
        no_ratio = (math.nan, math.nan, math.nan)
        return Row(what, *text, *no_ratio, 0, statistic, target.text(), TargetVerdict.FAILED)
    return ratio_row(
        what,
        ours,
        peer,
        higher_is_better=higher_is_better,
        statistic=statistic,
        target=target,
        text=text,
    )


def share_row(what: str, share: float, counted: int, target: Target, text: tuple[str, str]) -> Row:
    """The row of a share of `counted` items: it has no interval."""
    return Row(
        what,
        *text,
        share,
        share,
        share,
        counted,
        "share",
        target.text(),
        judge_target(target, share, share),
    )


def judge_target(target: Target, low: float, high: float) -> TargetVerdict:
    """Whether the interval `low..high` meets `target`.

    Conclusive only where the whole interval agrees; a CONTAINS target is not met by an interval
    so wide (over 10 % either way) that it contains nearly anything.
    """
    if not target.is_for_this_cpu:
        return TargetVerdict.NOT_JUDGED
    match target.kind:
        case TargetKind.AT_LEAST:
            return _decided(low >= target.low, high < target.low)
        case TargetKind.WITHIN:
            inside = low >= target.low and high <= target.high
            return _decided(inside, high < target.low or low > target.high)
        case TargetKind.CONTAINS:
            disjoint = high < target.low or low > target.high
            narrow = low > 0 and math.log(high / low) / 2 <= math.log1p(WIDEST_HALF)
            return _decided(not disjoint and narrow, disjoint)
        case TargetKind.AT_MOST:
            return _decided(high <= target.high, low > target.high)
        case _:
            return TargetVerdict.SHOWN


def center(values: Mapping[int, float]) -> float:
    """The geometric mean of the launches, consistent with ratios of means of logs."""
    return statistics.geometric_mean(values.values())


def best_of(candidates: Mapping[str, Mapping[int, float]]) -> str:
    """The name with the highest geometric mean. Raises ValueError when there is none."""
    if not candidates:
        raise ValueError("there is no candidate to choose the best of")
    return max(candidates, key=lambda name: center(candidates[name]))


def _text(values: Mapping[int, float], unit: Unit) -> str:
    return format_value(center(values), unit) if values else "-"


def _decided(yes: bool, no: bool) -> TargetVerdict:
    if yes:
        return TargetVerdict.PASS
    return TargetVerdict.MISSED if no else TargetVerdict.INCONCLUSIVE
