"""How results scale with threads, ranks, nodes or cores, with Extra-P's terms where it is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from machmeter.analysis.scaling.fit import times_of
from machmeter.analysis.scaling.laws import LEAST_FOR_EXTRA_P
from machmeter.analysis.scaling.series import Series
from machmeter.api.context import Context
from machmeter.api.machines import MachineName
from machmeter.api.machines import machine as machine_named
from machmeter.build.python_tools.extra_p import EXTRA_P, is_fetched, normal_terms
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.origin import Origin
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.scaling import NormalTerm, Scaling, ScalingReport
from machmeter.text.scaling import scalings_of, series_to_show

MAX_SERIES = 500
MAX_CHARTS = 8
MAX_COUNT = 10**9

Terms = tuple[NormalTerm | None, ...]


def scaling(  # noqa: PLR0913 - each is an option of `machmeter scaling`
    name: MachineName = "last",
    *,
    benchmark: str = "",
    metric: str = "",
    to: int | None = None,
    least_gain: float = 1.5,
    weak: bool = False,
    extra_p: bool = True,
    every: bool = False,
    context: Context | None = None,
) -> ScalingReport:
    """Speedup, efficiency and scaling laws of the results that have two counts or more.

    Args:
        name: As in `machine`.
        benchmark: Only this benchmark, or those whose name begins so.
        metric: Only this metric.
        to: A count to predict for.
        least_gain: Speedup that a doubling must reach, from 1 to 2.
        weak: Times are of a problem that grows with the count.
        extra_p: Fit Extra-P's normal form, too, fetched from PyPI once; without it there is a
            warning.
        every: Also metrics that follow from others.
        context: Folders and listeners.

    Raises:
        UsageError: Nothing scales, there is no such benchmark or metric, or nothing can be
            predicted for `to`.
        MachmeterError: As in `machine`.
    """
    _check(to, least_gain)
    context = context or Context()
    machine = machine_named(name, context=context)
    _refuse_unknown(machine, benchmark, metric)
    series = series_to_show(
        machine.estimates, benchmark=benchmark, metric=metric, weak=weak, every=every
    )
    terms = _terms_by_extra_p(series, context) if extra_p else (None,) * len(series)
    return _report_of(machine, series, terms, least_gain, to or 0)


def _check(to: int | None, least_gain: float) -> None:
    if to is not None and not 1 <= to <= MAX_COUNT:
        raise UsageError(f"cannot predict for {to}", f"use 1 to {MAX_COUNT}")
    if not 1 <= least_gain <= 2:
        raise UsageError(
            f"invalid speedup of a doubling: {least_gain:g}", "use a ratio from 1 to 2"
        )


def _terms_by_extra_p(series: Sequence[Series], context: Context) -> Terms:
    """What Extra-P chooses for each series of at least five counts; None for the others."""
    long_enough = [len(one.counts) >= LEAST_FOR_EXTRA_P for one in series]
    to_fit = [one for one, enough in zip(series, long_enough, strict=True) if enough]
    if not to_fit:
        return (None,) * len(series)
    if not is_fetched(context.cache):
        context.notify(f"fetching extrap {EXTRA_P.version} from PyPI, once (4 MB)")
    try:
        found = iter(normal_terms([(one.counts, times_of(one)) for one in to_fit], context.cache))
    except MachmeterError as error:
        remedy = f"{error.remedy}; or use --no-extra-p"
        context.warn(MachmeterError(f"without Extra-P: {error.message}", remedy))
        return (None,) * len(series)
    return tuple(next(found) if enough else None for enough in long_enough)


def _refuse_unknown(machine: MachineResults, benchmark: str, metric: str) -> None:
    """Raises UsageError where the machine has no such benchmark or metric at all.

    benchmark: a name or prefix; metric: a name; empty takes any.
    """
    benchmarks = dict.fromkeys(one.point.benchmark for one in machine.estimates)
    named = [one for one in machine.estimates if one.point.benchmark.startswith(benchmark)]
    if benchmark and not named:
        raise UsageError(
            f"{machine.id} has no benchmark {benchmark!r}", f"it has: {', '.join(benchmarks)}"
        )
    metrics = dict.fromkeys(one.metric for one in named)
    if metric and metric not in metrics:
        raise UsageError(
            f"{machine.id} has no metric {metric!r} there", f"it has: {', '.join(metrics)}"
        )


def _report_of(
    machine: MachineResults, series: Sequence[Series], terms: Terms, least_gain: float, to: int
) -> ScalingReport:
    """The scaling of the first `MAX_SERIES` of `series`; raises UsageError as `scaling` does."""
    if not series:
        raise UsageError(
            f"{machine.id} has no result at two counts of threads, ranks, nodes or cores",
            _REMEDY_MEASURED if machine.origin is Origin.MEASURED else _REMEDY_OTHER,
        )
    shown = series[:MAX_SERIES]
    found = scalings_of(shown, terms[:MAX_SERIES], least_gain=least_gain, to=to)
    if to and not any(one.predicted for one in found):
        raise UsageError(f"cannot predict for {to}: {_why(found)}", _REMEDY_TO)
    notes = () if len(shown) == len(series) else (f"{len(series) - len(shown)} series left out",)
    return ScalingReport(machine.id, machine.title, least_gain, found, notes)


def save_scaling_charts(report: ScalingReport, path: Path) -> None:
    """Draw the series of a report below one another.

    Args:
        report: At most 8 series.
        path: A .svg or .png file.

    Raises:
        UsageError: Another ending, or too many series.
        MachineLacksError: The file cannot be written.
    """
    from machmeter.report.benchmarks.charts import save_chart
    from machmeter.report.drawing.panel import SCHEMA
    from machmeter.report.drawing.scaling import scaling_chart

    if len(report.series) > MAX_CHARTS:
        raise UsageError(
            f"{len(report.series)} results are too many for one chart (at most {MAX_CHARTS})",
            "select with --benchmark and --metric",
        )
    charts = [scaling_chart(one) for one in report.series]
    titled = [{**one.spec, "title": one.title} for one in charts]
    spec = titled[0] if len(titled) == 1 else {"$schema": SCHEMA, "vconcat": titled}
    try:
        save_chart(spec, path)
    except ValueError as error:
        raise UsageError(str(error), "use one of these endings") from error
    except OSError as error:
        raise storage_error(error, path) from error


def _why(found: Sequence[Scaling]) -> str:
    return next((one.notes[-1] for one in found if one.notes), "no law fits")


_EVERY = "`--every` also takes derived metrics"
_REMEDY_MEASURED = f"measure one, for example `machmeter run memory.stream`; {_EVERY}"
_REMEDY_OTHER = f"`machmeter show machine NAME` shows what a machine has; {_EVERY}"
_REMEDY_TO = (
    "measure more counts, or predict for at most twice the largest one; beyond that two laws are "
    "needed, so that both can be shown"
)
