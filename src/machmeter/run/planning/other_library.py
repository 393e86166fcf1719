"""The launches of another MPI library, which show whether a latency is the library's. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.benchmarks.network.messages import LATENCY
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchRole, LaunchSpec
from machmeter.model.point import Point, make_point
from machmeter.model.variant import Variant

LIBRARY_LAUNCHES = 2
_SMALL_MESSAGE = 8


def library_specs(specs: Sequence[LaunchSpec], machine: Machine) -> tuple[LaunchSpec, ...]:
    """The launch spec of the machine's other MPI library, for the small message whose latency
    `specs` measure between two ranks on one node; none where there is no such library or message.
    """
    other = machine.software.other_mpi
    for spec in specs if other else ():
        if (point := small_message(spec)) is not None:
            variant = Variant(other)
            again = make_point(LATENCY.name, dict(point.parameters), spec.layout, variant)
            return (
                replace(
                    spec,
                    name=f"{LATENCY.name} of {other}",
                    points=(again,),
                    role=LaunchRole.LIBRARY,
                    most_launches=LIBRARY_LAUNCHES,
                    variant=variant,
                    group="",
                ),
            )
    return ()


def small_message(spec: LaunchSpec) -> Point | None:
    """The first point of a spec that is the latency of a small message on one node, between ranks
    that share no CPU."""
    shared = spec.layout.oversubscribe or spec.layout.nodes > 1
    if spec.benchmark != LATENCY.name or shared or not spec.of_points:
        return None
    return next((one for one in spec.points if one.get("size") == _SMALL_MESSAGE), None)
