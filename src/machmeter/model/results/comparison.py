"""How one estimate compares with another."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class ComparisonVerdict(StrEnum):
    """How a compares with b."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"


class Comparison(Struct, frozen=True):
    """`ratio` of a over b turned so that above 1 is better, with its 95 % interval.

    p_value: of what is claimed: that the ratio is not 1, or that it is beyond the nearest bound
    of its band.
    """

    ratio: float
    low: float
    high: float
    paired: bool
    degrees: float
    p_value: float
    verdict: ComparisonVerdict
