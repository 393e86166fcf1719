"""Questions answered from estimates. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from machmeter.analysis.comparison import compare_estimates
from machmeter.analysis.student import is_unbounded
from machmeter.model.benchmark import Value
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate, Finding
from machmeter.model.study import LARGEST, Question, Selector
from machmeter.model.units import format_value


def answer(question: Question, estimates: Sequence[Estimate]) -> Finding:
    """The finding for `question`; says so where this machine or this run cannot decide it."""
    pool = [
        e
        for e in estimates
        if e.point.benchmark == question.benchmark and e.metric == question.metric
    ]
    candidate = _select(question.candidate, pool)
    baseline = _select(question.baseline, pool)
    if candidate is None or baseline is None or candidate.point == baseline.point:
        return Finding(question.text, "not decided: this run has not both sides of it", "")
    comparison = compare_estimates(candidate, baseline, paired=True)
    evidence = (
        f"{format_value(candidate.value, candidate.unit)} against "
        f"{format_value(baseline.value, baseline.unit)}"
    )
    return Finding(question.text, _words(question, comparison), evidence, comparison)


def ratio_text(comparison: Comparison) -> str:
    """`1.92x [1.85, 2.00]`, above 1 being better; without interval where launches are too few."""
    if is_unbounded(comparison.high):
        return f"{comparison.ratio:.2f}x, interval unknown"
    return f"{comparison.ratio:.2f}x [{comparison.low:.2f}, {comparison.high:.2f}]"


def _words(question: Question, comparison: Comparison) -> str:
    ratio = ratio_text(comparison)
    if comparison.verdict is ComparisonVerdict.UNRESOLVED:
        return f"not resolved, {ratio}"
    verdict, advice = {
        ComparisonVerdict.FASTER: ("yes", question.yes),
        ComparisonVerdict.SLOWER: ("no", question.no),
        ComparisonVerdict.SAME: ("no difference", question.same),
    }[comparison.verdict]
    return f"{verdict}, {ratio}: {advice}" if advice else f"{verdict}, {ratio}"


def _select(selector: Selector, pool: Sequence[Estimate]) -> Estimate | None:
    """The one estimate a selector means, if there is exactly one."""
    kept = list(pool)
    for name, wanted in selector.parameters.items():
        values = [_parameter(e, name) for e in kept]
        target = max((int(v) for v in values), default=0) if wanted == LARGEST else wanted
        kept = [e for e, value in zip(kept, values, strict=True) if value == target]
    for name, wanted in selector.layout.items():
        fields = [msgspec.structs.asdict(e.point.layout)[name] for e in kept]
        target = max(fields, default=0) if wanted == 0 else wanted
        kept = [e for e, value in zip(kept, fields, strict=True) if value == target]
    return kept[0] if len(kept) == 1 else None


def _parameter(estimate: Estimate, name: str) -> Value:
    return dict(estimate.point.parameters).get(name, "")
