"""A result over threads, ranks, nodes or cores: what was measured, and the laws that describe it.

Laws are weighed by AICc over the counts (Akaike 1974; Hurvich, Tsai, Biometrika 76, 1989; weights
after Burnham, Anderson, Model Selection and Multimodel Inference, 2002, section 2.9), and by the
error at a count that was left out of the fit, which needs fewer counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from machmeter.analysis.scaling.intervals import Fitted, Logs, fitted, logs_of
from machmeter.analysis.scaling.laws import (
    LAWS,
    Law,
    fit,
    normal_form,
)
from machmeter.analysis.scaling.limits import (
    REACH,
    curve_of,
    formula_of,
    limit_by_law,
    parameters_of,
    points_at,
)
from machmeter.analysis.scaling.series import Series
from machmeter.analysis.scaling.steps import count_results, limit_of, steps_of, without_interval
from machmeter.analysis.stats.student import bounded_expm1, checked_logs
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.scaling import (
    CurvePoint,
    FittedLaw,
    LawName,
    NormalTerm,
    Problem,
    Scaling,
)
from machmeter.model.units import UNBOUNDED, is_unbounded

LEAST_GAIN = 1.5
_LEAST_VARIANCE = 1e-16


def scaling_of(
    series: Series,
    conditions: dict[str, str],
    *,
    name: str = "",
    least_gain: float = LEAST_GAIN,
    to: int = 0,
    term: NormalTerm | None = None,
) -> Scaling:
    """Everything that is said of one series.

    conditions: as text; least_gain: how many times faster a doubling must be to be worth it,
    above 0; to: a count to predict (0 = none); term: what Extra-P chose (None: it was not run).
    Raises ValueError where a launch value has no log.
    """
    steps = steps_of(series, least_gain)
    laws = _weighed(_laws(series, least_gain, term), len(series.counts))
    first = series.estimates[0]
    made = Scaling(
        name=name,
        benchmark=first.point.benchmark,
        metric=first.metric,
        title=first.title,
        unit=first.unit,
        direction=first.direction,
        axis=series.axis,
        problem=series.problem,
        conditions=conditions,
        results=count_results(series),
        steps=steps,
        least_gain=least_gain,
        limit=None if series.problem is Problem.COST else limit_of(steps, least_gain),
        laws=tuple(law for law, _ in laws),
        as_printed=without_interval(series),
        notes=_notes(series, [law for law, _ in laws], term),
        origin=first.origin,
        source=first.source,
    )
    return _predicted(made, [fit for _, fit in laws], series, to) if to else made


def launch_logs(series: Series) -> Logs:
    """Logs of the rate of work at each count (of a COST, of the cost), with their scatter.

    Raises ValueError where a launch value has no log.
    """
    logs = [
        [_log_rate(series, count, log) for log in _logs_of_estimate(one)]
        for count, one in zip(series.counts, series.estimates, strict=True)
    ]
    return logs_of(logs, [one.rounds for one in series.estimates])


def times_of(series: Series) -> tuple[float, ...]:
    """What Extra-P models: the time at each count, for a rate the time of one unit of work."""
    if series.estimates[0].direction is Direction.LOWER:
        return tuple(one.value for one in series.estimates)
    return tuple(1 / one.value for one in series.estimates)


def _logs_of_estimate(one: Estimate) -> tuple[float, ...]:
    """Logs of the launch values; of overheads, whose launches may say zero, to first order."""
    if one.scale is Scale.LOG:
        return checked_logs(one.launch_values, one.metric)
    mean = math.fsum(one.launch_values) / one.launches
    return tuple(math.log(mean) + value / mean - 1 for value in one.launch_values)


def _log_rate(series: Series, count: int, log: float) -> float:
    if series.problem is Problem.COST or series.estimates[0].direction is Direction.HIGHER:
        return log
    return (math.log(count) if series.problem is Problem.GROWING else 0.0) - log


def _laws(
    series: Series, least_gain: float, term: NormalTerm | None
) -> list[tuple[FittedLaw, Fitted]]:
    logs = launch_logs(series)
    candidates: list[Law] = list(LAWS[series.problem])
    if term is not None and not _is_known_law(series, term):
        candidates.append(normal_form(term))
    found = []
    for law in candidates:
        made = fitted(law, series.counts, logs, series.problem)
        if made is not None:
            found.append((_described(made, series, least_gain), made))
    return found


def _is_known_law(series: Series, term: NormalTerm) -> bool:
    """Whether Extra-P's form is another law by another name: two laws must be two."""
    falls_by_count = (term.exponent, term.log_exponent) == (-1.0, 0.0)
    return series.problem is Problem.FIXED and falls_by_count


def _described(made: Fitted, series: Series, least_gain: float) -> FittedLaw:
    cost = series.problem is Problem.COST
    return FittedLaw(
        law=made.law.name,
        formula=formula_of(made),
        parameters=parameters_of(made),
        misfit=bounded_expm1(_root_mean_square(made.residuals)),
        misfit_p=made.misfit_p,
        holds=made.holds,
        left_out=_left_out(made),
        weight=-1.0,
        limit=None if cost else limit_by_law(made, series, least_gain),
        curve=curve_of(made, series),
    )


def _left_out(made: Fitted) -> float:
    """Root mean square of the relative error at each count when it is left out of the fit."""
    counts, means = made.counts, made.logs.means
    if len(counts) - 1 < len(made.law.terms) or len(counts) < 3:
        return -1.0
    errors = []
    for position, count in enumerate(counts):
        others = [c for c in counts if c != count]
        coefficients = fit(made.law, others, np.delete(means, position), made.problem)
        if coefficients is None:
            return -1.0
        here = made.law.log_rate(np.asarray([float(count)]), coefficients, made.problem)
        errors.append(means[position] - here[0])
    size = _root_mean_square(np.asarray(errors))
    return bounded_expm1(size) if math.isfinite(size) else -1.0


def _weighed(
    laws: Sequence[tuple[FittedLaw, Fitted]], counts: int
) -> list[tuple[FittedLaw, Fitted]]:
    """With weights, the best first: by weight where all have one, else by the error left out."""
    scores = [_aicc(made, counts) for _, made in laws]
    known = [score for score in scores if score is not None]
    if len(known) > 1:
        odds = [0.0 if s is None else math.exp(-(s - min(known)) / 2) for s in scores]
        laws = [
            (law if score is None else replace(law, weight=odd / math.fsum(odds)), made)
            for (law, made), odd, score in zip(laws, odds, scores, strict=True)
        ]
    if len(known) == len(laws):
        return sorted(laws, key=lambda one: -one[0].weight)
    return sorted(laws, key=lambda one: one[0].left_out if one[0].left_out >= 0 else math.inf)


def _aicc(made: Fitted, counts: int) -> float | None:
    """Akaike's criterion with its correction for few counts; None where they are too few."""
    chosen = made.law.parameters + 1
    if counts - chosen - 1 <= 0:
        return None
    variance = max(float(made.residuals @ made.residuals) / counts, _LEAST_VARIANCE)
    penalty = 2 * chosen + 2 * chosen * (chosen + 1) / (counts - chosen - 1)
    return counts * math.log(variance) + penalty


def _root_mean_square(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return math.sqrt(float(np.mean(values**2)))


def _predicted(made: Scaling, fits: Sequence[Fitted], series: Series, to: int) -> Scaling:
    """With what each law says at `to`, which beyond twice the largest count takes two laws."""
    largest = series.counts[-1]
    if to < series.counts[0]:
        return _noted(
            made, f"{to} {made.axis.value} are fewer than the {series.counts[0]} measured"
        )
    at = np.asarray([float(to)])
    said = [_within_numbers(points_at(one, series, at)) for one in fits]
    values = [point[0].value.value for point in said if point]
    beyond = to > REACH * largest
    if not values or (beyond and len(values) < 2):
        need = f"{'two laws' if beyond else 'a law'} fitted, and there is"
        return _noted(
            made,
            f"nothing is said of {to} {made.axis.value}: that takes {need} "
            f"{'one' if values else 'none'} ({largest} is the largest count measured)",
        )
    laws = tuple(
        replace(law, prediction=point[0]) if point else law
        for law, point in zip(made.laws, said, strict=True)
    )
    return replace(made, laws=laws, predicted=to, apart=min(max(values) / min(values), UNBOUNDED))


def _within_numbers(points: Sequence[CurvePoint]) -> tuple[CurvePoint, ...]:
    """Without those that are too small or too large for a number."""
    return tuple(one for one in points if one.value.value > 0 and not is_unbounded(one.value.value))


def _noted(made: Scaling, note: str) -> Scaling:
    return replace(made, notes=(*made.notes, note))


def _notes(series: Series, laws: Sequence[FittedLaw], term: NormalTerm | None) -> tuple[str, ...]:
    notes = []
    if term is not None and _is_known_law(series, term):
        notes.append("Extra-P chose time = c + a / N, which is Amdahl's law")
    counts = len(series.counts)
    if not laws:
        least = 1 + min(law.parameters for law in LAWS[series.problem])
        notes.append(
            f"no law: {counts} counts, and the simplest law takes {least} (one more than it has "
            "parameters)"
        )
    unweighed = [law.law.value for law in laws if law.weight < 0]
    if len(laws) > 1 and unweighed:
        notes.append(f"too few counts to weigh {', '.join(unweighed)} by AICc")
    shares = {LawName.AMDAHL, LawName.UNIVERSAL, LawName.GUSTAFSON}
    if any(
        law.law in shares and parameter.symbol == "s" and parameter.value.high < 0
        for law in laws
        for parameter in law.parameters
    ):
        notes.append("a serial share or contention below zero: more than in proportion")
    crowded = [
        c
        for c, e in zip(series.counts, series.estimates, strict=True)
        if e.point.layout.oversubscribe
    ]
    if crowded and len(crowded) < counts:
        notes.append(f"more ranks or threads than cores from {crowded[0]} on")
    return tuple(notes)
