"""The value of a printed figure on a twin, from the results of its points. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from machmeter.model.point import Point
from machmeter.model.twin import Twin
from machmeter.simulation.figures.format import (
    DifferenceOfTwin,
    ParameterOfTwin,
    QuotientOfTwin,
    ResultOfTwin,
    TwinValue,
)
from machmeter.simulation.figures.points import PrintedResult, metric_of, points_of

Results = Mapping[tuple[str, Point, str], float]
"""Results in base units, by twin, point and metric."""


def value_on(value: TwinValue, own: PrintedResult | None, twin: Twin, results: Results) -> float:
    """What `twin` states, in the base unit.

    own: what the printed figure is a result of; None for one of no benchmark. Raises KeyError where
    a result or a parameter is not there, ValueError where a value names no benchmark.
    """

    def of(result: ResultOfTwin) -> float:
        name, metric = result.twin or twin.name, metric_of(result, own)
        return max(results[name, point, metric] for point in points_of(result, own))

    if isinstance(value, QuotientOfTwin):
        return of(value.over) / of(value.under)
    if isinstance(value, DifferenceOfTwin):
        return of(value.of) - of(value.less)
    return twin.value(value.name) if isinstance(value, ParameterOfTwin) else of(value)
