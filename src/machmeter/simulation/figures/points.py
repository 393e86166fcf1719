"""The points that have to be simulated for a printed figure. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.point import Point, make_point
from machmeter.simulation.figures.format import (
    DifferenceOfTwin,
    ParameterOfTwin,
    QuotientOfTwin,
    ResultOfTwin,
    TwinValue,
    Written,
)


class PrintedResult(Struct, frozen=True):
    """What a printed figure is a result of."""

    point: Point
    """Benchmark, parameters and layout, as far as they are printed."""
    metric: str
    """The metric."""


def results_in(value: TwinValue) -> tuple[ResultOfTwin, ...]:
    """The results that a value consists of."""
    if isinstance(value, QuotientOfTwin):
        return value.over, value.under
    if isinstance(value, DifferenceOfTwin):
        return value.of, value.less
    return () if isinstance(value, ParameterOfTwin) else (value,)


def points_of(result: ResultOfTwin, own: PrintedResult | None) -> tuple[Point, ...]:
    """Every point of a result.

    own: what the printed figure is a result of; None for one of no benchmark. Raises ValueError
    where neither names a benchmark.
    """
    base = None if result.benchmark else own
    if base is None and not result.benchmark:
        raise ValueError("the printed figure is of no benchmark: name one")
    name = base.point.benchmark if base else result.benchmark
    printed: dict[str, Written] = dict(base.point.parameters) if base else {}
    layout = base.point.layout if base else Layout()
    return tuple(
        make_point(name, dict(values), replace(layout, **dict(fields)))
        for values in _combined(printed | result.parameters)
        for fields in _combined(result.layout)
    )


def metric_of(result: ResultOfTwin, own: PrintedResult | None) -> str:
    """The metric of a result; arguments and errors as of `points_of`."""
    if result.metric or own is None:
        return result.metric
    return own.metric


def _combined(values: Mapping[str, Written]) -> list[tuple[tuple[str, Value], ...]]:
    lists = [
        [(name, one) for one in (value if isinstance(value, tuple) else (value,))]
        for name, value in values.items()
    ]
    return list(product(*lists))
