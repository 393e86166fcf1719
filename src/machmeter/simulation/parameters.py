"""Every parameter that a twin can have: its unit, its range, and the topologies that need it."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.errors import UsageError
from machmeter.model.twin import TwinTopology
from machmeter.model.units import BYTES, BYTES_PER_SECOND_ONE_WAY, SECONDS, SHARE, Unit
from machmeter.simulation.quantities import COUNT, quantity_text


class DeclaredParameter(Struct, frozen=True):
    """One number that a model of a machine consists of."""

    name: str
    """In files, in `--with`, and for the engine."""
    unit: Unit
    """Whose base unit its value has."""
    least: float
    """Smallest value."""
    most: float
    """Largest value."""
    text: str
    """What it is, in a phrase."""
    topologies: tuple[TwinTopology, ...] = ()
    """Those that need it (empty: all)."""
    level: int = 0
    """Of a fat tree: the level of switches that it is of; only trees with more levels need it."""

    def checked(self, value: float) -> float:
        """The value. Raises UsageError where it is out of range, or no whole number of things."""
        if self.least <= value <= self.most and (not self.whole or value == int(value)):
            return value
        least, most = (quantity_text(bound, self.unit) for bound in (self.least, self.most))
        kind = "a whole number " if self.whole else ""
        raise UsageError(
            f"{self.name} cannot be {quantity_text(value, self.unit)}",
            f"choose {kind}from {least} to {most}",
        )

    @property
    def whole(self) -> bool:
        """Whether it counts things."""
        return self.unit in (BYTES, COUNT)

    def serves(self, topology: TwinTopology, levels: int) -> bool:
        """Whether a twin of this topology, with `levels` numbers in its shape, needs it."""
        return (not self.topologies or topology in self.topologies) and self.level < max(levels, 1)


_TORUS = (TwinTopology.TORUS,)
_DRAGONFLY = (TwinTopology.DRAGONFLY,)
_FAT_TREE = (TwinTopology.FAT_TREE,)
_LEVELS = 3


def _time(name: str, text: str, least: float = 0.0) -> DeclaredParameter:
    return DeclaredParameter(name, SECONDS, least, 1.0, text)


def _rate(
    name: str, text: str, topologies: tuple[TwinTopology, ...] = (), level: int = 0
) -> DeclaredParameter:
    return DeclaredParameter(
        name, BYTES_PER_SECOND_ONE_WAY, 1e3, 1e15, text, topologies=topologies, level=level
    )


# A message that takes no time, or of which any number pass in no time, is no message.
_SHORTEST = 1e-10
PARAMETERS = (
    _time("network.software_overhead", "CPU time for a message, at the sender and the receiver"),
    _time("network.nic_latency", "both NICs and the wire between two nodes of a router", _SHORTEST),
    _time("network.hop_latency", "each link between routers that a message passes"),
    _time("network.optical_latency", "in addition, each optical link that a message passes"),
    _time("network.package_latency", "in addition, half of it for each rank off package 0"),
    _time("network.message_gap", "least time between two messages of a NIC", _SHORTEST),
    _rate("network.injection_bandwidth", "payload of a NIC, one way"),
    DeclaredParameter(
        "network.duplex_share",
        SHARE,
        0.5,
        1,
        "what two ranks that send to each other at once get of twice one way",
    ),
    DeclaredParameter(
        "network.eager_limit", BYTES, 0, 1e12, "largest message that does not wait to be received"
    ),
    *(
        _rate(
            f"network.link.bandwidth_{axis}",
            f"payload of the links between two neighboring routers along {axis}, one way",
            _TORUS,
        )
        for axis in "xyz"
    ),
    *(
        _rate(f"network.link.bandwidth_{rank}", f"payload between {ends}, one way", _DRAGONFLY)
        for rank, ends in (
            ("chassis", "two routers of a chassis"),
            ("group", "two routers in the same position of two chassis of a group"),
            ("global", "two groups, all their links together"),
        )
    ),
    *(
        _rate(
            f"network.link.bandwidth_up{level}",
            f"payload of all links up from a switch of level {level}, one way",
            _FAT_TREE,
            level,
        )
        for level in range(1, _LEVELS + 1)
    ),
    DeclaredParameter(
        "network.nodes_per_router", COUNT, 1, 1024, "nodes of each router", _TORUS + _DRAGONFLY
    ),
    DeclaredParameter(
        "network.nonminimal_share", SHARE, 0, 1, "traffic that passes a third group", _DRAGONFLY
    ),
    DeclaredParameter(
        "network.pair_hops",
        COUNT,
        0,
        1024,
        "links between the two nodes of a layout of two nodes",
        _TORUS + _DRAGONFLY + _FAT_TREE,
    ),
    _time("network.put_latency", "a one-sided put of 8 B to a near node", _SHORTEST),
    _time("network.get_latency", "a one-sided get of 8 B from a near node", _SHORTEST),
    _time("network.atomic_latency", "an atomic operation of 8 B at a near node", _SHORTEST),
    _time("node.message_latency", "an empty message between two ranks of a node", _SHORTEST),
    _rate("node.message_bandwidth", "payload between two ranks of a node"),
    _rate("node.reduction_bandwidth", "bytes that a rank adds to a result"),
)
MOST_LEVELS = _LEVELS + 1
"""Numbers in the shape of a fat tree at most."""
_BY_NAME = {one.name: one for one in PARAMETERS}


def declared(name: str) -> DeclaredParameter | None:
    """The parameter of that name; None where there is none."""
    return _BY_NAME.get(name)


def parameters_of(topology: TwinTopology, levels: int) -> tuple[DeclaredParameter, ...]:
    """What a twin of this topology needs, with `levels` numbers in its shape."""
    return tuple(one for one in PARAMETERS if one.serves(topology, levels))
