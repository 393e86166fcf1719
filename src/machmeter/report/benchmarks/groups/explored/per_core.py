"""Results for each core that they took, where layouts take different numbers of cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.model.benchmark import Direction
from machmeter.model.layout import Binding
from machmeter.model.machine import Topology
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import SECONDS, SHARE
from machmeter.text.results import value_text

PER_CORE, CORE_TIME = "per core", "core time"


class CoreResult(Struct, frozen=True):
    """A result and the cores that it took."""

    cores: int
    """On all nodes, with those that are left to the system."""
    name: str
    """`per core` of a rate, `core time` of a time."""
    value: str
    """A rate over the cores, a time times the cores."""

    @property
    def text(self) -> str:
        """`0.5 run/s per core`, `4.0 s core time`."""
        return f"{self.value} {self.name}"


def core_results(estimates: Sequence[Estimate], topology: Topology) -> Mapping[Point, CoreResult]:
    """For each point; empty where all took as many cores, or where they are neither rates nor
    times.

    estimates: of one metric.
    """
    every = {one.point: _of_cores(one, topology) for one in estimates}
    found = {point: one for point, one in every.items() if one is not None}
    return found if len({one.cores for one in found.values()}) > 1 else {}


def _of_cores(one: Estimate, topology: Topology) -> CoreResult | None:
    layout = one.point.layout
    if layout.binding is Binding.DEFAULT and layout.ranks == 1:
        # Nobody says how many threads it has.
        return None
    # With more threads than cores, no more than there are.
    usable = max(1, len(topology.usable_cores))
    cores = layout.nodes * min(layout.cores_per_node, usable)
    if one.unit == SECONDS:
        name, factor = CORE_TIME, float(cores)
    elif one.direction is Direction.HIGHER and one.unit != SHARE:
        name, factor = PER_CORE, 1 / cores
    else:
        return None
    scaled = replace(
        one, value=one.value * factor, low=one.low * factor, high=one.high * factor, printed=None
    )
    return CoreResult(cores, name, value_text(scaled))
