"""The scaling of a machine's figures, with the terms that Extra-P chooses where it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from machmeter.analysis.scaling.fit import times_of
from machmeter.analysis.scaling.laws import LEAST_FOR_EXTRA_P
from machmeter.analysis.scaling.series import Series
from machmeter.build.python_tools.extra_p import EXTRA_P, is_fetched, normal_terms
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.results.estimate import Origin
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.scaling import NormalTerm, Scaling, ScalingReport
from machmeter.text.scalings import scalings_of

MOST_SERIES = 500
MOST_CHARTS = 8

Tell = Callable[[str], None]
Warn = Callable[[MachmeterError], None]
Terms = tuple[NormalTerm | None, ...]


def terms_by_extra_p(series: Sequence[Series], cache: Path, tell: Tell, warn: Warn) -> Terms:
    """What Extra-P chooses for each series of at least five counts; None for the others.

    Where extrap cannot be fetched or fails, that is told by `warn` and no series has a term.
    """
    long_enough = [len(one.counts) >= LEAST_FOR_EXTRA_P for one in series]
    asked = [one for one, enough in zip(series, long_enough, strict=True) if enough]
    if not asked:
        return (None,) * len(series)
    if not is_fetched(cache):
        tell(f"fetching extrap {EXTRA_P.version} from PyPI, once (290 MB in the cache)")
    try:
        found = iter(normal_terms([(one.counts, times_of(one)) for one in asked], cache))
    except MachmeterError as error:
        remedy = f"{error.remedy}; --no-extra-p leaves it out"
        warn(MachmeterError(f"without Extra-P: {error.message}", remedy))
        return (None,) * len(series)
    return tuple(next(found) if enough else None for enough in long_enough)


def refuse_unknown(machine: MachineResults, benchmark: str, metric: str) -> None:
    """Raises UsageError where the machine has no such benchmark or metric at all.

    benchmark: a name or how it begins; metric: a name; empty takes any.
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


def report_of(
    machine: MachineResults, series: Sequence[Series], terms: Terms, least_gain: float, to: int
) -> ScalingReport:
    """The scaling of `series`, the first MOST_SERIES of them.

    Raises UsageError where there is no series, or nothing can be said of `to` for any.
    """
    if not series:
        raise UsageError(
            f"{machine.id} has no figure with two counts of threads, ranks, nodes or cores",
            _REMEDY_MEASURED if machine.origin is Origin.MEASURED else _REMEDY_OTHER,
        )
    shown = series[:MOST_SERIES]
    found = scalings_of(shown, terms[:MOST_SERIES], least_gain=least_gain, to=to)
    if to and not any(one.predicted for one in found):
        raise UsageError(f"nothing can be said of {to}: {_why(found)}", _REMEDY_TO)
    notes = () if len(shown) == len(series) else (f"{len(series) - len(shown)} series left out",)
    return ScalingReport(machine.id, machine.title, least_gain, found, notes)


def save_scaling_charts(report: ScalingReport, path: Path) -> None:
    """Draw the series of a report below one another into a .svg or .png file.

    Raises UsageError for another ending or more than MOST_CHARTS series, MachineLacksError where
    the file cannot be written.
    """
    import altair as alt

    from machmeter.report.benchmarks.charts import save_chart
    from machmeter.report.drawing.charts_scaling import scaling_chart

    if len(report.series) > MOST_CHARTS:
        raise UsageError(
            f"{len(report.series)} figures are too many for one chart of {MOST_CHARTS}",
            "name fewer with --benchmark and --metric",
        )
    charts = [scaling_chart(one) for one in report.series]
    titled = [{**one.spec, "title": one.title} for one in charts]
    spec = titled[0] if len(titled) == 1 else {"$schema": alt.SCHEMA_URL, "vconcat": titled}
    try:
        save_chart(spec, path)
    except ValueError as error:
        raise UsageError(str(error), "name it with one of these endings") from error
    except OSError as error:
        raise storage_error(error, path) from error


def _why(found: Sequence[Scaling]) -> str:
    return next((one.notes[-1] for one in found if one.notes), "no law is fitted")


_EVERY = "`--every` also takes metrics that follow from others"
_REMEDY_MEASURED = f"measure one, for example `machmeter run memory.stream`; {_EVERY}"
_REMEDY_OTHER = f"`machmeter show machine NAME` shows what a machine has; {_EVERY}"
_REMEDY_TO = (
    "measure more counts, or ask for one within twice the largest measured; beyond that two laws "
    "are needed, so that both can be shown"
)
