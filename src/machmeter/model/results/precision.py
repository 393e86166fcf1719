"""How precise the results of a run came out, said once for all of them."""

from __future__ import annotations

from msgspec import Struct


class PrecisionBin(Struct, frozen=True):
    """Results whose half width is in one range."""

    above: float
    """Lower end, relative half width, excluded; 0 for the first bin."""
    upto: float | None
    """Upper end, included; null for all above."""
    results: int
    """How many."""


class PrecisionStep(Struct, frozen=True):
    """The precision that a measuring time gives."""

    seconds: float
    """Measuring time."""
    half_width: float
    """Median over results of the relative half width of the 95 % interval."""
    extrapolated: bool
    """Whether it is a model: more launches with the variance of those made."""


class PrecisionReached(Struct, frozen=True):
    """Precision of the results with a relative interval: no shares, no upper bounds."""

    target: float
    """Target half width, relative."""
    results: int
    """Results counted here."""
    reached: int
    """How many of them met the target."""
    median: float
    """Median relative half width."""
    launches: int
    """Median number of launches."""
    bins: tuple[PrecisionBin, ...]
    """Distribution of the half widths."""
    curve: tuple[PrecisionStep, ...]
    """Half width over measuring time: first from the launches made, then extrapolated until the
    median result has the target precision; of the results that its first step is of."""
    most_launches: int = 0
    """Results that missed the target and took the most launches allowed: more time alone brings
    nothing."""
    shares: int = 0
    """Results that are shares, whose intervals are in points."""
    shares_median: float = 0.0
    """Median half width of the shares (0.01 = one point)."""
