"""The findings of a run: its questions, put to what was measured on its machine. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from machmeter.analysis.rules import answers
from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import LayoutError, assign
from machmeter.layout.places import common_ancestors
from machmeter.model.benchmark import ParameterKind
from machmeter.model.estimate import Estimate, Finding
from machmeter.model.layout import Assignment, Layout
from machmeter.model.machine import Topology
from machmeter.model.point import Point
from machmeter.model.run import Plan


def findings(plan: Plan, topology: Topology, estimates: Sequence[Estimate]) -> tuple[Finding, ...]:
    """The finding for each question of the plan; `topology` is that of the machine measured."""
    return answers(
        plan.questions,
        estimates,
        kinds_of(_pairs_of_cpus(plan.points), topology),
        assigned(dict.fromkeys(point.layout for point in plan.points), topology),
    )


def kinds_of(pairs: Iterable[str], topology: Topology) -> dict[str, str]:
    """What the two CPUs of each pair (`0-17`) share; pairs of what are no CPUs are left out."""
    known = {cpu.number for cpu in topology.cpus if cpu.online}
    numbers: dict[str, tuple[int, int]] = {}
    for text in dict.fromkeys(pairs):
        first, _, second = text.partition("-")
        if first.isdecimal() and second.isdecimal() and {int(first), int(second)} <= known:
            numbers[text] = (int(first), int(second))
    ancestors = common_ancestors(topology, numbers.values())
    return {text: str(ancestors[pair]) for text, pair in numbers.items()}


def assigned(layouts: Iterable[Layout], topology: Topology) -> dict[Layout, Assignment]:
    """The CPUs of each layout; one that this machine cannot hold is left out."""
    found = {}
    for layout in layouts:
        try:
            found[layout] = assign(layout, topology)
        except LayoutError:
            continue
    return found


def _pairs_of_cpus(points: Iterable[Point]) -> list[str]:
    return [
        str(point.get(parameter.name))
        for point in points
        for parameter in find(point.benchmark).parameters
        if parameter.kind is ParameterKind.PAIR
    ]
