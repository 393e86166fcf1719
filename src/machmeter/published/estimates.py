"""Published figures as estimates, so that the same rules answer from them."""

from __future__ import annotations

import msgspec

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Formula, Metric, Value
from machmeter.model.errors import MachmeterError
from machmeter.model.estimate import Estimate, Scale
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.units import UNBOUNDED
from machmeter.published.format import Figure, PublishedMachine, Table
from machmeter.published.formulas import known_figures

# Factor to base units, and the symbol of the base unit.
_UNITS = {
    "s": (1.0, "s"),
    "ms": (1e-3, "s"),
    "us": (1e-6, "s"),
    "ns": (1e-9, "s"),
    "MB/s": (1e6, "B/s"),
    "GB/s": (1e9, "B/s"),
    "MFLOP/s": (1e6, "flop/s"),
    "GFLOP/s": (1e9, "flop/s"),
    "x": (1.0, "x"),
}


def published_estimates(machine: PublishedMachine) -> tuple[Estimate, ...]:
    """The figures of a published machine that are the same as one of machmeter's own.

    Each is one launch without an interval, and says where it is printed. Raises MachmeterError for
    a benchmark, parameter, layout field or unit that machmeter does not have.
    """
    values = {name: known.value for name, known in known_figures([machine]).items()}
    return tuple(
        _estimate(machine, table, figure, values[f"{machine.id}/{figure.id}"])
        for table in machine.tables
        if table.benchmark
        for figure in table.figures
    )


def _estimate(machine: PublishedMachine, table: Table, figure: Figure, printed: float) -> Estimate:
    where = f"figure {figure.id} of {machine.id}"
    benchmark, metric = _measured(table, where)
    value = printed * _factor(table, metric, where)
    parameters = {**table.parameters, **figure.parameters}
    _refuse_unknown(benchmark, parameters, where)
    linear = metric.formula is Formula.OVERHEAD
    words = {
        "figure": figure.id,
        "text": figure.text,
        "qualifier": figure.qualifier or table.qualifier,
        "precision": table.precision.value,
        "note": table.note,
    }
    return Estimate(
        point=make_point(benchmark.name, parameters, _layout(table, figure, where)),
        metric=metric.name,
        title=metric.title,
        unit=metric.unit,
        direction=metric.direction,
        scale=Scale.LINEAR if linear else Scale.LOG,
        value=value,
        low=0.0,
        high=UNBOUNDED,
        launches=1,
        samples=0,
        precision=UNBOUNDED,
        asked=0.0,
        reached=False,
        resolved=True,
        launch_values=(value,),
        launch_numbers=(1,),
        warmup_cut=0,
        outliers=0,
        batch=1,
        words={name: said for name, said in words.items() if said},
        source=f"{machine.source}, {table.page}",
    )


def _measured(table: Table, where: str) -> tuple[Benchmark, Metric]:
    benchmark = find(table.benchmark)
    try:
        return benchmark, benchmark.metric(table.metric)
    except KeyError as error:
        known = ", ".join(metric.name for metric in benchmark.metrics)
        raise MachmeterError(f"{where}: {error.args[0]}", f"choose one of: {known}") from error


def _factor(table: Table, metric: Metric, where: str) -> float:
    factor, symbol = _UNITS.get(table.unit, (0.0, ""))
    if not symbol or symbol != metric.unit.symbol:
        known = ", ".join(name for name, (_, base) in _UNITS.items() if base == metric.unit.symbol)
        raise MachmeterError(
            f"{where}: {table.unit!r} is no unit of {metric.name}", f"choose one of: {known}"
        )
    return factor


def _refuse_unknown(benchmark: Benchmark, parameters: dict[str, Value], where: str) -> None:
    known = {parameter.name: parameter for parameter in benchmark.parameters}
    for name, value in parameters.items():
        parameter = known.get(name)
        if parameter is None:
            raise MachmeterError(
                f"{where}: {benchmark.name} has no parameter {name!r}",
                f"choose one of: {', '.join(known)}",
            )
        if parameter.choices and str(value) not in parameter.choices:
            raise MachmeterError(
                f"{where}: {name} cannot be {value!r}",
                f"choose one of: {', '.join(parameter.choices)}",
            )


def _layout(table: Table, figure: Figure, where: str) -> Layout:
    fields = {**table.layout, **figure.layout}
    unknown = sorted(set(fields) - set(Layout.__struct_fields__))
    if unknown:
        raise MachmeterError(
            f"{where}: a layout has no {', '.join(unknown)}",
            f"choose from: {', '.join(Layout.__struct_fields__)}",
        )
    try:
        return msgspec.convert(fields, type=Layout)
    except msgspec.ValidationError as error:
        raise MachmeterError(f"{where}: {error}", "correct its layout") from error
