"""The plan of a run on a twin: what models describe, each launch simulated once. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Value
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import Point
from machmeter.model.program import SIMULATOR
from machmeter.model.results.run import Plan, Skipped

_NOT_MODELED = "no model of nodes, NICs and links describes it"


def as_simulated(plan: Plan) -> Plan:
    """`plan` with everything simulated: without what models do not describe, and without launches
    that show how a machine changes during a run."""
    specs: list[LaunchSpec] = []
    skipped: list[Skipped] = []
    for spec in plan.specs:
        if not spec.of_points:
            continue
        benchmark = find(spec.benchmark)
        if benchmark.modeled is None:
            skipped.append(Skipped(benchmark.name, _NOT_MODELED))
            continue
        points = tuple(point for point in spec.points if not _unknown(benchmark, point))
        skipped += (one for point in spec.points for one in _skipped(benchmark, point))
        if points:
            specs.append(replace(spec, program=SIMULATOR, points=points, group=""))
    every = dict.fromkeys((*plan.skipped, *skipped))
    return replace(plan, specs=tuple(specs), skipped=tuple(every))


def _unknown(benchmark: Benchmark, point: Point) -> list[tuple[str, Value]]:
    """The parameters and layout fields of a point with values that models do not describe."""
    given = dict(point.parameters)
    values = {
        name: given[name] if name in given else getattr(point.layout, name)
        for name in benchmark.modeled or {}
    }
    modeled = benchmark.modeled or {}
    return [(name, value) for name, value in values.items() if value not in modeled[name]]


def _skipped(benchmark: Benchmark, point: Point) -> Iterator[Skipped]:
    for name, value in _unknown(benchmark, point):
        yield Skipped(f"{benchmark.name} with {name}={value}", _NOT_MODELED)
