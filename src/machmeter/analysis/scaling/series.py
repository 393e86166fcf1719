"""Which results of a machine are one result over threads, ranks, nodes or cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Direction, Value
from machmeter.model.layout import Layout
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.scaling import Problem, ScalingAxis
from machmeter.model.units import RATIO, SHARE

# Parameters of published workloads that count what others count by their layout.
_COUNTED = {
    "threads": ScalingAxis.THREADS,
    "ranks": ScalingAxis.RANKS,
    "processes": ScalingAxis.RANKS,
    "nodes": ScalingAxis.NODES,
    "cores": ScalingAxis.CORES,
    "gpus": ScalingAxis.DEVICES,
    "devices": ScalingAxis.DEVICES,
}
_PLACES = ("nodes", "ranks_per_node", "threads_per_rank", "inner_threads")
# What says no more than the counts do: more ranks than cores, how one thread is bound.
_IMPLIED = ("oversubscribe",)

Key = tuple[tuple[str, Value], ...]
_Result = tuple[str, str, str, Direction]


class Series(Struct, frozen=True):
    """Estimates of one metric that differ in the count of the axis alone, by rising count."""

    axis: ScalingAxis
    """What is added."""
    problem: Problem
    """What the work does as the count grows."""
    conditions: dict[str, Value]
    """What they have in common, parameters and layout fields by name."""
    counts: tuple[int, ...]
    """Rising."""
    estimates: tuple[Estimate, ...]
    """By count."""


def series_of(estimates: Iterable[Estimate], *, weak: bool = False) -> tuple[Series, ...]:
    """Every series with two counts or more, in the order of the estimates.

    weak: times of problems are of one that grows with the count. Shares, ratios that are no
    speedups, overheads below resolution and values not above zero are left out.
    """
    found: dict[tuple[_Result, ScalingAxis, Key], dict[int, Estimate]] = {}
    for one in estimates:
        if not _has_rate(one):
            continue
        for axis, count, key in _places_on_axes(one.point):
            curve = found.setdefault((_result_of(one), axis, key), {})
            curve.setdefault(count, one)
    return tuple(
        _series(axis, key, curve, weak) for (_, axis, key), curve in found.items() if len(curve) > 1
    )


def _result_of(one: Estimate) -> _Result:
    """A time in seconds and one in seconds a step are two results, whatever their names."""
    return one.point.benchmark, one.metric, one.unit.name, one.direction


def _series(axis: ScalingAxis, key: Key, curve: Mapping[int, Estimate], weak: bool) -> Series:
    counts = tuple(sorted(curve))
    estimates = tuple(curve[count] for count in counts)
    grows = weak or (axis is ScalingAxis.THREADS and grows_with_threads(estimates[0].point))
    return Series(axis, _problem(estimates[0], grows), dict(key), counts, estimates)


def grows_with_threads(point: Point) -> bool:
    """Whether points like this have more work on more threads: their own `scaling` says so, where
    it does not mean ranks."""
    declared = known(point.benchmark)
    parameters = dict(point.parameters)
    return declared is not None and any(
        one.growth(parameters, 2) > 1 for one in declared.parameters
    )


def _has_rate(one: Estimate) -> bool:
    speedup = one.direction is Direction.HIGHER
    counted = one.unit != SHARE and (one.unit != RATIO or speedup)
    return counted and one.resolved and one.value > 0


def _problem(estimate: Estimate, weak: bool) -> Problem:
    if estimate.direction is Direction.LOWER and not estimate.point.is_work:
        return Problem.COST
    return Problem.GROWING if weak else Problem.FIXED


def _places_on_axes(point: Point) -> list[tuple[ScalingAxis, int, Key]]:
    """Every axis on which the point may lie, with its count and what the others must share."""
    named = [name for name, value in point.parameters if name in _COUNTED and _counts(value)]
    if named:
        name = named[0]
        return [(_COUNTED[name], int(point.get(name)), _key(point, (name,), _PLACES))]
    layout = point.layout
    places: list[tuple[ScalingAxis, int, Key]] = [
        (axis, count(layout), _key(point, (), free))
        for axis, free, count in _LAYOUT_AXES
        if _stands_alone(axis, layout)
    ]
    return places


def _counts(value: Value) -> bool:
    return isinstance(value, int) and value >= 1


_LAYOUT_AXES: tuple[tuple[ScalingAxis, tuple[str, ...], Callable[[Layout], int]], ...] = (
    (ScalingAxis.THREADS, ("threads_per_rank",), lambda layout: layout.threads_per_rank),
    (ScalingAxis.INNER_THREADS, ("inner_threads",), lambda layout: layout.inner_threads),
    (ScalingAxis.RANKS, ("ranks_per_node",), lambda layout: layout.ranks),
    (ScalingAxis.NODES, ("nodes",), lambda layout: layout.nodes),
)


def _stands_alone(axis: ScalingAxis, layout: Layout) -> bool:
    """Of nested teams the outer ones are followed without inner ones, and the other way round."""
    if axis is ScalingAxis.THREADS:
        return layout.inner_threads == 1
    if axis is ScalingAxis.INNER_THREADS:
        return layout.threads_per_rank == 1
    return True


def _key(point: Point, counted: tuple[str, ...], free: tuple[str, ...]) -> Key:
    """What all points of one series share: parameters and layout but for what is counted."""
    left_out = {*free, *_IMPLIED}
    layout = [(n, v) for n, v in point.configuration.items() if n not in left_out]
    return (*((n, v) for n, v in point.parameters if n not in counted), *layout)
