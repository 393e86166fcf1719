"""How results scale, as text: names, verdicts, limits, laws and predictions."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.scaling.fit import LEAST_GAIN, scaling_of
from machmeter.analysis.scaling.series import Series, series_of
from machmeter.benchmarks.catalogue import BENCHMARKS, is_primary
from machmeter.model.interval import Interval
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed_text import printed_text
from machmeter.model.results.scaling import (
    CountResult,
    CurvePoint,
    FittedLaw,
    LawName,
    LawParameter,
    NormalTerm,
    Problem,
    Scaling,
    ScalingAxis,
    ScalingLimit,
    ScalingStep,
    StepVerdict,
)
from machmeter.model.units import SECONDS, UNBOUNDED, is_unbounded
from machmeter.text.labels import parameter_phrase
from machmeter.text.layouts import layout_columns
from machmeter.text.machines import within_a_line
from machmeter.text.numbers import quantity_text, ratio_number, ratio_text, share_text
from machmeter.text.plain import plain

_ONE = {
    ScalingAxis.THREADS: "thread",
    ScalingAxis.INNER_THREADS: "inner thread",
    ScalingAxis.RANKS: "rank",
    ScalingAxis.NODES: "node",
    ScalingAxis.CORES: "core",
    ScalingAxis.DEVICES: "device",
}
AS_PRINTED = "single values, no confidence interval"


def counted(count: float, axis: ScalingAxis) -> str:
    """`1 core`, `384 cores`, `1,056 cores`."""
    return f"{count:,.0f} {_ONE[axis] if round(count) == 1 else axis.value}"


def range_text(scaling: Scaling) -> str:
    """`48 to 768 cores`."""
    first, last = scaling.results[0].count, scaling.results[-1].count
    return f"{first:,} to {counted(last, scaling.axis)}"


def headline(scaling: Scaling) -> str:
    """What one would say of a series first."""
    last = scaling.results[-1]
    if scaling.problem is Problem.COST:
        return f"{range_text(scaling)}: {ratio_number(growth(scaling))} times the cost"
    speedup = speedup_text(last.speedup)
    return (
        f"{range_text(scaling)}: speedup {speedup} of {last.count / scaling.results[0].count:.3g}"
        f" ({efficiency_text(last.efficiency)}); {limit_sentence(scaling)}"
    )


def growth(scaling: Scaling) -> float:
    """The last figure over the first."""
    return scaling.results[-1].value.value / scaling.results[0].value.value


def limit_sentence(scaling: Scaling) -> str:
    """Up to which measured count a doubling scales, with its interval."""
    if scaling.limit is None:
        return ""
    axis, largest = scaling.axis, scaling.results[-1].count
    if scaling.limit.value == scaling.results[0].count:
        first = f"the first step from {counted(scaling.limit.value, axis)}"
        is_open = scaling.limit.high > scaling.limit.value
        words = f"{first} is inconclusive" if is_open else f"{first} does not scale"
    elif is_unbounded(scaling.limit.value):
        words = f"every step scales up to {counted(largest, axis)}"
    else:
        words = f"scales up to {counted(scaling.limit.value, axis)}"
    return f"{words}{_limit_ends(scaling.limit, largest)}"


def limit_short(limit: ScalingLimit, largest: float) -> str:
    """`384`, or `16 [16, >48]` where its interval includes more counts."""
    value = "every step" if limit.value > largest else f"{limit.value:,.0f}"
    if limit.low == limit.high:
        return value
    return f"{value} [{_end(limit.low, largest)}, {_end(limit.high, largest)}]"


def _limit_ends(limit: ScalingLimit, largest: float) -> str:
    how = " (no CI)" if limit.as_printed else ""
    if limit.low == limit.high:
        return how
    how = " (no CI; within rounding)" if limit.as_printed else ""
    return f" [{_end(limit.low, largest)}, {_end(limit.high, largest)}]{how}"


def limit_text(law: FittedLaw, largest: float) -> str:
    """Where doubling stops scaling by a law, with its interval; largest: of what may be said."""
    if law.limit is None:
        return "–"
    value, low, high = (
        _end(end, largest) for end in (law.limit.value, law.limit.low, law.limit.high)
    )
    return value if value == low == high else f"{value} [{low}, {high}]"


def _end(count: float, largest: float) -> str:
    return f">{largest:,.0f}" if is_unbounded(count) else f"{count:,.0f}"


def count_value_text(one: CountResult, scaling: Scaling) -> str:
    """A figure as its source printed it, or in the unit of its series with its interval."""
    if one.printed and one.launches == 1:
        return plain(printed_text(one.printed), 120)
    return value_of(one.value, scaling)


def value_of(interval: Interval, scaling: Scaling) -> str:
    """A value in the unit of its series, with its interval where it has one."""
    if scaling.unit == SECONDS and interval.value >= 1000:
        value = f"{interval.value:,.0f} s"
        ends = f"[{interval.low:,.0f}, {interval.high:,.0f}]"
        return value if not interval.is_bounded else f"{value} {ends}"
    return quantity_text(interval.value, interval.low, interval.high, scaling.unit)


def speedup_text(interval: Interval) -> str:
    """`14.4x [14.0, 14.8]`, without interval where it has none."""
    return ratio_text(interval.value, *_bounds(interval))


def efficiency_text(interval: Interval) -> str:
    """`89.8 % [87.2, 92.1]`."""
    return share_text(interval.value, *_bounds(interval))


def _bounds(interval: Interval) -> tuple[float, float]:
    """Those of the first count are the value itself, which is no interval."""
    known = interval.low != interval.high
    return (interval.low, interval.high) if known else (0.0, UNBOUNDED)


def step_text(step: ScalingStep) -> str:
    """Whether a step scales, or that it is beyond proportion."""
    if step.superlinear:
        return "superlinear"
    return {StepVerdict.YES: "yes", StepVerdict.NO: "no", StepVerdict.INCONCLUSIVE: "inconclusive"}[
        step.verdict
    ]


def law_label(law: LawName) -> str:
    """The name of a law in a narrow column."""
    return {LawName.UNIVERSAL: "universal", LawName.EXTRA_P: "Extra-P"}.get(law, law.value)


def parameter_words(parameter: LawParameter) -> str:
    """`s 0.0013 [0.0008, 0.0018]`."""
    value = parameter.value
    numbers = f"{value.value:.3g}"
    if value.is_bounded:
        numbers += f" [{value.low:.2g}, {value.high:.2g}]"
    return f"{parameter.symbol} {numbers}"


def percent(share: float, unknown: str = "–") -> str:
    """A share of one as percent; `unknown` where it is below zero, which stands for not known."""
    if share < 0:
        return unknown
    return f"{100 * share:.1f} %" if share < 10 else "> 1000 %"


def holds_text(law: FittedLaw) -> str:
    """Whether the scatter between launches leaves room for the law."""
    if law.misfit_p < 0:
        return "–"
    return "yes" if law.holds else "no"


def prediction_sentences(scaling: Scaling) -> tuple[str, ...]:
    """What the laws say at the requested count, side by side, and how far they differ."""
    said = [(law, law.prediction) for law in scaling.laws if law.prediction]
    if not said:
        return ()
    largest = scaling.results[-1].count
    beyond = f", {scaling.predicted / largest:.3g} times the largest measured"
    head = f"At {counted(scaling.predicted, scaling.axis)}{beyond * (scaling.predicted > largest)}:"
    lines = [head, *(f"  {law.law.value}: {_predicted(point, scaling)}" for law, point in said)]
    silent = [law.law.value for law in scaling.laws if law.prediction is None]
    lines += [f"  {name}: no value" for name in silent]
    if len(said) > 1:
        lines.append(f"  the laws differ by a factor of {ratio_number(scaling.apart)}")
    return tuple(lines)


def _predicted(point: CurvePoint, scaling: Scaling) -> str:
    value = value_of(point.value, scaling)
    if not point.value.is_bounded:
        return f"{value}, unbounded"
    if scaling.problem is Problem.COST:
        return value
    return f"{value}, speedup {speedup_text(point.speedup)}"


def law_note(scaling: Scaling) -> str:
    """What the columns of laws mean."""
    by = (
        "residuals"
        if scaling.as_printed
        else "launches, or from residuals where a law does not fit"
    )
    return (
        f"Intervals from {by}. Misfit: deviation from the law; leave-one-out: prediction error at "
        "counts left out of the fit."
    )


def problem_text(scaling: Scaling) -> str:
    """What kind of scaling it is, and where it is printed."""
    parts = [scaling.problem.value]
    if scaling.as_printed:
        parts.append(AS_PRINTED)
    if scaling.source:
        parts.append(plain(scaling.source, 160))
    return "; ".join(parts)


_COUNTED = {
    ScalingAxis.THREADS: ("threads per rank",),
    ScalingAxis.INNER_THREADS: ("threads per rank", "inner threads"),
    ScalingAxis.RANKS: ("ranks per node", "nodes"),
    ScalingAxis.NODES: ("nodes",),
    ScalingAxis.CORES: ("nodes", "ranks per node", "threads per rank", "inner threads"),
    ScalingAxis.DEVICES: ("nodes", "ranks per node", "threads per rank", "inner threads"),
}


def series_to_show(
    estimates: Sequence[Estimate],
    *,
    benchmark: str = "",
    metric: str = "",
    weak: bool = False,
    every: bool = False,
) -> tuple[Series, ...]:
    """The series of a machine.

    benchmark: the name of one, or its prefix; metric: the name of one; every: also of metrics
    that follow from others, as the bytes on the bus do from those of STREAM.
    """
    of_benchmark = (one for one in estimates if one.point.benchmark.startswith(benchmark))
    if metric:
        return series_of((one for one in of_benchmark if one.metric == metric), weak=weak)
    kept = (one for one in of_benchmark if every or is_primary(one))
    return series_of(kept, weak=weak)


def scalings_of(
    series: Sequence[Series],
    terms: Sequence[NormalTerm | None] = (),
    *,
    least_gain: float = LEAST_GAIN,
    to: int = 0,
) -> tuple[Scaling, ...]:
    """Every series with its laws; terms: what Extra-P chose for each (empty: it was not used).

    least_gain, to: as of `analysis.scaling.fit.scaling_of`.
    """
    chosen = tuple(terms) or (None,) * len(series)
    return tuple(
        scaling_of(one, conditions, name=name, least_gain=least_gain, to=to, term=term)
        for one, conditions, name, term in zip(
            series, map(_conditions, series), names_of(series), chosen, strict=True
        )
    )


def names_of(series: Sequence[Series]) -> tuple[str, ...]:
    """The name of each series: its result, and what distinguishes it from others of that result."""
    words = [_words(one) for one in series]
    names = []
    for one, own in zip(series, words, strict=True):
        same_result = [
            w
            for other, w in zip(series, words, strict=True)
            if _result_key(other) == _result_key(one)
        ]
        varying = [text for n, text in own.items() if any(w.get(n) != text for w in same_result)]
        names.append(": ".join(part for part in (_title(one), ", ".join(varying)) if part))
    return tuple(names)


def _result_key(series: Series) -> tuple[str, str, ScalingAxis]:
    first = series.estimates[0]
    return first.point.benchmark, first.metric, series.axis


def _title(series: Series) -> str:
    first = series.estimates[0]
    titles = {b.name: b.title for b in BENCHMARKS}
    workload = first.point.benchmark.partition(".")[2]
    what = titles.get(first.point.benchmark, workload)
    return plain(f"{what}, {within_a_line(first.title)}", 80)


def _words(series: Series) -> dict[str, str]:
    """Every circumstance that the series have in common, by name."""
    point = series.estimates[-1].point
    parameters = {
        name: plain(parameter_phrase(name, value), 60)
        for name, value in point.parameters
        if name in series.conditions
    }
    # More ranks than cores are told by the counts, in the notes.
    counted = {*_COUNTED[series.axis], "oversubscribed"}
    layout = layout_columns(point.layout, point.variant)
    # A parameter may have the name of a part of the layout, and says more (`pages`).
    text = {n: f"{n} {text}" for n, text in layout.items() if n not in {*counted, *parameters}}
    return parameters | text


def _conditions(series: Series) -> dict[str, str]:
    """Parameters, and what of the layout is not as usual."""
    usual = {name: f"{name} {text}" for name, text in layout_columns(Layout()).items()}
    return {n: text for n, text in _words(series).items() if text != usual.get(n)}
