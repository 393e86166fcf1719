"""Whether a twin can be simulated: a network with places for all nodes, and not too many."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from machmeter.model.errors import UsageError
from machmeter.model.twin import Twin, TwinTopology
from machmeter.simulation.parameters import MOST_LEVELS

MOST_CORES_OF_NODE = 2**14
MOST_CORES = 2**24
"""More than any machine had in 2025 (Sunway TaihuLight: 10,649,600)."""
# Of `network.pairs` with 2^24 ranks and of plans for 2^15 cores, on one core of an AMD EPYC (2026).
_BYTES_OF_RANK = 33
_SECONDS_OF_RANK = 1.5e-6
_PLANNING_SECONDS_OF_CORE = 6e-4

_THREE = {
    TwinTopology.TORUS: "its routers in each of three dimensions, 1 for one that it lacks: "
    "[17, 8, 24]",
    TwinTopology.DRAGONFLY: "the routers of a chassis, the chassis of a group, the groups: "
    "[16, 6, 2]",
}


def check_shape(topology: TwinTopology, shape: tuple[int, ...]) -> None:
    """Raises UsageError where the shape is none of this topology."""
    if topology is TwinTopology.DIRECT:
        if shape:
            raise UsageError("shape: a direct network has none", "leave it out")
    elif topology is TwinTopology.FAT_TREE:
        _check_tree(shape)
    elif len(shape) != len("xyz"):
        raise UsageError(
            f"shape: {len(shape)} numbers, where a {topology} has three",
            f"write {_THREE[topology]}",
        )


def _check_tree(shape: tuple[int, ...]) -> None:
    if not 1 <= len(shape) <= MOST_LEVELS:
        raise UsageError(
            f"shape: {len(shape)} numbers, where a fat tree has from 1 to {MOST_LEVELS}",
            "write the nodes below a switch of each level, the lowest first: [72, 1944]",
        )
    for below, above in pairwise(shape):
        if above <= below or above % below:
            raise UsageError(
                f"shape: a switch with {above} nodes below it does not connect several switches "
                f"with {below} each",
                "write the nodes below a switch of each level, the lowest first, each a multiple "
                "of the one before: [72, 1944]",
            )


def check_nodes(twin: Twin) -> None:
    """Raises UsageError where the network has no place for some nodes of the machine, or a launch
    on all of its cores, or planning for one of its nodes, would take too much."""
    if twin.node.cores > MOST_CORES_OF_NODE:
        seconds = twin.node.cores * _PLANNING_SECONDS_OF_CORE
        raise UsageError(
            f"a node of {twin.node.cores:,} cores: planning for it would take about "
            f"{seconds:.0f} s; models have at most {MOST_CORES_OF_NODE:,} cores a node",
            "lower packages or cores_per_package",
        )
    cores = twin.nodes * twin.node.cores
    if cores > MOST_CORES:
        gigabytes, minutes = cores * _BYTES_OF_RANK / 1e9, cores * _SECONDS_OF_RANK / 60
        raise UsageError(
            f"{twin.nodes:,} nodes of {twin.node.cores:,} cores: simulating a rank on each would "
            f"take about {gigabytes:,.1f} GB and {minutes:,.0f} min; models have at most "
            f"{MOST_CORES:,} cores",
            f"lower nodes to at most {MOST_CORES // twin.node.cores:,}",
        )
    places = places_of(twin)
    if places is not None and places < twin.nodes:
        raise UsageError(
            f"the network connects {places} nodes of {twin.nodes}",
            "enlarge shape or network.nodes_per_router, or lower nodes",
        )


def places_of(twin: Twin) -> int | None:
    """How many nodes the network can connect; None where there is no limit."""
    if twin.topology is TwinTopology.DIRECT:
        return None
    if twin.topology is TwinTopology.FAT_TREE:
        return twin.shape[-1]
    return prod(twin.shape) * int(twin.value("network.nodes_per_router"))
