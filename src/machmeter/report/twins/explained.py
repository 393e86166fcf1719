"""What one simulated time consists of."""

from __future__ import annotations

from msgspec import Struct

from machmeter.text.twins.parts import TimePart


class ExplainedTime(Struct, frozen=True):
    """The simulated time of one message: what `twin explain --json` prints."""

    twin: str
    """Name of the model."""
    pattern: str
    """ping-pong or ping-ping."""
    size: int
    """Bytes of the message."""
    pair: str
    """Which two nodes: nearest or farthest."""
    distance: str
    """How far apart they are."""
    hops: int
    """Links between routers that the message passes."""
    protocol: str
    """How the bytes are sent: eager or rendezvous."""
    seconds: float
    """The simulated time: of a ping-pong half a round trip, of a ping-ping one exchange."""
    band: float | None
    """Error band as a share of the time (null: unknown)."""
    parts: tuple[TimePart, ...]
    """What the time consists of; their seconds add up to it."""
    changes: tuple[str, ...] = ()
    """Parameters that `--with` gave, each with its value and what it was."""
