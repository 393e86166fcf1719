"""Steps between levels of runs, and which of them still stand."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from machmeter.analysis.history.levels import (
    CONFIRM,
    FALSE_ALARMS,
    LEAST_RUNS,
    find_changes,
    levels,
    on_scale,
    rules_for,
    smallest_found,
    step_between,
)
from machmeter.model.benchmark import Direction
from machmeter.model.results.history import Change, ChangeKind, HistoryValue
from machmeter.model.units import FLOPS, SECONDS, SHARE, Unit

LOWER, HIGHER = Direction.LOWER, Direction.HIGHER
RULES = rules_for(1)


def values(numbers: Sequence[float]) -> list[HistoryValue]:
    return [
        HistoryValue(f"run{i:03d}", f"2026-01-{i:03d}", number, number, number, 3)
        for i, number in enumerate(numbers)
    ]


def noisy(*parts: tuple[float, int], spread: float = 0.004, seed: int = 3) -> list[float]:
    draw = random.Random(seed)
    return [level * math.exp(draw.gauss(0, spread)) for level, count in parts for _ in range(count)]


def changes(
    numbers: Sequence[float],
    starts: Sequence[int],
    direction: Direction = LOWER,
    unit: Unit = SECONDS,
) -> tuple[Change, ...]:
    return find_changes(values(numbers), starts, RULES, unit, direction)


def test_steps_are_welchs_t_on_logs_where_both_sides_have_three_runs() -> None:
    before, after = [1.0, 1.02, 0.98, 1.01], [1.1, 1.13, 1.08]
    step = step_between(before, after, SECONDS, LOWER)
    theirs = stats.ttest_ind(np.log(before), np.log(after), equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert step.p_value == pytest.approx(theirs.pvalue)
    assert (step.low, step.high) == pytest.approx((math.exp(interval.low), math.exp(interval.high)))
    assert step.by == pytest.approx(stats.gmean(before) / stats.gmean(after))
    assert (step.before, step.after) == pytest.approx((stats.gmean(before), stats.gmean(after)))


def test_steps_pool_the_spread_where_a_side_has_fewer() -> None:
    before, after = [1.0, 1.02, 0.98, 1.01], [1.1, 1.13]
    step = step_between(before, after, SECONDS, HIGHER)
    theirs = stats.ttest_ind(np.log(after), np.log(before), equal_var=True)
    interval = theirs.confidence_interval(0.95)
    assert (step.low, step.high) == pytest.approx((math.exp(interval.low), math.exp(interval.high)))
    lonely = step_between(before, [1.1], SECONDS, HIGHER)
    assert 1 < lonely.low < lonely.by < lonely.high


def test_shares_step_by_points_and_may_be_negative() -> None:
    step = step_between([0.5, 0.51, 0.49], [-0.01, 0.0, 0.01], SHARE, HIGHER)
    assert step.by == pytest.approx(-0.5)
    assert step.low < -0.5 < step.high < 0


@pytest.mark.parametrize(("before", "after"), [([], [1.0, 1.0, 1.0]), ([1.0], [1.0])])
def test_too_few_runs_for_a_step_are_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(ValueError, match="three runs"):
        step_between(before, after, SECONDS, LOWER)


def test_what_has_no_log_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        on_scale([1.0, 0.0], SECONDS)
    assert on_scale([1.0, 0.0], SHARE) == (1.0, 0.0)


@given(st.integers(1, 60), st.lists(st.integers(-5, 70), max_size=12))
def test_levels_are_all_runs_each_once(count: int, starts: list[int]) -> None:
    found = levels(count, starts)
    assert [run for level in found for run in level.runs] == list(range(count))
    assert all(level.runs for level in found)


@pytest.mark.parametrize(
    ("direction", "kind"), [(LOWER, ChangeKind.WORSE), (HIGHER, ChangeKind.BETTER)]
)
def test_direction_says_what_is_worse(direction: Direction, kind: ChangeKind) -> None:
    unit = SECONDS if direction is LOWER else FLOPS
    (change,) = changes(noisy((1.0, 10), (1.08, 5)), [10], direction, unit)
    assert change.kind is kind
    assert change.stands is (kind is ChangeKind.WORSE)
    assert (change.first_run, change.last_run) == ("run010", "run009")
    assert (change.runs_before, change.runs_after) == (10, 5)


def test_what_has_recovered_stands_no_more() -> None:
    worse, better = changes(noisy((1.0, 10), (1.08, 5), (1.0, 6)), [10, 15])
    assert (worse.kind, better.kind) == (ChangeKind.WORSE, ChangeKind.BETTER)
    assert not worse.stands
    assert not better.stands


def test_half_a_recovery_is_none() -> None:
    worse, _ = changes(noisy((1.0, 10), (1.2, 5), (1.08, 6)), [10, 15])
    assert worse.stands
    assert worse.since is not None
    assert worse.since.by == pytest.approx(1 / 1.08, rel=0.01)


def test_small_steps_that_add_up_stand() -> None:
    numbers = noisy((1.0, 8), (1.02, 8), (1.04, 8), (1.06, 8), spread=0.001)
    found = changes(numbers, [8, 16, 24])
    assert [change.kind for change in found] == [ChangeKind.SMALL] * 3
    assert [change.stands for change in found] == [True, True, False]


def test_a_small_step_alone_does_not_matter() -> None:
    (change,) = changes(noisy((1.0, 10), (1.02, 10), spread=0.001), [10])
    assert change.kind is ChangeKind.SMALL
    assert not change.stands


def test_one_run_is_suspected_and_never_a_regression() -> None:
    (change,) = changes(noisy((1.0, 12), (1.2, 1)), [12])
    assert change.kind is ChangeKind.UNCONFIRMED
    assert not change.stands
    assert (change.runs_before, change.runs_after) == (12, 1)


def test_a_bad_night_in_between_is_no_level() -> None:
    assert changes(noisy((1.0, 10), (1.3, 1), (1.0, 10)), [10, 11]) == ()
    (change,) = changes(noisy((1.0, 10), (1.3, 1), (1.1, 10)), [10, 11])
    assert (change.first_run, change.last_run) == ("run011", "run009")
    assert change.stands


def test_levels_that_do_not_differ_are_joined() -> None:
    assert changes([1.0, 1.01] * 10, [6, 12]) == ()


def test_the_bound_is_shared_by_all_figures() -> None:
    assert rules_for(1).p_value == FALSE_ALARMS
    assert rules_for(200).p_value == pytest.approx(FALSE_ALARMS / 200)
    assert rules_for(0).p_value == FALSE_ALARMS
    assert rules_for(1).least_runs == LEAST_RUNS
    assert rules_for(1, confirm=5).least_runs == LEAST_RUNS + 5 - CONFIRM


def test_smallest_change_that_three_more_runs_would_show() -> None:
    numbers = values(noisy((1.0, 20), spread=0.02))
    found = smallest_found(numbers, (), RULES, SECONDS)
    logs = np.log([one.value for one in numbers])
    quantile = stats.t.ppf(1 - RULES.p_value / 2, 21)
    error = logs.std(ddof=1) * math.sqrt(1 / 20 + 1 / 3)
    assert found == pytest.approx(math.expm1(quantile * error))
    assert smallest_found(values([1.0] * 20), (), RULES, SECONDS) == RULES.threshold
    assert smallest_found(values([1.0, 1.1]), (), RULES, SECONDS) == 0


def test_smallest_change_is_that_of_the_latest_level() -> None:
    numbers = noisy((1.0, 10), (2.0, 10), spread=0.002)
    (change,) = changes(numbers, [10])
    found = smallest_found(values(numbers), (change,), RULES, SECONDS)
    assert found == RULES.threshold


@settings(max_examples=60)
@given(
    st.lists(st.floats(1e-9, 1e9), min_size=8, max_size=30),
    st.lists(st.integers(0, 30), max_size=6),
)
def test_any_positive_values_and_starts_are_taken(numbers: list[float], starts: list[int]) -> None:
    for change in changes(numbers, starts):
        assert change.step.low <= change.step.by <= change.step.high
        assert change.runs_before >= 1
        assert change.runs_after >= 1
