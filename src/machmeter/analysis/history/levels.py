"""Levels of a result over many runs: where they change, by how much, and what still stands.

The run is the unit here: each gives one value. Where levels begin is found elsewhere (E-divisive
with Student's t: Matteson, James, JASA 109 (2014); merging: Fleming and others, "Hunter", ICPE
2023); this module makes steps with intervals of it and says which of them matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from machmeter.analysis.stats.comparison import combine_log_ratios
from machmeter.analysis.stats.student import (
    bounded_exp,
    checked_logs,
    two_sided_p,
    variance_of_mean,
)
from machmeter.model.benchmark import Direction
from machmeter.model.results.history import (
    Change,
    ChangeKind,
    HistoryRules,
    HistoryValue,
    LevelChange,
)
from machmeter.model.units import SHARE, Unit

THRESHOLD = 0.03
CONFIRM = 2
LEAST_RUNS = 8
FALSE_ALARMS = 1e-4
"""Target p value, all results together (docs/history.md says what alarms that comes to)."""
WINDOW = 50
_WELCH_FROM = 3
_MORE_RUNS = 3


class LevelStretch(NamedTuple):
    """Positions of the runs of one level, rising."""

    runs: tuple[int, ...]


def rules_for(results: int, threshold: float = THRESHOLD, confirm: int = CONFIRM) -> HistoryRules:
    """The rules for that many results looked at together.

    Bonferroni's bound: it holds however the results hang together, and results of one machine do.
    """
    least = max(LEAST_RUNS, LEAST_RUNS - CONFIRM + confirm)
    return HistoryRules(threshold, confirm, least, FALSE_ALARMS / max(results, 1))


def on_scale(values: Sequence[float], unit: Unit) -> tuple[float, ...]:
    """What is compared: shares as they are, everything else as natural logs.

    Raises ValueError for what has no log.
    """
    return tuple(values) if unit == SHARE else checked_logs(values, "values of runs")


def step_between(
    before: Sequence[float], after: Sequence[float], unit: Unit, direction: Direction
) -> LevelChange:
    """From one level to the next, both in the base unit, with the 95 % interval over runs.

    Welch's t where both have three runs; with fewer on a side the spread of both is pooled
    (Student's t), for Welch's would have one degree of freedom. Raises ValueError when one is
    empty, both together have fewer than three runs, or a value has no log.
    """
    old, new = on_scale(before, unit), on_scale(after, unit)
    if not old or not new or len(old) + len(new) < 3:
        raise ValueError(f"a step needs three runs, got {len(old)} before and {len(new)} after")
    sign = 1.0 if direction is Direction.HIGHER else -1.0
    center = sign * (fmean(new) - fmean(old))
    variances, degrees = _variances(old, new)
    spread = combine_log_ratios([0.0] * len(variances), variances, degrees, [1.0] * len(variances))
    half = math.log(spread.high)
    error = math.sqrt(math.fsum(variances))
    on_logs = (center, center - half, center + half)
    by, low, high = on_logs if unit == SHARE else tuple(bounded_exp(one) for one in on_logs)
    levels = [fmean(s) if unit == SHARE else math.exp(fmean(s)) for s in (old, new)]
    return LevelChange(
        levels[0], levels[1], by, low, high, two_sided_p(center, error, spread.degrees)
    )


def find_changes(
    values: Sequence[HistoryValue],
    starts: Sequence[int],
    rules: HistoryRules,
    unit: Unit,
    direction: Direction,
) -> tuple[Change, ...]:
    """The changes of one result, the oldest first; `starts` are where new levels begin.

    A level of fewer than `rules.confirm` runs is stray: it is left out, except the last one, which
    may be a beginning. Neighboring levels whose step has 1 (of shares, 0) in its interval are one.
    """
    numbers = [one.value for one in values]
    parts = levels(len(values), starts)
    confirmed = [level for level in parts if len(level.runs) >= rules.confirm]
    kept = _merged(confirmed, numbers, rules, unit, direction)
    if not kept:
        return ()
    changes = [
        _change(values, (old, new), kept[-1], rules, unit, direction) for old, new in pairwise(kept)
    ]
    last = parts[-1]
    if len(last.runs) < rules.confirm:
        changes += _suspected(values, kept[-1], last, rules, unit, direction)
    return tuple(changes)


def levels(count: int, starts: Iterable[int]) -> list[LevelStretch]:
    """`count` runs in levels that begin at 0 and at each of `starts` (those outside are not)."""
    bounds = [0, *sorted({s for s in starts if 0 < s < count}), count]
    return [LevelStretch(tuple(range(a, b))) for a, b in pairwise(bounds) if b > a]


def smallest_found(
    values: Sequence[HistoryValue], changes: Sequence[Change], rules: HistoryRules, unit: Unit
) -> float:
    """The smallest step, as a share of the value (of shares, in points), that three more runs show.

    From the spread of the runs since the last change, by Student's t at `rules.p_value`; never
    below `rules.threshold`, and 0 where those runs are too few to know their spread.
    """
    first = next((c.first_run for c in reversed(changes) if _confirmed(c)), "")
    begins = next((i for i, one in enumerate(values) if one.run == first), 0)
    latest = on_scale([one.value for one in values[begins:]], unit)
    if len(latest) < _WELCH_FROM:
        return 0.0
    spread = math.sqrt(variance_of_mean(latest) * len(latest))
    error = spread * math.sqrt(1 / len(latest) + 1 / _MORE_RUNS)
    degrees = len(latest) + _MORE_RUNS - 2
    from scipy.special import stdtrit

    step = float(stdtrit(degrees, 1 - rules.p_value / 2)) * error
    return max(rules.threshold, step if unit == SHARE else math.expm1(min(step, 700.0)))


def _confirmed(change: Change) -> bool:
    return change.kind is not ChangeKind.UNCONFIRMED


def _variances(old: Sequence[float], new: Sequence[float]) -> tuple[list[float], list[float]]:
    """Squared standard errors whose sum is that of the difference, with their degrees."""
    if min(len(old), len(new)) >= _WELCH_FROM:
        return [variance_of_mean(old), variance_of_mean(new)], [len(old) - 1.0, len(new) - 1.0]
    variance, degrees = _pooled(old, new)
    return [variance], [degrees]


def _pooled(old: Sequence[float], new: Sequence[float]) -> tuple[float, float]:
    """Squared standard error of the difference at equal variance, and its degrees of freedom."""
    degrees = len(old) + len(new) - 2
    squares = math.fsum(
        variance_of_mean(side) * len(side) * (len(side) - 1) for side in (old, new) if len(side) > 1
    )
    return squares / degrees * (1 / len(old) + 1 / len(new)), float(degrees)


def _merged(
    parts: Sequence[LevelStretch],
    numbers: Sequence[float],
    rules: HistoryRules,
    unit: Unit,
    direction: Direction,
) -> list[LevelStretch]:
    """Levels that differ from their neighbors; the weakest step goes first, as Hunter does it."""
    kept = list(parts)
    while len(kept) > 1:
        steps = [
            step_between(_of(numbers, a), _of(numbers, b), unit, direction)
            for a, b in pairwise(kept)
        ]
        doubtful = [
            i
            for i, (step, pair) in enumerate(zip(steps, pairwise(kept), strict=True))
            if not _real(step, unit) or _untested(pair, numbers, rules, unit)
        ]
        if not doubtful:
            break
        weakest = max(doubtful, key=lambda i: steps[i].p_value)
        kept[weakest : weakest + 2] = [LevelStretch(kept[weakest].runs + kept[weakest + 1].runs)]
    return kept


def _untested(
    pair: tuple[LevelStretch, LevelStretch],
    numbers: Sequence[float],
    rules: HistoryRules,
    unit: Unit,
) -> bool:
    """Whether there were stray runs between two levels, so that they were never compared, and
    Student's t, by which levels are found, shows no difference.
    """
    old, new = pair
    if old.runs[-1] + 1 == new.runs[0]:
        return False
    sides = [on_scale(_of(numbers, level), unit) for level in pair]
    variance, degrees = _pooled(*sides)
    p_value = two_sided_p(fmean(sides[1]) - fmean(sides[0]), math.sqrt(variance), degrees)
    return p_value >= rules.p_value


def _change(
    values: Sequence[HistoryValue],
    pair: tuple[LevelStretch, LevelStretch],
    latest: LevelStretch,
    rules: HistoryRules,
    unit: Unit,
    direction: Direction,
) -> Change:
    numbers = [one.value for one in values]
    old, new = pair
    step = step_between(_of(numbers, old), _of(numbers, new), unit, direction)
    worse = _size(step, unit) < 0
    since = (
        step_between(_of(numbers, old), _of(numbers, latest), unit, direction) if worse else None
    )
    stands = since is not None and _size(since, unit) < 0 and _matters(since, rules, unit)
    return Change(
        kind=_kind(step, rules, unit),
        first_run=values[new.runs[0]].run,
        started=values[new.runs[0]].started,
        last_run=values[old.runs[-1]].run,
        runs_before=len(old.runs),
        runs_after=len(new.runs),
        step=step,
        stands=stands,
        since=since if stands else None,
    )


def _suspected(
    values: Sequence[HistoryValue],
    old: LevelStretch,
    last: LevelStretch,
    rules: HistoryRules,
    unit: Unit,
    direction: Direction,
) -> list[Change]:
    numbers = [one.value for one in values]
    step = step_between(_of(numbers, old), _of(numbers, last), unit, direction)
    if not _matters(step, rules, unit):
        return []
    first = values[last.runs[0]]
    return [
        Change(
            kind=ChangeKind.UNCONFIRMED,
            first_run=first.run,
            started=first.started,
            last_run=values[old.runs[-1]].run,
            runs_before=len(old.runs),
            runs_after=len(last.runs),
            step=step,
        )
    ]


def _of(numbers: Sequence[float], level: LevelStretch) -> list[float]:
    return [numbers[position] for position in level.runs]


def _size(step: LevelChange, unit: Unit) -> float:
    """How much better, as a log or in points."""
    return step.by if unit == SHARE else math.log(step.by)


def _real(step: LevelChange, unit: Unit) -> bool:
    nothing = 0.0 if unit == SHARE else 1.0
    return step.low > nothing or step.high < nothing


def _matters(step: LevelChange, rules: HistoryRules, unit: Unit) -> bool:
    bound = rules.threshold if unit == SHARE else math.log1p(rules.threshold)
    return _real(step, unit) and abs(_size(step, unit)) > bound


def _kind(step: LevelChange, rules: HistoryRules, unit: Unit) -> ChangeKind:
    if not _matters(step, rules, unit):
        return ChangeKind.SMALL
    return ChangeKind.BETTER if _size(step, unit) > 0 else ChangeKind.WORSE
