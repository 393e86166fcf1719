"""How one estimate compares with another."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.interval import HasInterval


class ComparisonVerdict(StrEnum):
    """How a compares with b."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"


class DroppedOut(Struct, frozen=True):
    """A layout that a race showed to be slower than another one, and launched no more."""

    name: str
    """Name of its spec."""
    round: int
    """The round after which it dropped out."""
    behind: str
    """One that was shown to be faster."""


class Comparison(Struct, HasInterval, frozen=True):
    """How a result compares with another."""

    ratio: float
    """Of a over b, turned so that above 1 is better."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    paired: bool
    """Whether launches were paired by round; Welch's test otherwise."""
    degrees: float
    """Degrees of freedom."""
    p_value: float
    """Of the claim: that the ratio is not 1, or that it is beyond the nearest bound of its band."""
    verdict: ComparisonVerdict
    """What the interval allows to claim."""
