"""Questions answered from estimates. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.comparison import compare_estimates, holm
from machmeter.model.benchmark import Value
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate, Finding
from machmeter.model.study import LARGEST, SMALLEST, Question, Selector
from machmeter.model.units import format_value, is_unbounded

SIGNIFICANCE = 0.05
_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)


class _Sides(Struct, frozen=True):
    candidate: Estimate
    baseline: Estimate


def answers(questions: Sequence[Question], estimates: Sequence[Estimate]) -> tuple[Finding, ...]:
    """The finding for each question; says so where this machine or this run cannot decide it.

    Of many comparisons some differ by chance: p values are adjusted over all of them (Holm,
    Scandinavian Journal of Statistics 6, 1979), and a difference is called one only where the
    adjusted p value is at most 0.05.
    """
    sides = [_sides(question, estimates) for question in questions]
    comparisons = _adjusted(
        [compare_estimates(s.candidate, s.baseline, paired=True) if s else None for s in sides]
    )
    return tuple(
        Finding(question.text, _words(question, s, comparison), _evidence(s), comparison)
        if s and comparison
        else Finding(question.text, "not decided: this run has not both sides of it", "")
        for question, s, comparison in zip(questions, sides, comparisons, strict=True)
    )


def ratio_text(comparison: Comparison) -> str:
    """`1.92x [1.85, 2.00]`, above 1 being better; empty where a ratio means nothing."""
    if is_unbounded(comparison.high):
        return ""
    return f"{comparison.ratio:.2f}x [{comparison.low:.2f}, {comparison.high:.2f}]"


def _adjusted(comparisons: Sequence[Comparison | None]) -> list[Comparison | None]:
    """With p values adjusted for their number; differences that do not hold then are unresolved."""
    tested = [i for i, c in enumerate(comparisons) if c and not is_unbounded(c.high)]
    found = list(comparisons)
    p_values = [c.p_value for i in tested if (c := comparisons[i])]
    for i, p_value in zip(tested, holm(p_values), strict=True):
        comparison = comparisons[i]
        if comparison:
            chance = comparison.verdict in _DIFFERENT and p_value > SIGNIFICANCE
            verdict = ComparisonVerdict.UNRESOLVED if chance else comparison.verdict
            found[i] = replace(comparison, p_value=p_value, verdict=verdict)
    return found


def _words(question: Question, sides: _Sides, comparison: Comparison) -> str:
    ratio = ratio_text(comparison)
    if not ratio:
        small = not (sides.candidate.resolved and sides.baseline.resolved)
        return f"not resolved: {'too small to tell from zero' if small else 'too few launches'}"
    if comparison.verdict is ComparisonVerdict.UNRESOLVED:
        excludes_one = not comparison.low <= 1 <= comparison.high
        return f"not resolved, {ratio}{': may be chance, with so many questions' * excludes_one}"
    verdict, advice = {
        ComparisonVerdict.FASTER: ("yes", question.yes),
        ComparisonVerdict.SLOWER: ("no", question.no),
        ComparisonVerdict.SAME: ("no difference", question.same),
    }[comparison.verdict]
    return f"{verdict}, {ratio}: {advice}" if advice else f"{verdict}, {ratio}"


def _evidence(sides: _Sides) -> str:
    return f"{_figure(sides.candidate)} against {_figure(sides.baseline)}"


def _figure(estimate: Estimate) -> str:
    if estimate.resolved:
        return format_value(estimate.value, estimate.unit)
    if is_unbounded(estimate.high):
        return "unknown"
    return f"< {format_value(estimate.high, estimate.unit)}"


def _sides(question: Question, estimates: Sequence[Estimate]) -> _Sides | None:
    """What is compared; None where this run has not one estimate on each side."""
    pool = [
        e
        for e in estimates
        if e.point.benchmark == question.benchmark and e.metric == question.metric
    ]
    candidate = _select(question.candidate, pool)
    baseline = _select(question.baseline, pool)
    if candidate is None or baseline is None or candidate.point == baseline.point:
        return None
    return _Sides(candidate, baseline)


def _select(selector: Selector, pool: Sequence[Estimate]) -> Estimate | None:
    """The one estimate a selector means, if there is exactly one."""
    kept = list(pool)
    for name, wanted in selector.parameters.items():
        kept = _having(kept, [_parameter(e, name) for e in kept], wanted)
    for name, wanted in selector.layout.items():
        fields = [msgspec.structs.asdict(e.point.layout)[name] for e in kept]
        kept = _having(kept, fields, LARGEST if wanted == 0 else wanted)
    return kept[0] if len(kept) == 1 else None


def _having(
    estimates: Sequence[Estimate], values: Sequence[Value], wanted: Value
) -> list[Estimate]:
    target = wanted
    if wanted in (LARGEST, SMALLEST):
        choose = max if wanted == LARGEST else min
        target = choose((int(v) for v in values), default=0)
    return [e for e, value in zip(estimates, values, strict=True) if value == target]


def _parameter(estimate: Estimate, name: str) -> Value:
    return dict(estimate.point.parameters).get(name, "")
