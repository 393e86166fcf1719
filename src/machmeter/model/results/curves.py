"""What curves of estimates show: levels of the memory hierarchy, protocols of messages."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.point import Point


class Knee(Struct, frozen=True):
    """One level of the memory hierarchy as a latency curve shows it."""

    size_bytes: int
    """Where the level ends, bytes (0 for the last one, memory)."""
    latency_seconds: float
    """Latency on the level, seconds."""
    low_seconds: float
    """Lower end of its 95 % interval over launches, seconds."""
    high_seconds: float
    """Upper end of its 95 % interval over launches, seconds."""
    size_low_bytes: int = 0
    """The least size at which the level ends in any launch, bytes."""
    size_high_bytes: int = 0
    """The largest size at which the level ends in any launch, bytes; of memory the largest that was
    measured."""


class LastCache(Struct, frozen=True):
    """The last cache before memory: as the system describes it, and as it behaves."""

    described: int
    """Size that the system describes, bytes; 0 where it describes none."""
    measured: int
    """Size that the latency curve shows, bytes; 0 where no level is found before memory."""
    low: int
    """The least of the launches, bytes."""
    high: int
    """The largest of the launches, bytes."""
    size: int
    """The size that everything in the run follows, bytes."""
    own_size: int = 0
    """The size by this run's own curve, bytes; 0 in runs of an older version, which follow it."""
    runs: tuple[str, ...] = ()
    """IDs of earlier runs of the machine that `size` was chosen with, the newest first."""
    settled: bool = False
    """Whether enough runs agree on `size`: later runs of the machine take it."""

    @property
    def refuted(self) -> bool:
        """Whether this run's own curve refutes the described size."""
        return (self.own_size or self.size) != self.described


class EarlierCache(Struct, frozen=True):
    """The last cache of an earlier run of the machine."""

    run: str
    """ID of the run."""
    cache: LastCache
    """As its plan has it."""


class ProtocolRegion(Struct, frozen=True):
    """Message sizes over which one line describes the time: `startup + size * per_byte`."""

    first_bytes: int
    """Smallest measured size of the region, bytes."""
    last_bytes: int
    """Largest measured size of the region, bytes."""
    startup_seconds: float
    """Time of a message of no bytes, seconds."""
    startup_low: float
    """Lower end of its 95 % interval over launches, seconds."""
    startup_high: float
    """Upper end of its 95 % interval over launches, seconds."""
    seconds_per_byte: float
    """Slope of the line, seconds."""
    per_byte_low: float
    """Lower end of its 95 % interval over launches, seconds."""
    per_byte_high: float
    """Upper end of its 95 % interval over launches, seconds."""
    step_seconds: float = 0.0
    """Jump of the time where the region begins, beyond what either line explains between the two
    sizes, seconds (0 for the first region)."""
    step_low: float = 0.0
    """Lower end of its 95 % interval over launches, seconds."""
    step_high: float = 0.0
    """Upper end of its 95 % interval over launches, seconds."""


class ProtocolCurve(Struct, frozen=True):
    """The protocols of one curve over message size."""

    point: Point
    """One of its points."""
    metric: str
    """Name of the metric."""
    regions: tuple[ProtocolRegion, ...]
    """Its regions, the smallest messages first."""
