"""Whether the shape of a network fits its topology, and has places for all nodes."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from machmeter.model.errors import UsageError
from machmeter.model.twin import Twin, TwinTopology
from machmeter.simulation.parameters import MOST_LEVELS

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
    """Raises UsageError where the network has no place for some nodes of the machine."""
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
