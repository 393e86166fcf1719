"""The protocols of every curve of time over message size that a run measured. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from machmeter.analysis.curves.curves import curves_along
from machmeter.analysis.curves.protocols import find_protocols
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Formula
from machmeter.model.results.curves import ProtocolCurve
from machmeter.model.results.estimate import Estimate

SIZE = "size"
LEAST_SIZES = 8


def protocol_curves(estimates: Sequence[Estimate]) -> tuple[ProtocolCurve, ...]:
    """One for every benchmark of messages, layout and setting with eight sizes or more."""
    return tuple(
        ProtocolCurve(curve[0].point, curve[0].metric, regions)
        for curve in _curves(estimates)
        if (along := curves_along(SIZE, curve)) is not None
        for regions in [find_protocols(along.axis, along.launches)]
    )


def _curves(estimates: Sequence[Estimate]) -> Iterator[list[Estimate]]:
    """Estimates of times that differ in the size of the message alone."""
    groups: dict[tuple[object, ...], list[Estimate]] = {}
    for estimate in estimates:
        benchmark = known(estimate.point.benchmark)
        if benchmark is None or not benchmark.program.has_ranks:
            continue
        if SIZE not in dict(estimate.point.parameters):
            continue
        if benchmark.metric(estimate.metric).formula is Formula.TIME:
            rest = tuple(one for one in estimate.point.parameters if one[0] != SIZE)
            point = estimate.point
            key = (benchmark.name, rest, point.layout, point.variant, estimate.metric)
            groups.setdefault(key, []).append(estimate)
    yield from (group for group in groups.values() if len(group) >= LEAST_SIZES)
