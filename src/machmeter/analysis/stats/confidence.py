"""How far an answer can be relied on, in grades with fixed meanings, and how many launches would
decide it. Pure.

A grade means little unless everybody means the same by it: the numbers behind the grades follow the
calibrated language of the IPCC (Mastrandrea et al., Guidance Note on Consistent Treatment of
Uncertainties, 2010), whose "virtually certain" begins at 99 % and "extremely likely" at 95 %.
"""

from __future__ import annotations

import math
from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.interval import HasInterval
from machmeter.model.results.finding import Confidence
from machmeter.model.results.run import Precision

SURE_P = 0.01
LIKELY_P = 0.05
CLEAR = 0.01
LEAST_LAUNCHES = Precision().least_launches
MOST_COUNTED = 100_000
# Beyond so many times those made, more launches are no advice.
_WORTH_MAKING = 100


class DoubtKind(StrEnum):
    """Why an answer is no surer."""

    CHANCE = "a difference this large may be chance"
    FEW_LAUNCHES = "few launches"
    NEAR_BOUND = "the interval ends near the bound"
    PRECISION = "the target precision was not met, and the interval ends near the bound"
    ONE_LAUNCH = "one launch has no variance"
    BELOW_RESOLUTION = "candidate or baseline is not distinguishable from zero"
    SEVERAL_ANSWERS = "the interval allows more than one answer"
    STEPWISE = "shown step by step, at 95 % each"
    PUBLISHED = "published without an interval"
    SIMULATED = "simulated: a model says so, and nothing tests it"


class Doubt(Struct, frozen=True):
    """One reason why an answer is no surer."""

    kind: DoubtKind
    """Which reason."""
    p_value: float = 0.0
    """Of CHANCE."""
    launches: int = 0
    """Of FEW_LAUNCHES: those made."""


class BoundMargin(Struct, HasInterval, frozen=True):
    """How far a quantity is from the bound beyond which the answer would be another one.

    On the scale on which Student's t was applied: logs of ratios, or differences.
    """

    value: float
    """The estimate."""
    low: float
    """Lower end of the 95 % interval, -UNBOUNDED where it has none."""
    high: float
    """Upper end of the 95 % interval, UNBOUNDED where it has none."""
    bound: float
    """The bound."""
    degrees: float
    """Degrees of freedom."""
    p_value: float
    """Of its being on that side, adjusted for all comparisons."""
    launches: int
    """Of the side that has fewer."""
    reached: bool
    """Whether the target precision was met."""

    @property
    def to_bound(self) -> float:
        """How far the interval's end is from the bound; negative where the interval holds it."""
        return self.low - self.bound if self.value >= self.bound else self.bound - self.high

    @property
    def half(self) -> float:
        """Half the width of the interval on the side of the bound."""
        return self.value - self.low if self.value >= self.bound else self.high - self.value


def grade(margin: BoundMargin) -> tuple[Confidence, tuple[Doubt, ...]]:
    """How far an answer can be relied on, and why no further.

    Sure: an adjusted p value of 1 % at most, ten launches or more, an interval that keeps 1 % (one
    point) away from the bound, and either the target precision or an interval that would keep clear
    of the bound if it were twice as wide. Likely: an adjusted p value of 5 % at most. Else open.
    """
    if margin.p_value > LIKELY_P:
        return Confidence.OPEN, (Doubt(DoubtKind.CHANCE, p_value=margin.p_value),)
    doubts = []
    if margin.p_value > SURE_P:
        doubts.append(Doubt(DoubtKind.CHANCE, p_value=margin.p_value))
    if margin.launches < LEAST_LAUNCHES:
        doubts.append(Doubt(DoubtKind.FEW_LAUNCHES, launches=margin.launches))
    if margin.to_bound < CLEAR:
        doubts.append(Doubt(DoubtKind.NEAR_BOUND))
    if not margin.reached and margin.to_bound < margin.half:
        doubts.append(Doubt(DoubtKind.PRECISION))
    return (Confidence.LIKELY if doubts else Confidence.SURE), tuple(doubts)


def grade_decided(margin: BoundMargin) -> tuple[Confidence, tuple[Doubt, ...]]:
    """As `grade`, of an answer that was decided already, by intervals: likely at least."""
    confidence, doubts = grade(margin)
    return (Confidence.LIKELY if confidence is Confidence.OPEN else confidence), doubts


def launches_to_decide(margin: BoundMargin) -> int:
    """Launches, in all, by which a side of the bound would be shown, as value and spread are now.

    The half width of an interval shrinks with the square root of the launches. The p value must
    reach 5 % by the same adjustment for the number of comparisons as now. At least ten, since fewer
    are not tested, and at most 100,000; 0 where that is unknown: too few launches, an interval
    without ends, or a value at the bound.
    """
    if margin.degrees <= 0 or margin.launches < 2 or margin.value == margin.bound:
        return 0
    if not margin.is_bounded:
        return 0
    error = (margin.high - margin.low) / 2 / student_quantile(margin.degrees)
    distance = abs(margin.value - margin.bound)
    unadjusted = two_sided_p(distance, error, margin.degrees)
    times = max(margin.p_value / unadjusted, 1.0) if unadjusted > 0 else 1.0
    spread = error * math.sqrt(margin.launches)
    return _smallest(margin.launches, distance, spread, LIKELY_P / times)


def is_worth_making(needed: int, made: int) -> bool:
    """Whether so many launches are advice: at most a hundred times those made."""
    return needed <= _WORTH_MAKING * max(made, LEAST_LAUNCHES)


def _smallest(made: int, distance: float, spread: float, level: float) -> int:
    """The smallest count of launches with a p value of at most `level`, by bisection."""
    low, high = max(made, LEAST_LAUNCHES), MOST_COUNTED
    while low < high:
        middle = (low + high) // 2
        if two_sided_p(distance, spread / math.sqrt(middle), middle - 1) <= level:
            high = middle
        else:
            low = middle + 1
    return low
