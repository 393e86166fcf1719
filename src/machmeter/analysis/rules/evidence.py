"""The evidence of a comparison: its confidence and its sensitivity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.outcome import CaseResult, Outcome
from machmeter.analysis.rules.sensitivity import (
    Alternative,
    BeyondBound,
    JudgedQuantity,
    LeastLaunches,
    MoreLaunches,
    Purpose,
    Sensitivity,
)
from machmeter.analysis.rules.trial import Label, Trial, bounds_around, difference_of
from machmeter.analysis.stats.comparison import MARGIN, MARGIN_OF_SHARES
from machmeter.analysis.stats.confidence import (
    LEAST_LAUNCHES,
    BoundMargin,
    Doubt,
    DoubtKind,
    grade,
    grade_decided,
    launches_to_decide,
)
from machmeter.analysis.stats.stopping import expected_launches
from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.plan.question import Band
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Confidence
from machmeter.model.units import SHARE, UNBOUNDED, is_unbounded


class Judged(Struct, frozen=True):
    """A comparison whose p values are adjusted, and what it is judged by.

    Without bands it is judged by its difference from none.
    """

    trial: Trial
    """The comparison."""
    bands: tuple[Band, ...] = ()
    """Those that it is judged by."""
    quantity: JudgedQuantity = JudgedQuantity.RATIO
    """What the bands are of."""
    best: Label = ()
    """The best of several, where the trial is that with another of them."""


def case_of(
    judged: Judged,
    outcome: Outcome,
    *,
    decided: bool,
    advice: str = "",
    settings: tuple[str, ...] = (),
    p_value: float | None = None,
    tied: Sequence[Trial] = (),
) -> CaseResult:
    """The case that an outcome makes, with its confidence and sensitivity.

    p_value: of a decided outcome, where it is not that of the trial; tied: those that the best is
    not distinguishable from, the nearest first.
    """
    trial = judged.trial
    margin, confidence = None, Confidence.OPEN
    doubts: tuple[Doubt, ...] = ()
    changes: tuple[Sensitivity, ...] = ()
    if trial.quoted:
        confidence = Confidence.PUBLISHED if decided else Confidence.OPEN
        doubts = (Doubt(DoubtKind.PUBLISHED),)
    elif decided:
        margin = _margin_of(judged, trial.comparison.p_value if p_value is None else p_value)
        confidence, doubts = grade_decided(margin)
        changes = (*_beyond(judged), *_to_distinguish(judged, tied))
        if confidence is not Confidence.SURE:
            changes = (*changes, *_precision(trial))
    else:
        doubts, changes = (_doubt(judged),), _to_decide(judged)
    return CaseResult(
        outcome,
        decided,
        confidence,
        advice=advice,
        settings=settings,
        trial=trial,
        ratio=None if trial.of_shares else trial.comparison,
        margin=margin,
        launches=trial.launches,
        doubts=doubts,
        sensitivity=changes,
    )


def _doubt(judged: Judged) -> Doubt:
    """Why a case is not decided."""
    trial = judged.trial
    if trial.launches < 2:
        return Doubt(DoubtKind.ONE_LAUNCH)
    if not trial.resolved:
        return Doubt(DoubtKind.BELOW_RESOLUTION)
    clear = _open_margins(judged)[0]
    doubts = grade(clear)[1] if clear.to_bound > 0 else ()
    return doubts[0] if doubts else Doubt(DoubtKind.SEVERAL_ANSWERS)


def _margin(trial: Trial, bound: float, p_value: float) -> BoundMargin:
    """How clear of `bound` the ratio (on logs) or the points lie."""
    degrees, low, high = trial.comparison.degrees, -UNBOUNDED, UNBOUNDED
    if trial.of_shares:
        between = difference_of(trial)
        value, low, high, degrees = between.value, between.low, between.high, between.degrees
    else:
        comparison = trial.comparison
        value = math.log(comparison.ratio)
        low = math.log(comparison.low) if comparison.low > 0 else -UNBOUNDED
        high = high if not comparison.is_bounded else math.log(comparison.high)
    return BoundMargin(value, low, high, bound, degrees, p_value, trial.launches, trial.reached)


def _indifference(trial: Trial) -> float:
    """How far from no difference two still count as the same: on logs, or in points."""
    return MARGIN_OF_SHARES if trial.of_shares else math.log1p(MARGIN)


def _margin_of(judged: Judged, p_value: float) -> BoundMargin:
    """How clear a decided case is of what would decide it otherwise."""
    trial = judged.trial
    if judged.bands:
        return _margin(trial, _nearest_bound(judged), p_value)
    if trial.comparison.verdict is not ComparisonVerdict.SAME:
        return _margin(trial, 0.0, p_value)
    return _same(trial)


def _same(trial: Trial) -> BoundMargin:
    """How clear of a difference two are that are the same, by two one-sided tests (Schuirmann,
    Journal of Pharmacokinetics and Biopharmaceutics 15, 1987)."""
    value = _margin(trial, 0.0, 1.0).value
    bound = math.copysign(_indifference(trial), value)
    margin = _margin(trial, bound, 1.0)
    if margin.degrees <= 0 or not margin.is_bounded:
        return margin
    error = (margin.high - margin.low) / 2 / student_quantile(margin.degrees)
    return replace(margin, p_value=two_sided_p(bound - value, error, margin.degrees))


def _nearest_bound(judged: Judged) -> float:
    """The log of the bound of its band that the ratio is nearest to; 0 where it has none."""
    ratio = judged.trial.comparison.ratio
    bounds = [math.log(bound) for bound in bounds_around(judged.bands, ratio)]
    return min(bounds, key=lambda bound: abs(math.log(ratio) - bound), default=0.0)


def _beyond(judged: Judged) -> tuple[Sensitivity, ...]:
    """The bound beyond which a decided answer would be another one, and where the interval ends."""
    trial = judged.trial
    other: Alternative | Band | None
    if judged.bands:
        margin = _margin(trial, _nearest_bound(judged), 0.0)
        other = _band_beyond(judged.bands, margin)
    elif trial.comparison.verdict is ComparisonVerdict.SAME:
        margin, other = _same(trial), Alternative.DIFFERENT
    else:
        # Where the interval keeps clear of what counts as the same, that is the other answer.
        margin = _margin(trial, 0.0, 0.0)
        other = Alternative.NOT_BETTER if margin.value > 0 else Alternative.NOT_WORSE
        near = math.copysign(_indifference(trial), margin.value)
        if replace(margin, bound=near).to_bound > 0:
            margin, other = replace(margin, bound=near), Alternative.NO_DIFFERENCE
    if other is None:
        return ()
    below = margin.value >= margin.bound
    end = margin.low if below else margin.high
    quantity = JudgedQuantity.DIFFERENCE if trial.of_shares else judged.quantity
    bound, edge = (
        value if trial.of_shares or is_unbounded(value) else math.exp(value)
        for value in (margin.bound, end)
    )
    return (BeyondBound(quantity, below, bound, None if is_unbounded(end) else edge, other),)


def _band_beyond(bands: Sequence[Band], margin: BoundMargin) -> Band | None:
    """The band beyond the bound; None where there is none."""
    at = [
        i
        for i, band in enumerate(bands)
        if band.least > 0 and math.isclose(math.log(band.least), margin.bound, abs_tol=1e-12)
    ]
    if not at:
        return None
    return bands[at[0] - 1] if margin.value >= margin.bound else bands[at[0]]


def _to_distinguish(judged: Judged, tied: Sequence[Trial]) -> tuple[Sensitivity, ...]:
    """How many launches would distinguish the best from the nearest that may be as good."""
    if not tied or not tied[0].tested:
        return ()
    trial = tied[0]
    needed = launches_to_decide(_margin(trial, 0.0, trial.comparison.p_value))
    names = (judged.best, trial.against)
    return (MoreLaunches(Purpose.DISTINGUISH, needed, trial.launches, names),)


def _precision(trial: Trial) -> tuple[Sensitivity, ...]:
    """How many launches the target precision would take, where it was not met."""
    short = [
        side
        for side in (trial.candidate, trial.baseline)
        if not side.reached and side.resolved and side.target_precision > 0
    ]
    if not short:
        return ()
    first = short[0]
    return (
        MoreLaunches(
            Purpose.PRECISION,
            max(expected_launches(side) for side in short),
            trial.launches,
            target=first.target_precision,
            of_shares=first.unit == SHARE,
        ),
    )


def _to_decide(judged: Judged) -> tuple[Sensitivity, ...]:
    """What it takes to decide a case that is not: launches, by the bound that needs the fewest."""
    trial = judged.trial
    made = trial.launches
    if made < 2:
        return (LeastLaunches(LEAST_LAUNCHES, made),)
    if not trial.tested or (not trial.comparison.is_bounded and not trial.of_shares):
        sides = (trial.candidate, trial.baseline)
        small = [side for side in sides if not side.resolved] or list(sides)
        return (MoreLaunches(Purpose.RESOLVE, max(map(_to_resolve, small)), made),)
    counts = [launches_to_decide(margin) for margin in _open_margins(judged)]
    needed = min((count for count in counts if count), default=0)
    if judged.best and trial.against:
        names = (judged.best, trial.against)
        return (MoreLaunches(Purpose.DISTINGUISH, needed, made, names),)
    return (MoreLaunches(Purpose.DECIDE, needed, made),)


def _open_margins(judged: Judged) -> list[BoundMargin]:
    """What could come to be shown of a ratio that is inconclusive."""
    trial = judged.trial
    if judged.bands:
        return [_margin(trial, _nearest_bound(judged), trial.comparison.p_value)]
    margins = [_margin(trial, 0.0, trial.comparison.p_value)]
    if abs(margins[0].value) < _indifference(trial):
        margins.append(_same(trial))
    return margins


def _to_resolve(estimate: Estimate) -> int:
    """Launches by which an overhead would be resolved from zero; 0 where that cannot be said."""
    if estimate.launches < 2 or estimate.value <= 0:
        return 0
    values = (estimate.value, estimate.low, estimate.high)
    degrees = float(estimate.launches - 1)
    return launches_to_decide(BoundMargin(*values, 0.0, degrees, 0.0, estimate.launches, False))
