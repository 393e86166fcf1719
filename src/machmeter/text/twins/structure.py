"""What a model of a machine consists of, as text: its network, links, node and MPI."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from msgspec import Struct

from machmeter.model.twin import Twin, TwinBasis, TwinProgress, TwinTopology
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    format_bytes,
    format_value,
)
from machmeter.text.numbers import count_text, half_width_text

_AXES = "xyz"
_LINKS = "network.link.bandwidth_"
_DRAGONFLY = {
    "chassis": "between two routers of a chassis",
    "group": "between two chassis of a group, routers in the same position",
    "global": "between two groups, all links together",
}
_BASES = {
    TwinBasis.PUBLISHED: "published",
    TwinBasis.FITTED: "fitted",
    TwinBasis.ASSUMED: "assumed",
}


class TwinLink(Struct, frozen=True):
    """A kind of link of the network."""

    name: str
    """Where it is: `along x`."""
    bandwidth: float
    """Payload in bytes per second, one way."""

    @property
    def rate(self) -> str:
        """The bandwidth with its unit."""
        return format_value(self.bandwidth, BYTES_PER_SECOND_ONE_WAY)


def network_text(twin: Twin) -> str:
    """`3-D torus of 17 x 8 x 24 routers, 2 nodes a router`."""
    if twin.topology is TwinTopology.DIRECT:
        return f"{count_text(twin.nodes, 'node', 'nodes')}, every two directly connected"
    if twin.topology is TwinTopology.FAT_TREE:
        return _tree_text(twin)
    each = count_text(int(twin.value("network.nodes_per_router")), "node", "nodes")
    if twin.topology is TwinTopology.TORUS:
        dimensions = sum(count > 1 for count in twin.shape)
        return f"{dimensions}-D torus of {_times(twin.shape)} routers, {each} a router"
    routers, chassis, groups = twin.shape
    return (
        f"dragonfly of {count_text(groups, 'group', 'groups')} of {chassis} chassis of {routers} "
        f"routers, {each} a router"
    )


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _tree_text(twin: Twin) -> str:
    levels = [f"{twin.shape[0]:,} nodes to a switch"]
    levels += [
        f"{above // below:,} switches to one of level {level}"
        for level, (below, above) in enumerate(pairwise(twin.shape), 2)
    ]
    tapers = ", ".join(f"{taper} at level {level}" for level, taper in tapers_of(twin).items())
    return f"fat tree: {', '.join(levels)}" + f"; taper {tapers}" * bool(tapers)


def tapers_of(twin: Twin) -> dict[int, str]:
    """Of each level of a fat tree but the highest what nodes inject over what goes up: `4:1`."""
    injected = twin.value("network.injection_bandwidth")
    return {
        level: f"{nodes * injected / twin.value(f'{_LINKS}up{level}'):.3g}:1"
        for level, nodes in enumerate(twin.shape[:-1], 1)
        if twin.topology is TwinTopology.FAT_TREE
    }


def links_of(twin: Twin) -> tuple[TwinLink, ...]:
    """The NIC of a node, then every kind of link between routers or switches."""
    nic = TwinLink("NIC of a node", twin.value("network.injection_bandwidth"))
    kinds: dict[str, str] = {}
    if twin.topology is TwinTopology.TORUS:
        kinds = {
            axis: f"between routers along {axis}"
            for axis, count in zip(_AXES, twin.shape, strict=True)
            if count > 1
        }
    elif twin.topology is TwinTopology.DRAGONFLY:
        kinds = _DRAGONFLY
    elif twin.topology is TwinTopology.FAT_TREE:
        kinds = {
            f"up{level}": f"up from a switch of level {level}, all links together"
            for level in range(1, len(twin.shape))
        }
    return (nic, *(TwinLink(text, twin.value(_LINKS + kind)) for kind, text in kinds.items()))


def bases_text(twin: Twin) -> str:
    """How many parameters are published, fitted and assumed."""
    counts = Counter(one.basis for one in twin.parameters)
    return ", ".join(f"{counts[basis]} {word}" for basis, word in _BASES.items() if counts[basis])


def twin_facts(twin: Twin) -> tuple[tuple[str, str], ...]:
    """The model as name and text, without its parameters."""
    progress = "the NIC" if twin.progress is TwinProgress.NIC else "the host, inside calls of MPI"
    return (
        ("nodes", f"{twin.nodes:,}"),
        ("network", network_text(twin)),
        ("node", node_text(twin)),
        ("MPI", f"collective algorithms of {twin.mpi}"),
        ("progress", f"large messages moved by {progress}"),
        ("error band", bands_text(twin)),
        ("parameters", bases_text(twin)),
    )


def node_text(twin: Twin) -> str:
    """`2 sockets of 12 cores in 4 NUMA domains, AMD Opteron 6172, 29.8 GiB`."""
    node = twin.node
    domains = node.packages * node.numa_per_package
    parts = (
        f"{count_text(node.packages, 'socket', 'sockets')} of "
        f"{count_text(node.cores_per_package, 'core', 'cores')}",
        f"{domains} NUMA domains" if domains > node.packages else "",
        node.cpu,
        format_bytes(node.memory_bytes),
    )
    return ", ".join(filter(None, parts))


def bands_text(twin: Twin) -> str:
    """The error band of each benchmark; that it is unknown where there is none."""
    if not twin.bands:
        return "unknown: no residuals of a fit"
    return ", ".join(f"{one.benchmark} ±{half_width_text(one.share)}" for one in twin.bands)
