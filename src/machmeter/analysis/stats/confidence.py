"""How sure an answer is, in words with fixed meanings, and how many launches would decide it. Pure.

A word for how far a clearance can be relied on means little unless everybody means the same by it:
numbers behind the words follow the calibrated language of the IPCC (Mastrandrea et al., Guidance
Note on Consistent Treatment of Uncertainties, 2010), whose "virtually certain" begins at 99 % and
"extremely likely" at 95 %.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.results.finding import Confidence
from machmeter.model.results.run import Precision
from machmeter.model.units import is_unbounded

SURE_P = 0.01
LIKELY_P = 0.05
CLEAR = 0.01
LEAST_LAUNCHES = Precision().least_launches
MOST_COUNTED = 100_000
# Beyond so many times those made, more launches are no advice.
_WORTH_MAKING = 100


class Clearance(NamedTuple):
    """How clear of a bound a quantity lies, beyond which the answer would be another one.

    value, low, high, bound: on the scale on which Student's t was applied (logs of ratios, or
    differences); low and high of the 95 % interval, UNBOUNDED where it has no such end; degrees:
    of freedom; p_value: of its lying on that side, accounted for all that was compared; launches:
    of the side that has fewer; reached: whether the asked precision was.
    """

    value: float
    low: float
    high: float
    bound: float
    degrees: float
    p_value: float
    launches: int
    reached: bool

    @property
    def room(self) -> float:
        """How far the interval's end is from the bound; negative where the interval holds it."""
        return self.low - self.bound if self.value >= self.bound else self.bound - self.high

    @property
    def half(self) -> float:
        """Half the width of the interval on the side of the bound."""
        return self.value - self.low if self.value >= self.bound else self.high - self.value


def graded(clearance: Clearance) -> tuple[Confidence, tuple[str, ...]]:
    """The word for an answer, and why it is no surer.

    Sure: an adjusted p value of 1 % at most, ten launches or more, an interval that keeps 1 % (one
    point) away from the bound, and either the asked precision or an interval that would keep clear
    of the bound if it were twice as wide. Likely: an adjusted p value of 5 % at most. Else open.
    """
    if clearance.p_value > LIKELY_P:
        return Confidence.OPEN, (_p_text(clearance.p_value),)
    doubts = []
    if clearance.p_value > SURE_P:
        doubts.append(_p_text(clearance.p_value))
    if clearance.launches < LEAST_LAUNCHES:
        made = _launches_text(clearance.launches)
        doubts.append(f"{made} only, of the {LEAST_LAUNCHES} it takes")
    if clearance.room < CLEAR:
        doubts.append("the interval ends within 1 % of where the answer would be another")
    if not clearance.reached and clearance.room < clearance.half:
        doubts.append("the asked precision was not reached, and the interval ends near the bound")
    return (Confidence.LIKELY if doubts else Confidence.SURE), tuple(doubts)


def graded_decided(clearance: Clearance) -> tuple[Confidence, tuple[str, ...]]:
    """As `graded`, of an answer that was decided already, by intervals: likely at least."""
    confidence, doubts = graded(clearance)
    return (Confidence.LIKELY if confidence is Confidence.OPEN else confidence), doubts


def unless_text(value: str, side: str, bound: str, other: str, end: str) -> str:
    """What would make the answer another one: `a true ratio below 1.02x (no difference)`.

    value: `ratio`; side: `below` or `above`; other: what the answer would be then; end: where the
    interval ends, empty where it has no such end.
    """
    ends = f"; the interval ends at {end}" if end else ""
    return f"a true {value} {side} {bound} ({other}){ends}"


def launches_to_decide(clearance: Clearance) -> int:
    """Launches, in all, by which a side of the bound would be shown, as value and spread are now.

    The half width of an interval shrinks with the square root of the launches. The p value must
    reach 5 % by the same adjustment for the number of comparisons as now. At least ten, since fewer
    are not tested, and at most 100,000; 0 where that cannot be told: too few launches, an interval
    without ends, or a value at the bound.
    """
    if clearance.degrees <= 0 or clearance.launches < 2 or clearance.value == clearance.bound:
        return 0
    if is_unbounded(clearance.low) or is_unbounded(clearance.high):
        return 0
    error = (clearance.high - clearance.low) / 2 / student_quantile(clearance.degrees)
    distance = abs(clearance.value - clearance.bound)
    unadjusted = two_sided_p(distance, error, clearance.degrees)
    times = max(clearance.p_value / unadjusted, 1.0) if unadjusted > 0 else 1.0
    spread = error * math.sqrt(clearance.launches)
    return _smallest(clearance.launches, distance, spread, LIKELY_P / times)


def more_launches_text(needed: int, made: int, why: str = "") -> str:
    """`about 40 launches in all (12 made) WHY`; says where more launches are no way to go."""
    purpose = f" {why}" if why else ""
    if not needed:
        return f"more launches{purpose} (how many cannot be told from those made)"
    most = _WORTH_MAKING * max(made, LEAST_LAUNCHES)
    if needed > most:
        return f"hardly more launches: over {most:,}{purpose}, at this spread"
    return f"about {needed:,} launches in all ({made} made){purpose}, at this spread"


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


def _p_text(p_value: float) -> str:
    chance = "over 99" if p_value > 0.99 else f"{100 * p_value:.2g}"
    return f"chance alone would show as much in {chance} % of such runs"


def _launches_text(launches: int) -> str:
    return "one launch" if launches == 1 else f"{launches} launches"
