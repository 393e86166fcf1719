"""How sensitive the results of a simulated run are to each parameter of its model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.twins.simulating import estimates_on_each
from machmeter.benchmarks.network.sensitive import SENSITIVE_RESULTS, SensitiveResult
from machmeter.model.errors import MachmeterError
from machmeter.model.layout import ProgressMode
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.twin import Twin
from machmeter.model.units import format_value
from machmeter.model.variant import ONLY
from machmeter.simulation.sensitivity import (
    SensitivePoint,
    TwinSensitivity,
    effects_of,
    varied_twins,
)
from machmeter.text.twins.sensitivity import point_title

MOST_RANKS = 256
"""Of a collective operation that is simulated some forty times."""


def sensitivity_of(result: RunResult, context: Context) -> TwinSensitivity | None:
    """The sensitivity of the headline results of a simulated run; None of a measured one.

    Where the simulator cannot run, its problem says why.
    """
    twin = result.header.request.twin
    if twin is None:
        return None
    found = headline_results_of(result.estimates)
    if not found:
        return TwinSensitivity(problem="the run has none of the results that are looked at")
    library = found[0].estimate.point.variant.mpi or result.header.request.mpi.split(",")[0]
    try:
        return _simulated(replace(twin, mpi=library or twin.mpi), found, context)
    except MachmeterError as error:
        return TwinSensitivity(problem=error.message)


class ChosenResult(Struct, frozen=True):
    """A result of a run that is simulated again."""

    title: str
    """What it is: `latency, 8 B`."""
    estimate: Estimate
    """The result."""


def headline_results_of(estimates: Sequence[Estimate]) -> tuple[ChosenResult, ...]:
    """Those of `SENSITIVE_RESULTS` that there are, over several nodes and at most 256 ranks."""
    chosen = ((wanted, _chosen(estimates, wanted)) for wanted in SENSITIVE_RESULTS)
    return tuple(
        ChosenResult(point_title(wanted.title, one.point), one)
        for wanted, one in chosen
        if one is not None
    )


def _chosen(estimates: Iterable[Estimate], wanted: SensitiveResult) -> Estimate | None:
    found = [
        one
        for one in estimates
        if (one.point.benchmark, one.metric) == (wanted.benchmark.name, wanted.metric)
        and wanted.settings.items() <= dict(one.point.parameters).items()
        and one.point.layout.nodes > 1
        and one.point.layout.ranks <= MOST_RANKS
        and one.point.layout.progress is ProgressMode.LIBRARY
    ]

    def order(one: Estimate) -> tuple[int, int]:
        ranks, size = one.point.layout.ranks, int(one.point.get("size"))
        return (-ranks if wanted.most_ranks else ranks, -size if wanted.largest else size)

    return min(found, key=order, default=None)


def _simulated(twin: Twin, found: Sequence[ChosenResult], context: Context) -> TwinSensitivity:
    points = tuple(replace(one.estimate.point, variant=ONLY) for one in found)
    wanted = tuple(zip(points, (one.estimate.metric for one in found), strict=True))
    varied = varied_twins(twin)
    twins = (twin, *(one.twin for one in varied))
    base, *others = (
        _values(simulated, wanted) for simulated in estimates_on_each(twins, points, context)
    )
    shown = (
        SensitivePoint(one.title, value, format_value(value, one.estimate.unit))
        for one, value in zip(found, base, strict=True)
    )
    names = ((one.parameter, one.factor) for one in varied)
    return effects_of(twin, tuple(shown), dict(zip(names, others, strict=True)))


def _values(
    simulated: Iterable[Estimate], wanted: Sequence[tuple[Point, str]]
) -> tuple[float, ...]:
    known = {(one.point, one.metric): one.value for one in simulated}
    return tuple(known[pair] for pair in wanted)
