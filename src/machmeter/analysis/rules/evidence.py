"""What each case of a finding rests on: its ratio, how sure it is, and what would change it."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec.structs import replace

from machmeter.analysis.rules.labels import percent, points, times
from machmeter.analysis.rules.ratios import Trial, band_of, points_between
from machmeter.analysis.rules.trials import Case
from machmeter.analysis.rules.wording import SHARE_RULES, Outcome, is_behind, reference_of
from machmeter.analysis.stats.comparison import MARGIN, MARGIN_OF_SHARES
from machmeter.analysis.stats.confidence import (
    LEAST_LAUNCHES,
    Clearance,
    graded,
    graded_decided,
    launches_to_decide,
    more_launches_text,
    unless_text,
)
from machmeter.analysis.stats.stopping import expected_launches
from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.plan.study import Question, Rule
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence
from machmeter.model.units import SHARE, UNBOUNDED, is_unbounded

Write = Callable[[float], str]
_OPPOSED = (Rule.BETTER, Rule.BEST)


def ground_of(question: Question, case: Case, outcome: Outcome) -> CaseEvidence:
    """What a case rests on; its p values account for how much was compared."""
    trial = reference_of(case) if question.rule is Rule.BEST else case.trials[0]
    ground = CaseEvidence(
        outcome.said,
        AnswerStatus.UNRESOLVED if outcome.ratio is None else AnswerStatus.DECIDED,
        Confidence.OPEN,
        case.label,
        outcome.advice,
        None if trial.of_shares else trial.comparison,
        launches=_launches(trial),
    )
    if trial.of_shares:
        between = points_between(trial.candidate, trial.baseline)
        ground = replace(
            ground, points=between.value, points_low=between.low, points_high=between.high
        )
    if trial.printed:
        confidence = Confidence.OPEN if outcome.ratio is None else Confidence.PRINTED
        return replace(ground, confidence=confidence, doubts=("printed without an interval",))
    if outcome.ratio is None:
        doubts = (_doubt(question, trial),)
        return replace(ground, doubts=doubts, would_change=_to_decide(question, case, trial))
    clearance = _clearance_of(question, case, trial)
    confidence, found = graded_decided(clearance)
    changes = (*_unless(question, trial), *_alike(question, case))
    if confidence is not Confidence.SURE:
        changes = (*changes, *_precision(trial))
    return replace(
        ground, confidence=confidence, room=clearance.room, doubts=found, would_change=changes
    )


def _launches(trial: Trial) -> int:
    return min(trial.candidate.launches, trial.baseline.launches)


def _reached(trial: Trial) -> bool:
    return all(side.reached for side in (trial.candidate, trial.baseline))


def _doubt(question: Question, trial: Trial) -> str:
    """Why a case is not decided."""
    if _launches(trial) < 2:
        return "one launch says nothing of spread"
    if not (trial.candidate.resolved and trial.baseline.resolved):
        return "one side cannot be told from zero"
    clear = _open_clearances(question, trial)[0]
    doubts = graded(clear)[1] if clear.room > 0 else ()
    return doubts[0] if doubts else "the interval holds more than one answer"


def _clearance(trial: Trial, bound: float, p_value: float) -> Clearance:
    """How clear of `bound` the ratio (on logs) or the points lie."""
    degrees, low, high = trial.comparison.degrees, -UNBOUNDED, UNBOUNDED
    if trial.of_shares:
        between = points_between(trial.candidate, trial.baseline)
        value, low, high, degrees = between.value, between.low, between.high, between.degrees
    else:
        comparison = trial.comparison
        value = math.log(comparison.ratio)
        low = math.log(comparison.low) if comparison.low > 0 else -UNBOUNDED
        high = high if is_unbounded(comparison.high) else math.log(comparison.high)
    return Clearance(value, low, high, bound, degrees, p_value, _launches(trial), _reached(trial))


def _margin(trial: Trial) -> float:
    """How far from no difference two still count as the same: on logs, or in points."""
    return MARGIN_OF_SHARES if trial.of_shares else math.log1p(MARGIN)


def _clearance_of(question: Question, case: Case, trial: Trial) -> Clearance:
    """How clear a decided case lies of what would decide it otherwise."""
    p_value = trial.comparison.p_value
    if question.rule is Rule.BEST:
        p_value = max(t.comparison.p_value for t in case.trials if is_behind(t))
    if question.rule not in _OPPOSED:
        return _clearance(trial, _nearest_bound(question, trial), p_value)
    if trial.comparison.verdict is not ComparisonVerdict.SAME:
        return _clearance(trial, 0.0, p_value)
    return _same(trial)


def _same(trial: Trial) -> Clearance:
    """How clear of a difference two lie that are the same, by two one-sided tests (Schuirmann,
    Journal of Pharmacokinetics and Biopharmaceutics 15, 1987)."""
    value = _clearance(trial, 0.0, 1.0).value
    bound = math.copysign(_margin(trial), value)
    clearance = _clearance(trial, bound, 1.0)
    if clearance.degrees <= 0 or is_unbounded(clearance.high) or is_unbounded(clearance.low):
        return clearance
    error = (clearance.high - clearance.low) / 2 / student_quantile(clearance.degrees)
    return clearance._replace(p_value=two_sided_p(bound - value, error, clearance.degrees))


def _nearest_bound(question: Question, trial: Trial) -> float:
    """The log of the bound of its band that the ratio is nearest to; 0 where it has none."""
    ratio = trial.comparison.ratio
    band = band_of(question.bands, ratio)
    above = [other.least for other in question.bands if other.least > band.least]
    bounds = [math.log(bound) for bound in (band.least, *above[:1]) if bound > 0]
    return min(bounds, key=lambda bound: abs(math.log(ratio) - bound), default=0.0)


def _write(question: Question, trial: Trial) -> Write:
    """How a value on that scale is written: `1.92x`, `46 %`, `+20.0 points`."""
    if trial.of_shares:
        return lambda value: f"{points(value)} points"
    if question.rule in SHARE_RULES:
        return lambda value: f"{percent(math.exp(value))} %"
    return lambda value: f"{times(math.exp(value))}x"


def _unless(question: Question, trial: Trial) -> tuple[str, ...]:
    """The bound beyond which a decided answer would be another one, and where the interval ends."""
    verdict, write = trial.comparison.verdict, _write(question, trial)
    if question.rule in _OPPOSED and verdict is ComparisonVerdict.SAME:
        clearance, other = _same(trial), "a difference"
    elif question.rule in _OPPOSED:
        # Where the interval keeps clear of what counts as the same, that is what would be said.
        clearance = _clearance(trial, 0.0, 0.0)
        other = "no better" if clearance.value > 0 else "no worse"
        margin = math.copysign(_margin(trial), clearance.value)
        if clearance._replace(bound=margin).room > 0:
            clearance, other = clearance._replace(bound=margin), "no difference"
    else:
        clearance = _clearance(trial, _nearest_bound(question, trial), 0.0)
        other = _band_beyond(question, clearance)
    if not other:
        return ()
    above = clearance.value >= clearance.bound
    end = clearance.low if above else clearance.high
    side = "below" if above else "above"
    ends = "" if is_unbounded(end) else write(end)
    what = "difference" if trial.of_shares else "ratio"
    return (unless_text(what, side, write(clearance.bound), other, ends),)


def _band_beyond(question: Question, clearance: Clearance) -> str:
    """The band on the other side of the bound; empty where there is none."""
    names = [band.name for band in question.bands]
    at = [
        i for i, b in enumerate(question.bands) if b.least > 0 and _is_at(b.least, clearance.bound)
    ]
    if not at:
        return ""
    return names[at[0] - 1] if clearance.value >= clearance.bound else names[at[0]]


def _is_at(bound: float, log_bound: float) -> bool:
    return bound > 0 and math.isclose(math.log(bound), log_bound, abs_tol=1e-12)


def _alike(question: Question, case: Case) -> tuple[str, ...]:
    """How many launches it takes to tell the best from the nearest that may be as good."""
    rivals = [trial for trial in case.trials if not is_behind(trial)]
    if question.rule is not Rule.BEST or not rivals or not rivals[0].tested:
        return ()
    trial = rivals[0]
    needed = launches_to_decide(_clearance(trial, 0.0, trial.comparison.p_value))
    why = f"to tell {case.best} from {trial.against}"
    return (more_launches_text(needed, _launches(trial), why),)


def _precision(trial: Trial) -> tuple[str, ...]:
    """How many launches the asked precision of the figures would take, where it was not reached."""
    short = [
        side
        for side in (trial.candidate, trial.baseline)
        if not side.reached and side.resolved and side.target_precision > 0
    ]
    if not short:
        return ()
    needed = max(expected_launches(side) for side in short)
    asked = 100 * short[0].target_precision
    unit = "points" if short[0].unit == SHARE else "%"
    why = f"for figures within ±{asked:g} {unit}"
    return (more_launches_text(needed, _launches(trial), why),)


def _to_decide(question: Question, case: Case, trial: Trial) -> tuple[str, ...]:
    """What it takes to decide a case that is not: launches, by the bound that is soonest shown."""
    made = _launches(trial)
    if made < 2:
        return (f"at least {LEAST_LAUNCHES} launches ({made} made)",)
    if not trial.tested or (is_unbounded(trial.comparison.high) and not trial.of_shares):
        sides = (trial.candidate, trial.baseline)
        small = [side for side in sides if not side.resolved] or list(sides)
        needed = max(_told_from_zero(side) for side in small)
        return (more_launches_text(needed, made, "to tell it from zero"),)
    counts = [launches_to_decide(clearance) for clearance in _open_clearances(question, trial)]
    needed = min((count for count in counts if count), default=0)
    what = f"to tell {case.best} from {trial.against}" if case.best and trial.against else ""
    return (more_launches_text(needed, made, what),)


def _open_clearances(question: Question, trial: Trial) -> list[Clearance]:
    """What could come to be shown of a ratio that is not resolved."""
    comparison: Comparison = trial.comparison
    if question.rule not in _OPPOSED:
        return [_clearance(trial, _nearest_bound(question, trial), comparison.p_value)]
    clearances = [_clearance(trial, 0.0, comparison.p_value)]
    if abs(clearances[0].value) < _margin(trial):
        clearances.append(_same(trial))
    return clearances


def _told_from_zero(estimate: Estimate) -> int:
    """Launches by which an overhead would be told from zero; 0 where that cannot be said."""
    if estimate.launches < 2 or estimate.value <= 0:
        return 0
    values = (estimate.value, estimate.low, estimate.high)
    degrees = float(estimate.launches - 1)
    return launches_to_decide(Clearance(*values, 0.0, degrees, 0.0, estimate.launches, False))
