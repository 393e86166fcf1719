"""What each rule compares: the trials of a case, before their number is accounted for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.curves.waves import wave_time
from machmeter.analysis.rules.labels import label_of
from machmeter.analysis.rules.ratios import Trial, ahead, banded, compared, ratio_of, scaled
from machmeter.analysis.rules.select import (
    TopologyFacts,
    blended,
    differ_only_in,
    select,
    sides_of,
    value_of,
    without_doubles,
)
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Binding
from machmeter.model.plan.study import Question, Rule, Selector
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate


class Case(Struct, frozen=True):
    """A question for one value of its `each`: what is compared, nothing where it cannot be.

    best, usual: of a BEST question the best value, and the one that is kept where nothing speaks
    against it, empty if there is none; note: further figures, in words.
    """

    label: str = ""
    trials: tuple[Trial, ...] = ()
    best: str = ""
    usual: str = ""
    note: str = ""


def trials_of(
    question: Question, label: str, pool: Sequence[Estimate], places: TopologyFacts
) -> Case:
    """The case that a question's rule makes of the estimates in `pool`."""
    make = {
        Rule.BETTER: _better,
        Rule.BANDS: _bands,
        Rule.BEST: _best,
        Rule.EFFICIENCY: _efficiency,
        Rule.WAVES: _waves,
    }[question.rule]
    return replace(make(question, pool, places), label=label)


def _better(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Case:
    sides = sides_of(question, pool, places)
    if sides is None:
        return Case()
    a, b = sides.candidate, sides.baseline
    return Case(trials=(Trial(a, b, compared(a, b)),))


def _bands(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Case:
    sides = sides_of(question, pool, places)
    if sides is None:
        return Case()
    a, b = sides.candidate, sides.baseline
    # The cost of the candidate over the baseline's is how much better the baseline is.
    return Case(trials=(banded(question.bands, a, b, ratio_of(b, a)),))


def _efficiency(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Case:
    rivals = select(question.candidate, pool, places.kinds) if question.axes else []
    if rivals and not differ_only_in(question.axes, rivals):
        return Case()
    best = best_of(rivals) if rivals else None
    sides = sides_of(question, [e for e in pool if e is best or e not in rivals], places)
    if sides is None:
        return Case()
    more, fewer = sides.candidate.point.layout.threads, sides.baseline.point.layout.threads
    if more <= fewer:
        return Case()
    speed_up = ratio_of(sides.candidate, sides.baseline)
    share = scaled(speed_up, fewer / more)
    trial = banded(question.bands, sides.candidate, sides.baseline, share)
    note = f"{speed_up.ratio:.3g}x from {more / fewer:g} times the threads"
    if best is None or len(rivals) == 1:
        return Case(trials=(trial,), note=note)
    # Chosen after looking: its p value stands for those of all that it was chosen from.
    p_value = min(1.0, trial.comparison.p_value * len(rivals))
    comparison = replace(trial.comparison, p_value=p_value)
    name = _label(question, best)
    return Case(
        trials=(replace(trial, comparison=comparison),), note=f"{note}, best as {name}", best=name
    )


def _best(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Case:
    found = without_doubles(select(question.candidate, pool, places.kinds), places.assigned)
    if len(found) < 2 or not differ_only_in(question.axes, found):
        return Case()
    best = best_of(found)
    others = [e for e in found if e is not best]
    others.sort(key=lambda e: ahead(best, e))
    trials = tuple(
        Trial(best, other, _chosen(best, other, len(found)), _label(question, other))
        for other in others
    )
    default = question.baseline and select(question.baseline, found, places.kinds)
    usual = _label(question, default[0]) if default else ""
    return Case(trials=trials, best=_label(question, best), usual=usual)


def best_of(estimates: Sequence[Estimate]) -> Estimate:
    """The one that fewest others beat, by paired comparison; of several the one farthest ahead.

    Values over all launches may rank otherwise where some were measured in other launches.
    """

    def rank(one: Estimate) -> tuple[int, float, float]:
        others = [other for other in estimates if other is not one]
        verdicts = [compared(one, other).verdict for other in others]
        beaten = verdicts.count(ComparisonVerdict.SLOWER)
        behind = -math.fsum(ahead(one, other) for other in others)
        higher = one.direction is Direction.HIGHER
        return beaten, behind, -one.value if higher else one.value

    return min(estimates, key=rank)


def _label(question: Question, estimate: Estimate) -> str:
    return ", ".join(label_of(axis, value_of(estimate, axis)) for axis in question.axes)


def _chosen(best: Estimate, other: Estimate, count: int) -> Comparison:
    """How the best of `count` compares with another one.

    It was chosen after looking, so its p values stand for those of every pair: count / 2 as many.
    """
    ratio = compared(best, other)
    return replace(ratio, p_value=min(1.0, ratio.p_value * count / 2))


def _waves(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Case:
    wholes = select(question.candidate, pool, places.kinds)
    parts = select(question.baseline or Selector(), pool, places.kinds)
    if len(wholes) != 1 or not question.axes:
        return Case()
    whole, unit = wholes[0], question.axes[0]
    slots = _slots(parts, unit)
    model = _wave_model(whole, unit, slots)
    if model is None or places.facts.get("domain_cores", max(slots)) != max(slots):
        # Some slots of a domain are not a wave of it.
        return Case()
    # How much better the measured one is than the model: its speed-up over that of the model.
    trial = banded(question.bands, whole, model, ratio_of(whole, model))
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
    """The time of `whole` as `analysis.curves.waves` has it; None where the times for it lack."""
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
