"""The plan of a run: everything it will launch, and how long that may take. Pure."""

from __future__ import annotations

from machmeter.benchmarks.reference import REFERENCE
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.point import make_point
from machmeter.model.run import Plan, Precision
from machmeter.model.study import LayoutWish, Study
from machmeter.run.expand import expand
from machmeter.run.sizing import Sizes

REFERENCE_LAUNCHES = 5
REFERENCE_START = "reference at the start"
REFERENCE_END = "reference at the end"

_STARTUP_SECONDS = {1: 0.05, 2: 0.3}
_SETUP_SECONDS_PER_BYTE = 0.4e-9


def make_plan(
    study: Study, machine: Machine, wish: LayoutWish, precision: Precision, sizes: Sizes
) -> Plan:
    """The plan for `study` on `machine`. Raises UsageError where a value has no meaning."""
    expansion = expand(study.experiments, machine, wish, sizes.values)
    return Plan(
        specs=(
            *expansion.specs,
            reference_spec(machine, REFERENCE_START),
            reference_spec(machine, REFERENCE_END),
        ),
        precision=precision,
        skipped=expansion.skipped,
        sizes={name: max(values) for name, values in sizes.values.items()},
        notes=(sizes.note,),
        questions=study.questions,
    )


def reference_spec(machine: Machine, name: str) -> LaunchSpec:
    """The reference kernel, on one thread, as every run measures it at its start and end."""
    layout = Layout(page_bytes=machine.memory.base_page_bytes)
    parts = REFERENCE.parameters[0].values
    return LaunchSpec(
        name=name,
        executable=REFERENCE.executable,
        benchmark=REFERENCE.name,
        layout=layout,
        points=tuple(make_point(REFERENCE.name, {"part": part}, layout) for part in parts),
        seconds_per_point=REFERENCE.seconds_per_point,
        samples=100,
        role="reference",
    )


def expected_launch_seconds(spec: LaunchSpec) -> float:
    """How long one launch of `spec` may take, seconds, before one was seen: a rough guess."""
    largest = max(int(dict(point.parameters).get("size", 0)) for point in spec.points)
    arrays = 3 if spec.benchmark == "memory.stream" else 1
    startup = _STARTUP_SECONDS[min(spec.layout.ranks, 2)]
    return (
        startup
        + len(spec.points) * spec.seconds_per_point * 1.3
        + arrays * largest * _SETUP_SECONDS_PER_BYTE
    )


def expected_seconds(plan: Plan) -> float:
    """How long the whole plan may take with the fewest launches, seconds; a rough guess."""
    total = 0.0
    for spec in plan.specs:
        launches = plan.precision.least_launches if spec.role == "points" else REFERENCE_LAUNCHES
        total += launches * expected_launch_seconds(spec)
    return total
