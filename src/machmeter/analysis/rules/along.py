"""Rules that follow a figure along one axis: SWITCH, FLAT, THRESHOLD and GROWTH."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from machmeter.analysis.curves.curves import Curves, curves_along
from machmeter.analysis.curves.flatness import Octave, Trend, flatness
from machmeter.analysis.curves.growth import Growth, GrowthFit, growth
from machmeter.analysis.curves.protocols import find_protocols, jumps, step_p_value, step_ratio
from machmeter.analysis.rules.along_evidence import (
    grounded_by_steps,
    growth_ground,
    growth_to_decide,
    octave_clearance,
    octave_to_decide,
    octave_unless,
)
from machmeter.analysis.rules.case_result import Told
from machmeter.analysis.rules.labels import figure_with_interval, label_of, listed, times
from machmeter.analysis.rules.ratios import band_of
from machmeter.analysis.rules.select import TopologyFacts, differ_only_in, select
from machmeter.analysis.rules.threshold import told_threshold
from machmeter.analysis.stats.comparison import holm
from machmeter.model.plan.study import Question, Rule
from machmeter.model.results.curves import ProtocolRegion
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    format_interval,
    format_value,
)

_FEW = "not resolved: too few launches"
_NOUNS = {"ranks": "rank", "nodes": "node", "size": "byte", "outstanding": "operation"}


def told_along(question: Question, pool: Sequence[Estimate], places: TopologyFacts) -> Told | None:
    """What a rule of one axis says of the estimates; None where they are no one curve."""
    followed = select(question.candidate, pool, places.kinds)
    if len(question.axes) != 1 or not followed or not differ_only_in(question.axes, followed):
        return None
    if question.rule is Rule.THRESHOLD:
        return told_threshold(question, followed)
    curves = curves_along(question.axes[0], followed)
    if curves is None or len(curves.axis) < 2:
        return None
    if len(curves.launches) < 2:
        return Told(_FEW, decided=False)
    tell = {Rule.SWITCH: _switch, Rule.FLAT: _flat, Rule.GROWTH: _growth}[question.rule]
    return tell(question, curves)


def _switch(question: Question, curves: Curves) -> Told | None:
    if any(e.scale is not Scale.LOG for e in curves.estimates) or curves.axis[0] < 0:
        return None
    regions = find_protocols(curves.axis, curves.launches)
    axis = question.axes[0]
    parts = tuple(_line_text(axis, region) for region in regions)
    first, last = label_of(axis, curves.axis[0]), label_of(axis, curves.axis[-1])
    if len(regions) == 1:
        return Told(f"nowhere from {first} to {last}", advice=question.no, evidence=parts[0])
    pairs = list(pairwise(regions))
    p_values = holm([step_p_value(region, len(curves.launches)) for _, region in pairs])
    # Jumps, not bends, accounted for their number.
    sure = [jumps(region, before, p) for (before, region), p in zip(pairs, p_values, strict=True)]
    said = [
        _step_text(axis, before, region, is_sure)
        for (before, region), is_sure in zip(pairs, sure, strict=True)
    ]
    dearer = any(ok and r.step_seconds > 0 for r, ok in zip(regions[1:], sure, strict=True))
    advice = question.yes if dearer else question.same
    told = Told(listed(said), advice=advice, evidence="; ".join(parts), parts=parts)
    jumped = [(region, p) for region, p, ok in zip(regions[1:], p_values, sure, strict=True) if ok]
    return grounded_by_steps(told, jumped, curves) if jumped else told


def _step_text(axis: str, before: ProtocolRegion, region: ProtocolRegion, sure: bool) -> str:
    where = f"above {label_of(axis, before.last_bytes)}"
    if not sure:
        return f"{where} by a bend, without a jump that shows"
    step = region.step_seconds
    ratio = step_ratio(region, before)
    told = f" ({times(ratio)}x)" if math.isfinite(ratio) else ""
    interval = format_interval(region.step_low, region.step_high, step, SECONDS)
    sign = "+" * (step > 0)
    return f"{where} by {sign}{format_value(step, SECONDS)} {interval}{told}"


def _line_text(axis: str, region: ProtocolRegion) -> str:
    """One region: its sizes, its startup and the pace beyond."""
    sizes = f"{label_of(axis, region.first_bytes)} to {label_of(axis, region.last_bytes)}"
    sign = "-" if region.startup_seconds < 0 else ""
    startup = f"{sign}{format_value(abs(region.startup_seconds), SECONDS)}"
    if region.seconds_per_byte <= 0:
        return f"{sizes}: {startup} whatever the size"
    pace = format_value(1 / region.seconds_per_byte, BYTES_PER_SECOND_ONE_WAY)
    return f"{sizes}: {startup} and {pace}"


def _flat(question: Question, curves: Curves) -> Told | None:
    positive = [i for i, size in enumerate(curves.axis) if size > 0]
    if len(positive) < 2 or any(min(launch) <= 0 for launch in curves.launches):
        return None
    sizes = [curves.axis[i] for i in positive]
    axis, by_size = question.axes[0], dict(zip(curves.axis, curves.estimates, strict=True))
    found = flatness(sizes, [[launch[i] for i in positive] for launch in curves.launches])
    last, change = label_of(axis, sizes[-1]), _change_text(found.end)
    evidence = _best_text(axis, [by_size[size] for size in sizes], sizes)
    hinge = octave_unless(axis, found.end)
    ends = {
        Trend.RISING: (f"still rising at {last}", question.no),
        Trend.FALLING: (f"falling at {last}", question.same),
    }
    if found.end.trend in ends:
        name, advice = ends[found.end.trend]
        told = Told(name, change, advice, evidence=evidence, would_change=hinge)
        return replace(told, clearance=octave_clearance(found.end, curves))
    if found.end.trend is Trend.FLAT and found.perhaps_from is None:
        # Flat for each doubling, but the last change spans several of them.
        name, advice = ends[Trend.RISING if found.end.ratio > 1 else Trend.FALLING]
        return Told(f"{name}, if slowly", change, advice, evidence=evidence)
    if found.flat_from is None:
        more = octave_to_decide(found.end, curves)
        return Told("not resolved", change, decided=False, evidence=evidence, would_change=more)
    begin, perhaps = found.flat_from, found.perhaps_from or found.flat_from
    maybe = f", perhaps from {label_of(axis, perhaps)}" * (perhaps < begin)
    at = figure_with_interval(by_size[begin])
    return Told(
        f"from {label_of(axis, begin)} on",
        f"{at} there{maybe}",
        question.yes,
        evidence=evidence,
        would_change=hinge,
    )


def _change_text(end: Octave) -> str:
    change = 100 * (end.ratio - 1)
    low, high = (100 * (bound - 1) for bound in (end.low, end.high))
    return f"{change:+.1f} % [{low:.1f}, {high:.1f}] for each doubling there"


def _best_text(axis: str, estimates: Sequence[Estimate], sizes: Sequence[int]) -> str:
    best = max(range(len(sizes)), key=lambda i: estimates[i].value)
    return f"most at {label_of(axis, sizes[best])}: {figure_with_interval(estimates[best])}"


def _growth(question: Question, curves: Curves) -> Told | None:
    if curves.axis[0] < 1:
        return None
    law = GrowthFit.EACH if question.bands else None
    found = growth(curves.axis, curves.launches, law)
    axis, unit = question.axes[0], curves.estimates[0].unit
    noun = _NOUNS.get(axis, f"of {axis}")
    per = f"further {noun}" if found.law is GrowthFit.EACH else f"doubling of {axis}"
    interval = format_interval(found.low, found.high, found.slope, unit)
    slope = f"{format_value(found.slope, unit)} {interval} for each {per}"
    first, last = (label_of(axis, curves.axis[i]) for i in (0, -1))
    figures = f"{slope}{_unevenness(found, curves)}"
    ends = [figure_with_interval(curves.estimates[i]) for i in (0, -1)]
    evidence = f"{ends[0]} with {first}, {ends[1]} with {last}"
    if question.bands:
        low, high = (band_of(question.bands, bound) for bound in (found.low, found.high))
        clearance, change = growth_ground(question, found, curves, noun)
        if low == high:
            told = Told(low.name, figures, low.advice, evidence=evidence)
            return replace(told, clearance=clearance, would_change=change)
        told = Told(f"between {low.name} and {high.name}", figures, "", False, evidence)
        return replace(told, would_change=growth_to_decide(clearance))
    if found.low <= 0 <= found.high:
        return Told("none that shows", figures, question.no, False, evidence)
    return Told(figures, advice=question.yes, evidence=evidence)


def _unevenness(found: Growth, curves: Curves) -> str:
    if found.even or len(curves.axis) < 3:
        return ""
    unit = curves.estimates[0].unit
    first, last = (format_value(slope, unit) for slope in (found.first, found.last))
    return f", not evenly ({first} at first, {last} at last)"
