"""What rules that follow a curve have in common: the curve, and how sure a case of it is."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.curves.curves import LaunchCurves, curves_along
from machmeter.analysis.rules.outcome import CaseResult, Draft, NoCurve, Outcome
from machmeter.analysis.rules.select import TopologyFacts, differ_only_in, select
from machmeter.analysis.rules.sensitivity import Sensitivity
from machmeter.analysis.stats.confidence import BoundMargin, Doubt, DoubtKind, grade_decided
from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.origin import Origin
from machmeter.model.plan.question import FlatRule, GrowthRule, SwitchRule, ThresholdRule
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Confidence

CurveRule = SwitchRule | FlatRule | ThresholdRule | GrowthRule


def followed(rule: CurveRule, pool: Sequence[Estimate], facts: TopologyFacts) -> list[Estimate]:
    """The results along the rule's axis; none where they are no one curve."""
    found = select(rule.candidate, pool, facts.pair_distances)
    return found if found and differ_only_in((rule.axis,), found) else []


def curves_of(
    rule: CurveRule, pool: Sequence[Estimate], facts: TopologyFacts
) -> tuple[LaunchCurves | None, Draft | None]:
    """The curves of the launches along the rule's axis, None where there is none; and the case of
    one launch, from which nothing follows.
    """
    found = followed(rule, pool, facts)
    curves = curves_along(rule.axis, found) if found else None
    if curves is None or len(curves.axis) < 2:
        return None, None
    if any(one.origin is Origin.SIMULATED for one in found):
        # What a model states is the same every time: its shape has no error but the model's.
        curves = replace(curves, launches=curves.launches[:1] * 2)
    few = len(curves.launches) < 2
    return curves, followed_case(NoCurve(), decided=False) if few else None


def followed_case(
    outcome: Outcome,
    *,
    decided: bool = True,
    advice: str = "",
    ratio: Comparison | None = None,
    margin: BoundMargin | None = None,
    sensitivity: tuple[Sensitivity, ...] = (),
) -> Draft:
    """The case of a rule that adjusts within itself: nothing of it is adjusted any more."""
    confidence, doubts = _graded(margin, decided=decided)
    case = CaseResult(
        outcome,
        decided,
        confidence,
        advice=advice,
        ratio=ratio,
        margin=margin,
        launches=margin.launches if margin else 0,
        doubts=doubts,
        sensitivity=sensitivity,
    )
    return Draft(lambda _: case)


def of_launches(
    ends: tuple[float, float, float, float], p_value: float, curves: LaunchCurves
) -> BoundMargin:
    """How clear of a bound (the last of `ends`) a value with its interval is, of these launches."""
    launches = len(curves.launches)
    reached = all(estimate.reached for estimate in curves.estimates)
    return BoundMargin(*ends, float(launches - 1), p_value, launches, reached)


def tested(margin: BoundMargin) -> BoundMargin:
    """With the p value of its being on that side of the bound, from the interval."""
    if margin.degrees <= 0:
        return margin
    error = (margin.high - margin.low) / 2 / student_quantile(margin.degrees)
    distance = margin.value - margin.bound
    return replace(margin, p_value=two_sided_p(distance, error, margin.degrees))


def _graded(margin: BoundMargin | None, *, decided: bool) -> tuple[Confidence, tuple[Doubt, ...]]:
    if not decided:
        return Confidence.OPEN, (Doubt(DoubtKind.SEVERAL_ANSWERS),)
    if margin is None:
        # Each of its steps was shown by a 95 % interval; the whole has no p value.
        return Confidence.LIKELY, (Doubt(DoubtKind.STEPWISE),)
    return grade_decided(margin)
