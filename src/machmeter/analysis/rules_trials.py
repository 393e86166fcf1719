"""What each rule compares: the trials of a case, before their number is accounted for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.comparison import MARGIN, compare_estimates
from machmeter.analysis.rules_labels import label_of
from machmeter.analysis.rules_select import (
    Places,
    blended,
    differ_only_in,
    select,
    sides_of,
    value_of,
)
from machmeter.analysis.student import student_quantile, two_sided_p
from machmeter.analysis.waves import wave_time
from machmeter.model.benchmark import Direction
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate
from machmeter.model.layout import Binding
from machmeter.model.study import Band, Question, Rule, Selector
from machmeter.model.units import UNBOUNDED, is_unbounded


class Trial(Struct, frozen=True):
    """One comparison, and the two sides it compares. `against` names the second one, of several."""

    candidate: Estimate
    baseline: Estimate
    comparison: Comparison
    against: str = ""

    @property
    def printed(self) -> bool:
        """Whether published values stand here, which have no interval."""
        return bool(self.candidate.source or self.baseline.source)


class Case(Struct, frozen=True):
    """A question for one value of its `each`: what is compared, nothing where it cannot be.

    best, reference: of a BEST question the best value, and the one it is compared with in words;
    note: further figures, in words.
    """

    label: str = ""
    trials: tuple[Trial, ...] = ()
    best: str = ""
    reference: str = ""
    note: str = ""


def trials_of(question: Question, label: str, pool: Sequence[Estimate], places: Places) -> Case:
    """The case that a question's rule makes of the estimates in `pool`."""
    make = {
        Rule.BETTER: _better,
        Rule.BANDS: _bands,
        Rule.BEST: _best,
        Rule.EFFICIENCY: _efficiency,
        Rule.WAVES: _waves,
    }[question.rule]
    return replace(make(question, pool, places), label=label)


def ratio_of(a: Estimate, b: Estimate) -> Comparison:
    """How a compares with b, paired; published values as printed, without an interval."""
    if not (a.source or b.source):
        return compare_estimates(a, b, paired=True)
    if a.value <= 0 or b.value <= 0:
        return _without_interval(1.0, ComparisonVerdict.UNRESOLVED)
    ratio = a.value / b.value if a.direction is Direction.HIGHER else b.value / a.value
    if abs(math.log(ratio)) <= math.log1p(MARGIN):
        return _without_interval(ratio, ComparisonVerdict.SAME)
    better = ratio > 1
    return _without_interval(
        ratio, ComparisonVerdict.FASTER if better else ComparisonVerdict.SLOWER
    )


def band_of(bands: Sequence[Band], ratio: float) -> Band:
    """The band that holds `ratio`: the last one that begins at it or below, or the first."""
    held = [band for band in bands if band.least <= ratio]
    return held[-1] if held else bands[0]


def _without_interval(ratio: float, verdict: ComparisonVerdict) -> Comparison:
    return Comparison(ratio, 0.0, UNBOUNDED, False, 0.0, 1.0, verdict)


def _better(question: Question, pool: Sequence[Estimate], places: Places) -> Case:
    sides = sides_of(question, pool, places)
    if sides is None:
        return Case()
    a, b = sides.candidate, sides.baseline
    return Case(trials=(Trial(a, b, ratio_of(a, b)),))


def _bands(question: Question, pool: Sequence[Estimate], places: Places) -> Case:
    sides = sides_of(question, pool, places)
    if sides is None:
        return Case()
    # The cost of the candidate over the baseline's is how much better the baseline is.
    cost = ratio_of(sides.baseline, sides.candidate)
    return Case(trials=(_banded(question, sides.candidate, sides.baseline, cost),))


def _efficiency(question: Question, pool: Sequence[Estimate], places: Places) -> Case:
    sides = sides_of(question, pool, places)
    if sides is None:
        return Case()
    more, fewer = sides.candidate.point.layout.threads, sides.baseline.point.layout.threads
    if more <= fewer:
        return Case()
    speed_up = ratio_of(sides.candidate, sides.baseline)
    share = _scaled(speed_up, fewer / more)
    trial = _banded(question, sides.candidate, sides.baseline, share)
    return Case(
        trials=(trial,), note=f"{speed_up.ratio:.3g}x from {more // fewer} times the threads"
    )


def _best(question: Question, pool: Sequence[Estimate], places: Places) -> Case:
    found = select(question.candidate, pool, places.kinds)
    if len(found) < 2 or not differ_only_in(question.axes, found):
        return Case()
    labels = {
        ", ".join(label_of(axis, value_of(e, axis)) for axis in question.axes): e for e in found
    }
    ranked = sorted(
        labels, key=lambda name: labels[name].value, reverse=_higher_is_better(found[0])
    )
    best, worst = ranked[0], ranked[-1]
    trials = tuple(
        Trial(labels[best], labels[name], _chosen(labels[best], labels[name], len(ranked)), name)
        for name in ranked[1:]
    )
    default = question.baseline and select(question.baseline, found, places.kinds)
    usual = [name for name, e in labels.items() if default and e == default[0] and name != best]
    return Case(trials=trials, best=best, reference=usual[0] if usual else worst)


def _chosen(best: Estimate, other: Estimate, count: int) -> Comparison:
    """How the best of `count` compares with another one.

    It was chosen after looking, so its p values stand for those of every pair: count / 2 as many.
    """
    ratio = ratio_of(best, other)
    return replace(ratio, p_value=min(1.0, ratio.p_value * count / 2))


def _higher_is_better(estimate: Estimate) -> bool:
    return estimate.direction is Direction.HIGHER


def _waves(question: Question, pool: Sequence[Estimate], places: Places) -> Case:
    wholes = select(question.candidate, pool, places.kinds)
    parts = select(question.baseline or Selector(), pool, places.kinds)
    if len(wholes) != 1 or not question.axes:
        return Case()
    whole, unit = wholes[0], question.axes[0]
    slots = _slots(parts, unit)
    model = _wave_model(whole, unit, slots)
    if model is None:
        return Case()
    # How much better the measured one is than the model: its speed-up over that of the model.
    trial = _banded(question, whole, model, ratio_of(whole, model))
    serial = [
        e.value
        for e in parts
        if value_of(e, unit) == value_of(whole, unit) and e.point.layout.threads == 1
    ]
    if 1 in slots:
        # Units are independent: one after the other they take so many times the time of one.
        serial.append(slots[1].value * int(value_of(whole, unit)))
    return Case(trials=(trial,), note=_speed_ups(serial, whole, model, slots))


def _wave_model(whole: Estimate, unit: str, slots: Mapping[int, Estimate]) -> Estimate | None:
    """The time of `whole` as `analysis.waves` has it; None where the times for it lack."""
    units, threads = value_of(whole, unit), whole.point.layout.threads
    most = max(slots, default=0)
    if not isinstance(units, int) or not 0 < most <= threads or units <= most or threads == 1:
        return None
    return blended(
        tuple(slots.values()),
        lambda times: wave_time(units, threads // most, most, dict(zip(slots, times, strict=True))),
    )


def _slots(parts: Sequence[Estimate], unit: str) -> Mapping[int, Estimate]:
    """The time of j units at once on one domain, by j: as many bound threads as units."""
    found: dict[int, Estimate] = {}
    for estimate in parts:
        layout = estimate.point.layout
        count = value_of(estimate, unit)
        if not isinstance(count, int) or layout.threads_per_rank != count:
            continue
        if layout.inner_threads > 1 or layout.binding in (Binding.NONE, Binding.OUTER):
            continue
        if count not in found or layout.binding is Binding.CLOSE:
            found[count] = estimate
    return found


def _speed_ups(
    serial: Sequence[float], whole: Estimate, model: Estimate, slots: Mapping[int, Estimate]
) -> str:
    """The speed-ups over the first serial time, and how well one domain does when it is full."""
    if not serial:
        return ""
    measured, modeled = (serial[0] / one.value for one in (whole, model))
    said = f"speed-up {measured:.2f}x against {modeled:.2f}x"
    most = max(slots)
    if 1 not in slots or most == 1:
        return said
    share = slots[1].value / slots[most].value
    return f"{said}; {most} at once on one domain run at {100 * share:.0f} % of the pace of one"


def _scaled(comparison: Comparison, factor: float) -> Comparison:
    bounded = not is_unbounded(comparison.high)
    return replace(
        comparison,
        ratio=comparison.ratio * factor,
        low=comparison.low * factor,
        high=comparison.high * factor if bounded else comparison.high,
    )


def _banded(question: Question, a: Estimate, b: Estimate, ratio: Comparison) -> Trial:
    """A comparison whose p value is that of lying beyond the nearest bound of its band."""
    if is_unbounded(ratio.high) or ratio.low <= 0:
        return Trial(a, b, ratio)
    half = (math.log(ratio.high) - math.log(ratio.low)) / 2
    error = half / student_quantile(ratio.degrees)
    p_values = [
        two_sided_p(math.log(ratio.ratio) - math.log(bound), error, ratio.degrees)
        for bound in _bounds(question.bands, ratio.ratio)
    ]
    return Trial(a, b, replace(ratio, p_value=max(p_values, default=0.0)))


def _bounds(bands: Sequence[Band], ratio: float) -> list[float]:
    """The bounds of the band that holds `ratio`."""
    band = band_of(bands, ratio)
    above = [other.least for other in bands if other.least > band.least]
    return [bound for bound in (band.least, *above[:1]) if bound > 0]
