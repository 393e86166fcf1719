"""The load of links by patterns of a simulated run, for its page."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.twins.sensitivity import MOST_RANKS
from machmeter.api.twins.simulating import records_on
from machmeter.benchmarks.network.collectives import COLLECTIVE
from machmeter.benchmarks.network.messages import PAIRS
from machmeter.model.errors import MachmeterError
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import SECONDS
from machmeter.model.variant import ONLY
from machmeter.simulation.loads import PatternLoad, kinds_in
from machmeter.text.twins.sensitivity import point_title


def loads_of(result: RunResult, context: Context) -> tuple[PatternLoad, ...]:
    """The load by the all-to-all and by the pairs of most ranks, up to 256, and of largest size;
    none of a measured run, of a network without shared links, or where nothing can be simulated."""
    twin = result.header.request.twin
    chosen = loaded_results(result.estimates) if twin is not None else ()
    if twin is None or not chosen:
        return ()
    library = chosen[0][1].point.variant.mpi or result.header.request.mpi.split(",")[0]
    points = {
        replace(one.point, variant=ONLY): (title, _whole_seconds(one)) for title, one in chosen
    }
    try:
        records = records_on(replace(twin, mpi=library or twin.mpi), tuple(points), context)
    except MachmeterError:
        return ()
    return tuple(
        PatternLoad(point_title(title, point), seconds, kinds)
        for point, (title, seconds) in points.items()
        if (kinds := kinds_in(records[point].quantities))
    )


def loaded_results(estimates: Sequence[Estimate]) -> tuple[tuple[str, Estimate], ...]:
    """Which times of a run are looked at, each with its title."""
    wanted = (
        ("all-to-all", COLLECTIVE.name, {"operation": "alltoall"}),
        ("pairs, all at once", PAIRS.name, {"definition": "classic"}),
    )
    found = []
    for title, benchmark, settings in wanted:
        times = [
            one
            for one in estimates
            if one.point.benchmark == benchmark
            and one.unit == SECONDS
            and settings.items() <= dict(one.point.parameters).items()
            and one.point.layout.nodes > 1
            and one.point.layout.ranks <= MOST_RANKS
        ]
        if times:
            found.append((title, max(times, key=_size)))
    return tuple(found)


def _whole_seconds(one: Estimate) -> float:
    """Of a pair both ways are loaded, and its result is half of that time."""
    return one.value * (2 if one.point.benchmark == PAIRS.name else 1)


def _size(one: Estimate) -> tuple[int, int]:
    return one.point.layout.ranks, int(one.point.get("size"))
