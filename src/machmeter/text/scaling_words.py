"""Scaling in words: verdicts, intervals and laws as a person reads them."""

from __future__ import annotations

from machmeter.model.results.printed_text import printed_text
from machmeter.model.results.scaling import (
    CountResult,
    CurvePoint,
    FittedLaw,
    Interval,
    LawName,
    LawParameter,
    Paying,
    Problem,
    Scaling,
    ScalingAxis,
    ScalingLimit,
    ScalingStep,
)
from machmeter.model.units import SECONDS, format_interval, format_value, is_unbounded
from machmeter.text.plain import plain

_ONE = {
    ScalingAxis.THREADS: "thread",
    ScalingAxis.INNER_THREADS: "inner thread",
    ScalingAxis.RANKS: "rank",
    ScalingAxis.NODES: "node",
    ScalingAxis.CORES: "core",
    ScalingAxis.DEVICES: "device",
}
# Numbers are written out up to this size.
_LARGEST = 1e15
AS_PRINTED = "one value a count, without interval"


def counted(count: float, axis: ScalingAxis) -> str:
    """`1 core`, `384 cores`, `1,056 cores`."""
    return f"{count:,.0f} {_ONE[axis] if round(count) == 1 else axis.value}"


def range_text(scaling: Scaling) -> str:
    """`48 to 768 cores`."""
    first, last = scaling.figures[0].count, scaling.figures[-1].count
    return f"{first:,} to {counted(last, scaling.axis)}"


def headline(scaling: Scaling) -> str:
    """What one would say of a series first."""
    last = scaling.figures[-1]
    if scaling.problem is Problem.COST:
        return f"{range_text(scaling)}: {digits_text(growth(scaling), 3)} times the cost"
    speedup = ratio_text(last.speedup)
    return (
        f"{range_text(scaling)}: speed-up {speedup} of {last.count / scaling.figures[0].count:.3g}"
        f" ({share_text(last.efficiency)}); {limit_sentence(scaling)}"
    )


def growth(scaling: Scaling) -> float:
    """The last figure over the first."""
    return scaling.figures[-1].value.value / scaling.figures[0].value.value


def limit_sentence(scaling: Scaling) -> str:
    """Up to which measured count a doubling pays, with its interval."""
    if scaling.limit is None:
        return ""
    axis, largest = scaling.axis, scaling.figures[-1].count
    if scaling.limit.value == scaling.figures[0].count:
        first = f"the first step from {counted(scaling.limit.value, axis)} pays"
        is_open = scaling.limit.high > scaling.limit.value
        words = f"whether {first} is open" if is_open else f"not even {first}"
    elif is_unbounded(scaling.limit.value):
        words = f"each step pays, within {counted(largest, axis)}"
    else:
        words = f"pays up to {counted(scaling.limit.value, axis)}"
    return f"{words}{_limit_ends(scaling.limit, largest)}"


def limit_short(limit: ScalingLimit, largest: float) -> str:
    """`384`, or `16 [16, >48]` where its interval leaves it open."""
    value = "every step" if limit.value > largest else f"{limit.value:,.0f}"
    if limit.low == limit.high:
        return value
    return f"{value} [{_end(limit.low, largest)}, {_end(limit.high, largest)}]"


def _limit_ends(limit: ScalingLimit, largest: float) -> str:
    how = " (as printed)" if limit.as_printed else ""
    if limit.low == limit.high:
        return how
    how = " (as printed, which its rounding leaves open)" if limit.as_printed else ""
    return f" [{_end(limit.low, largest)}, {_end(limit.high, largest)}]{how}"


def limit_text(law: FittedLaw, largest: float) -> str:
    """Where doubling stops paying by a law, with its interval; largest: of what may be said."""
    if law.limit is None:
        return "–"
    value, low, high = (
        _end(end, largest) for end in (law.limit.value, law.limit.low, law.limit.high)
    )
    return value if value == low == high else f"{value} [{low}, {high}]"


def _end(count: float, largest: float) -> str:
    return f">{largest:,.0f}" if is_unbounded(count) else f"{count:,.0f}"


def figure_text(figure: CountResult, scaling: Scaling) -> str:
    """A figure as its source printed it, or in the unit of its series with its interval."""
    if figure.printed and figure.launches == 1:
        return plain(printed_text(figure.printed), 120)
    return value_of(figure.value, scaling)


def value_of(interval: Interval, scaling: Scaling) -> str:
    """A value in the unit of its series, with its interval where it has one."""
    if scaling.unit == SECONDS and 1000 <= interval.value < _LARGEST:
        value = f"{interval.value:,.0f} s"
        ends = f"[{interval.low:,.0f}, {interval.high:,.0f}]"
        return value if is_unbounded(interval.high) else f"{value} {ends}"
    value = format_value(interval.value, scaling.unit)
    if is_unbounded(interval.high):
        return value
    ends = format_interval(interval.low, interval.high, interval.value, scaling.unit)
    return f"{value} {ends}"


def ratio_text(interval: Interval) -> str:
    """`14.4x [14, 15]`."""
    value = f"{digits_text(interval.value, 3)}x"
    if is_unbounded(interval.high) or interval.low == interval.high:
        return value
    # Two digits of the ends, or as many as tell them from one another.
    for digits in (2, 3, 4):
        low, high = digits_text(interval.low, digits), digits_text(interval.high, digits)
        if low != high:
            break
    return f"{value} [{low}, {high}]"


def digits_text(value: float, digits: int) -> str:
    """That many significant digits, whole ones never cut; far from 1 with an exponent."""
    if abs(value) >= _LARGEST or 0 < abs(value) < 1 / _LARGEST:
        return f"{value:.{digits - 1}e}"
    if abs(value) >= 10**digits:
        return f"{value:,.0f}"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:.{min(max(digits - 1 - exponent, 0), 12)}f}"


def share_text(interval: Interval) -> str:
    """`89.8 %`, with its interval where it has one."""
    value = f"{100 * interval.value:.1f} %"
    if is_unbounded(interval.high) or interval.low == interval.high:
        return value
    return f"{value} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def step_text(step: ScalingStep) -> str:
    """Whether a step pays, or that it is beyond proportion."""
    if step.superlinear:
        return "superlinear"
    return {Paying.YES: "yes", Paying.NO: "no", Paying.UNRESOLVED: "open"}[step.pays]


def law_label(law: LawName) -> str:
    """The name of a law in a narrow column."""
    return {LawName.UNIVERSAL: "universal", LawName.EXTRA_P: "Extra-P"}.get(law, law.value)


def parameter_words(parameter: LawParameter) -> str:
    """`s 0.0013 [0.0008, 0.0018]`."""
    value = parameter.value
    numbers = f"{value.value:.3g}"
    if not is_unbounded(value.high):
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
    """What the laws say at the count that was asked for, side by side, and how far they differ."""
    said = [(law, law.prediction) for law in scaling.laws if law.prediction]
    if not said:
        return ()
    largest = scaling.figures[-1].count
    beyond = f", {scaling.predicted / largest:.3g} times the largest measured"
    head = f"At {counted(scaling.predicted, scaling.axis)}{beyond * (scaling.predicted > largest)}:"
    lines = [head, *(f"  {law.law.value}: {_predicted(point, scaling)}" for law, point in said)]
    silent = [law.law.value for law in scaling.laws if law.prediction is None]
    lines += [f"  {name}: no value there" for name in silent]
    if len(said) > 1:
        lines.append(f"  the laws differ by a factor of {digits_text(scaling.apart, 3)}")
    return tuple(lines)


def _predicted(point: CurvePoint, scaling: Scaling) -> str:
    value = value_of(point.value, scaling)
    if is_unbounded(point.value.high):
        return f"{value}, which nothing bounds"
    if scaling.problem is Problem.COST:
        return value
    return f"{value}, speed-up {ratio_text(point.speedup)}"


def law_note(scaling: Scaling) -> str:
    """What the columns of laws mean."""
    by = "the scatter around the law" if scaling.as_printed else "launches, or, where a law does "
    by += "" if scaling.as_printed else "not hold, the scatter around it"
    return (
        f"Intervals from {by}. Misfit: figures around the law; left out: error at a count that the "
        "fit was not shown."
    )


def problem_text(scaling: Scaling) -> str:
    """What kind of scaling it is, and where it is printed."""
    parts = [scaling.problem.value]
    if scaling.as_printed:
        parts.append(AS_PRINTED)
    if scaling.source:
        parts.append(plain(scaling.source, 160))
    return "; ".join(parts)


def uncapitalized(title: str) -> str:
    """A title within a sentence; names in capitals stay as they are."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"
