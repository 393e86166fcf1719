"""What curves of estimates show: levels of the memory hierarchy, protocols of messages."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.point import Point


class Knee(Struct, frozen=True):
    """One level of the memory hierarchy as a latency curve shows it.

    size_bytes: where the level ends, bytes (0 for the last one, memory); latency_seconds: on the
    level, with its interval over launches.
    """

    size_bytes: int
    latency_seconds: float
    low_seconds: float
    high_seconds: float


class ProtocolRegion(Struct, frozen=True):
    """Message sizes over which one line describes the time: `startup + size * per_byte`.

    first_bytes, last_bytes: smallest and largest measured size of the region; startup_seconds and
    seconds_per_byte with their 95 % intervals over launches; step_seconds: what the time jumps by
    where the region begins, beyond what either line explains between the two sizes (0 for the
    first).
    """

    first_bytes: int
    last_bytes: int
    startup_seconds: float
    startup_low: float
    startup_high: float
    seconds_per_byte: float
    per_byte_low: float
    per_byte_high: float
    step_seconds: float = 0.0
    step_low: float = 0.0
    step_high: float = 0.0


class ProtocolCurve(Struct, frozen=True):
    """The protocols of one curve over message size: `point` is one of its points."""

    point: Point
    metric: str
    regions: tuple[ProtocolRegion, ...]
