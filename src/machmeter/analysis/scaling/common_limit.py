"""The usual node of a system beside what its hardware can at most: a fault that all nodes have in
common shows in no comparison of them with each other."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from machmeter.analysis.scaling.hardware import MemoryLimit, PeakLimit

BELOW_ALL = 0.10
"""By so much the usual node is worse than all of those that are normal where that is said."""


class NormalShares(Struct, frozen=True):
    """Which shares of the limit of their hardware others reach, 0 to 1."""

    low: float
    """The lowest."""
    high: float | None
    """The highest; None where those are of more work than the result, which may reach more."""
    of: str
    """Whose they are: `triad of 9 published machines`."""


class NodeLimit(Struct, frozen=True):
    """What the hardware of a node can at most of one result, and what is normal of that."""

    limit: MemoryLimit | PeakLimit
    """At most."""
    normal: NormalShares
    """What others reach."""


class NodeLimits(Struct, frozen=True):
    """Limits that are known of the nodes of one kind."""

    hosts: frozenset[str] = frozenset()
    """The hosts with that hardware."""
    of: Mapping[tuple[str, str], NodeLimit] = {}
    """By benchmark and metric."""


class CommonShare(Struct, frozen=True):
    """The usual node as a share of what its hardware can."""

    limit: NodeLimit
    """Of what."""
    share: float
    """0 to 1; above 1 one of both is wrong."""
    best: float
    """That of the fastest node."""

    @property
    def is_of_all(self) -> bool:
        """Whether even the fastest node is below all that are normal."""
        return self.best < self.limit.normal.low

    @property
    def is_below(self) -> bool:
        """Whether it is below all that are normal, by 10 % at least."""
        return self.share * (1 + BELOW_ALL) < self.limit.normal.low
