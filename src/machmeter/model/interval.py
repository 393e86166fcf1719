"""Values with their 95 % intervals."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.units import UNBOUNDED, is_unbounded


class HasInterval:
    """What has a 95 % interval, from `low` to `high`."""

    __slots__ = ()

    low: float
    high: float

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are known: a value of one launch, or as printed, has none."""
        return not (is_unbounded(self.low) or is_unbounded(self.high))


class Interval(Struct, HasInterval, frozen=True):
    """A value with its 95 % interval; `[-UNBOUNDED, UNBOUNDED]` where it has none, as printed."""

    value: float
    """The value."""
    low: float = -UNBOUNDED
    """Lower end."""
    high: float = UNBOUNDED
    """Upper end."""
