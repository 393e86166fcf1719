"""Rule waves: a speedup compared with that of the wave model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.analysis.curves.waves import wave_time
from machmeter.analysis.rules.outcome import Draft, WaveSpeedup
from machmeter.analysis.rules.pairs import band_case
from machmeter.analysis.rules.select import TopologyFacts, blended, select
from machmeter.analysis.rules.sensitivity import JudgedQuantity
from machmeter.analysis.rules.trial import banded, ratio_of
from machmeter.analysis.stats.fields import value_of
from machmeter.model.layout import Binding
from machmeter.model.plan.question import WaveRule
from machmeter.model.results.estimate import Estimate


def waves(rule: WaveRule, pool: Sequence[Estimate], facts: TopologyFacts) -> Draft | None:
    """In which band is the speedup over that of the wave model?"""
    wholes = select(rule.candidate, pool, facts.pair_distances)
    parts = select(rule.baseline, pool, facts.pair_distances)
    if len(wholes) != 1:
        return None
    whole, unit = wholes[0], rule.unit
    slots = _slots(parts, unit)
    model = _wave_model(whole, unit, slots)
    if model is None or (facts.cores_per_domain or max(slots)) != max(slots):
        # Some slots of a domain are not a wave of it.
        return None
    # How much better the measured one is than the model: its speedup over that of the model.
    trial = banded(rule.bands, whole, model, ratio_of(whole, model))
    serial = [
        e.value
        for e in parts
        if value_of(e, unit) == value_of(whole, unit) and e.point.layout.threads == 1
    ]
    if 1 in slots:
        # Units are independent: one after the other they take so many times the time of one.
        serial.append(slots[1].value * int(value_of(whole, unit)))
    detail = _speedups(serial, whole, model, slots)
    return Draft(
        lambda trials: band_case(trials[0], rule.bands, JudgedQuantity.MODEL_SHARE, detail),
        (trial,),
    )


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


def _speedups(
    serial: Sequence[float], whole: Estimate, model: Estimate, slots: Mapping[int, Estimate]
) -> WaveSpeedup | None:
    """The speedups over the first serial time, and how well one domain does when it is full."""
    if not serial:
        return None
    most = max(slots)
    pace = slots[1].value / slots[most].value if 1 in slots and most > 1 else None
    return WaveSpeedup(serial[0] / whole.value, serial[0] / model.value, most, pace)
