"""The roofs that a run measured on all cores, and the kernels that stand under them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from machmeter.analysis.scaling.roofline import Roof, RoofStanding, operations, standing
from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Benchmark
from machmeter.model.display import Counted
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.roofline.caches import CacheRoof, cache_roofs
from machmeter.report.benchmarks.groups.roofline.roofs import (
    Roofs,
    on_all_cores,
    peaks_in,
    roofs_of,
)
from machmeter.report.benchmarks.selection import best, estimates_of, of_metric, size


class RoofMark(Struct, frozen=True):
    """A kernel on the roofline."""

    name: str
    """As text."""
    flops: Estimate
    """Its rate of operations."""
    standing: RoofStanding
    """What limits it, and its share of that."""
    model: str
    """Which bytes are counted."""
    precision: str
    """Of its numbers, by which its peak is chosen."""


class Roofline(Struct, frozen=True):
    """What all cores of a node allow, and what runs there."""

    roofs: Roofs
    """The limits."""
    caches: tuple[CacheRoof, ...]
    """Levels of caches that were swept, the innermost first."""
    marks: tuple[RoofMark, ...]
    """In the order of the run."""

    def is_roof(self, mark: RoofMark) -> bool:
        """Whether it is the sweep that the memory's roof is taken from."""
        return mark.flops.point == self.roofs.bandwidth.point


def roofline_of(result: RunResult) -> Roofline | None:
    """The roofline of a run; None where it measured no peak in double precision, or no sweep over
    arrays in memory."""
    roofs = roofs_of(result.estimates, lambda one: size(one) > result.last_cache.size)
    if roofs is None:
        return None
    caches = cache_roofs(result, roofs.bandwidth)
    return Roofline(roofs, caches, tuple(_marks(result, roofs.bandwidth)))


def standing_of(result: RunResult, estimate: Estimate) -> RoofStanding | None:
    """Where a result stands, the mark of its kernel or not; None where it has no roof."""
    declared = known(estimate.point.benchmark, result.header.request.study.benchmarks)
    found = roofline_of(result)
    if found is None or declared is None or declared.display.counted is None:
        return None
    bandwidth = found.roofs.bandwidth
    counted = declared.display.counted
    own = [e for e in estimates_of(result, declared.name) if e.point == estimate.point]
    traffic = next(iter(on_all_cores(of_metric(own, counted.bytes), bandwidth)), None)
    flops = _operations(own, traffic, counted) if traffic else None
    if traffic is None or flops is None:
        return None
    mark = _mark(result, declared, counted, (flops, traffic), bandwidth)
    return mark.standing if mark else None


def _threads(estimate: Estimate) -> int:
    return estimate.point.layout.threads


def _marks(result: RunResult, bandwidth: Estimate) -> Iterator[RoofMark]:
    for name in dict.fromkeys(e.point.benchmark for e in result.estimates):
        declared = known(name, result.header.request.study.benchmarks)
        counted = declared.display.counted if declared else None
        if declared is None or counted is None:
            continue
        for rates in _best_of_each(estimates_of(result, name), counted, bandwidth):
            mark = _mark(result, declared, counted, rates, bandwidth)
            if mark is not None:
                yield mark


def _mark(
    result: RunResult,
    declared: Benchmark,
    counted: Counted,
    rates: tuple[Estimate, Estimate],
    bandwidth: Estimate,
) -> RoofMark | None:
    """Of one point's operations and bytes; None where it has no roof.

    The memory is no limit of what is within a cache: of a kernel nothing is known then, a program
    still has the peak above it.
    """
    flops, traffic = rates
    if _threads(flops) != _threads(bandwidth):
        return None
    precision = str(value_of(flops, "precision") or counted.precision)
    peak = best(where(peaks_in(result.estimates, bandwidth), "precision", precision))
    if peak is None:
        return None
    in_cache = _data_bytes(result, declared, counted, flops.point) <= result.last_cache.size
    in_program = in_cache and flops.point.is_work
    found = standing(flops, traffic, peak, None if in_program else bandwidth)
    if in_cache and found.roof is Roof.MEMORY:
        return None
    if flops.point.is_work and found.roof is Roof.MEMORY and found.share.low > 1:
        # More than the memory carries: a part of the bytes was in caches.
        found = standing(flops, traffic, peak, None)
    return RoofMark(_named(counted, flops), flops, found, counted.model, precision)


def _data_bytes(result: RunResult, declared: Benchmark, counted: Counted, point: Point) -> float:
    """As the benchmark measures it, else what an event reads and writes, as a launch recorded it,
    else by the point's parameters."""
    if counted.data:
        measured = of_metric(estimates_of(result, declared.name), counted.data)
        return next((e.value for e in measured if e.point == point), 0.0)
    shown = (one.record.quantities for one in result.shown if one.point == point)
    recorded = next(shown, {}).get("bytes", 0.0)
    values = dict(point.parameters)
    sizes = (one.data_bytes(values.get(one.name, "")) for one in declared.parameters)
    return recorded or max(sizes, default=0)


def _best_of_each(
    estimates: Sequence[Estimate], counted: Counted, bandwidth: Estimate
) -> Iterator[tuple[Estimate, Estimate]]:
    """Operations and bytes of the best result on all cores for every mark."""
    traffic = on_all_cores(of_metric(estimates, counted.bytes), bandwidth)
    for name in counted.largest:
        traffic = extreme(traffic, name)
    marks: dict[tuple[object, ...], list[Estimate]] = {}
    for one in traffic:
        marks.setdefault(tuple(value_of(one, name) for name in counted.each), []).append(one)
    for found in marks.values():
        fastest = best(found)
        flops = _operations(estimates, fastest, counted) if fastest else None
        if fastest is not None and flops is not None:
            yield flops, fastest


def _operations(
    estimates: Iterable[Estimate], traffic: Estimate, counted: Counted
) -> Estimate | None:
    of_point = (e for e in of_metric(estimates, counted.flops) if e.point == traffic.point)
    rate = next(of_point, None)
    name, flops_of = counted.flops_of
    if rate is None or not name:
        return rate
    each = dict(flops_of).get(str(value_of(traffic, name)))
    return operations(rate, each) if each else None


def _named(counted: Counted, estimate: Estimate) -> str:
    return counted.name.format(**{name: value_of(estimate, name) for name in counted.each})
