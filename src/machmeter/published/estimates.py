"""Published figures as estimates, so that the same rules answer from them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from machmeter.analysis.scores.problems import REFERENCE_TFLOP
from machmeter.analysis.stats.estimates import interval_of
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Direction, Formula, Metric, Value
from machmeter.model.errors import MachmeterError
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import LAYOUT_FIELDS
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import SHARE, UNBOUNDED
from machmeter.published.checks import refuse_other_mean
from machmeter.published.format import Better, PrintedFigure, PrintedTable, PublishedMachine
from machmeter.published.printed import NO_FLAGS, PrintedNumber, decimals_of, printed_figures
from machmeter.published.units import PrintedUnit, printed_unit, unit_of_metric

WORKLOAD = "workload"
# Of figures in base units: ratios and sums of such stay floating-point numbers.
LEAST, MOST = 1e-30, 1e30
# Beyond this a count is no exact number of double precision any more.
MOST_OF_PARAMETER = 2**53
_MOST = 10**9
_BOUNDS_OF_LAYOUT = {field.name: field.bounds for field in LAYOUT_FIELDS if field.bounds}


class _Quantity(Struct, frozen=True):
    """What the figures of a table are figures of, and in which unit."""

    benchmark: str
    metric: str
    title: str
    direction: Direction
    printed: PrintedUnit
    scale: Scale


def published_estimates(
    machine: PublishedMachine, flags: Mapping[str, str] = NO_FLAGS
) -> tuple[Estimate, ...]:
    """The figures of a published machine that are of a benchmark or of a named workload.

    Each is one launch without an interval, and says where it is printed. flags: what is wrong with
    a figure, by its id. Raises MachmeterError for a benchmark, parameter, layout field or unit that
    machmeter does not have.
    """
    return tuple(
        _estimate(machine, number)
        for number in printed_figures(machine, flags).values()
        if number.table.benchmark or number.table.workload
    )


def _estimate(machine: PublishedMachine, number: PrintedNumber) -> Estimate:
    table, figure = number.table, number.figure
    where = f"figure {figure.id} of {machine.id}"
    parameters = {**table.parameters, **figure.parameters}
    _refuse_numbers(parameters, where)
    what = _own(table, parameters, where) if table.benchmark else _workload(table, where)
    value = number.value * what.printed.factor
    _refuse_without_value(value, what.scale, where)
    for launch in figure.launches:
        _refuse_without_value(launch * what.printed.factor, what.scale, where)
    is_rate = what.direction is Direction.HIGHER and what.scale is Scale.LOG
    decimals = decimals_of(table, figure)
    refuse_other_mean(number.value, figure.launches, decimals, where, is_rate=is_rate)
    single = Estimate(
        point=make_point(what.benchmark, parameters, _layout(table, figure, where)),
        metric=what.metric,
        title=what.title,
        unit=what.printed.unit,
        direction=what.direction,
        scale=what.scale,
        value=value,
        low=-UNBOUNDED if what.printed.unit == SHARE else 0.0,
        high=UNBOUNDED,
        launches=1,
        samples=0,
        precision=UNBOUNDED,
        target_precision=0.0,
        reached=False,
        resolved=True,
        launch_values=(value,),
        launch_numbers=(1,),
        warmup_cut=0,
        outliers=0,
        batch=1,
        attributes={},
        origin=machine.origin,
        printed=number.printed,
        pair_relation=machine.kinds.get(str(parameters.get("pair", ""))),
    )
    return _over_launches(single, figure, what.printed.factor) if figure.launches else single


def _over_launches(single: Estimate, figure: PrintedFigure, factor: float) -> Estimate:
    """The estimate with the interval that its independent launches give it."""
    values = tuple(value * factor for value in figure.launches)
    # The formula of any quantity on that scale gives the same interval.
    formula = Formula.TIME if single.scale is Scale.LOG else Formula.WORK_HIDDEN
    interval = interval_of(values, formula)
    return msgspec.structs.replace(
        single,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        precision=interval.precision,
        launches=len(values),
        launch_values=values,
        launch_numbers=tuple(range(1, len(values) + 1)),
    )


def _refuse_without_value(value: float, scale: Scale, where: str) -> None:
    if abs(value) > MOST or 0 < abs(value) < LEAST:
        raise MachmeterError(
            f"{where}: {value:g} is beyond {LEAST:g} to {MOST:g}: it is no quantity of a computer",
            "correct the number or its unit",
        )
    if not math.isfinite(value) or (scale is Scale.LOG and value <= 0):
        raise MachmeterError(
            f"{where}: {value:g} is no time, rate or ratio", "give it a number above 0"
        )


def _refuse_numbers(parameters: Mapping[str, Value], where: str) -> None:
    for name, value in parameters.items():
        if isinstance(value, int) and abs(value) > MOST_OF_PARAMETER:
            raise MachmeterError(
                f"{where}: {name} is beyond {MOST_OF_PARAMETER}", "give it a smaller number"
            )
    operations = parameters.get(REFERENCE_TFLOP, 1)
    if not isinstance(operations, int) or operations <= 0:
        raise MachmeterError(
            f"{where}: {REFERENCE_TFLOP} cannot be {operations!r}",
            "give it the reference operations, a whole number of 10^12 above 0",
        )


def scale_of_figure(benchmark: str, metric: str, unit: str, where: str) -> Scale:
    """Of differences and shares the linear scale, of which the value is the arithmetic mean of its
    launches; of all else the logarithmic, with the geometric mean.

    benchmark, metric: empty for a workload's figure, which its unit, as printed, tells. Raises
    MachmeterError for what machmeter does not have.
    """
    if not benchmark:
        return _scale(printed_unit(unit, where).unit == SHARE)
    return _scale_of_metric(_measured(benchmark, metric, where)[1])


def _own(table: PrintedTable, parameters: dict[str, Value], where: str) -> _Quantity:
    benchmark, metric = _measured(table.benchmark, table.metric, where)
    _refuse_unknown(benchmark, parameters, where)
    return _Quantity(
        benchmark.name,
        metric.name,
        metric.title,
        metric.direction,
        unit_of_metric(table.unit, metric, where),
        _scale_of_metric(metric),
    )


def _workload(table: PrintedTable, where: str) -> _Quantity:
    printed = printed_unit(table.unit, where)
    higher = table.better is Better.HIGHER
    return _Quantity(
        f"{WORKLOAD}.{table.workload}",
        metric_name(table.quantity),
        table.quantity[:1].upper() + table.quantity[1:],
        Direction.HIGHER if higher else Direction.LOWER,
        printed,
        _scale(printed.unit == SHARE),
    )


def _scale_of_metric(metric: Metric) -> Scale:
    return _scale(metric.unit == SHARE or metric.formula is Formula.OVERHEAD)


def _scale(may_be_negative: bool) -> Scale:
    return Scale.LINEAR if may_be_negative else Scale.LOG


def metric_name(quantity: str) -> str:
    """The name of a quantity as a metric: `wall time` is `wall_time`."""
    return re.sub(r"[^a-z0-9]+", "_", quantity.lower()).strip("_")


def _measured(name: str, of: str, where: str) -> tuple[Benchmark, Metric]:
    benchmark = find(name)
    try:
        return benchmark, benchmark.metric(of)
    except KeyError as error:
        known = ", ".join(metric.name for metric in benchmark.metrics)
        raise MachmeterError(f"{where}: {error.args[0]}", f"choose one of: {known}") from error


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


def _layout(table: PrintedTable, figure: PrintedFigure, where: str) -> Layout:
    fields = {**table.layout, **figure.layout}
    unknown = sorted(set(fields) - set(Layout.__struct_fields__))
    if unknown:
        raise MachmeterError(
            f"{where}: a layout has no {', '.join(unknown)}",
            f"choose from: {', '.join(Layout.__struct_fields__)}",
        )
    try:
        layout = msgspec.convert(fields, type=Layout)
    except msgspec.ValidationError as error:
        raise MachmeterError(f"{where}: {error}", "correct its layout") from error
    for name, (least, most) in _BOUNDS_OF_LAYOUT.items():
        if not least <= getattr(layout, name) <= most:
            raise MachmeterError(
                f"{where}: {name} is outside {least} to {most}", "correct its layout"
            )
    return layout
