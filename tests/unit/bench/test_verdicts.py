import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.rounds import Contender, ContenderError, measure_rounds
from bench.verdicts import (
    Target,
    TargetVerdict,
    at_least,
    at_most,
    best_of,
    contains,
    judge_target,
    ratio_row,
    share_row,
    within,
)
from machmeter.analysis.stats.comparison import compare_paired

BOUNDS = st.floats(0.2, 5.0)


@pytest.mark.parametrize(
    ("target", "low", "high", "expected"),
    [
        (at_least(1.3), 1.30, 1.5, TargetVerdict.PASS),
        (at_least(1.3), 1.29, 1.5, TargetVerdict.INCONCLUSIVE),
        (at_least(1.3), 1.1, 1.29, TargetVerdict.MISSED),
        (within(0.05), 0.96, 1.04, TargetVerdict.PASS),
        (within(0.05), 0.94, 1.04, TargetVerdict.INCONCLUSIVE),
        (within(0.05), 1.06, 1.2, TargetVerdict.MISSED),
        (contains(1.03), 1.02, 1.1, TargetVerdict.PASS),
        (contains(1.03), 1.04, 1.1, TargetVerdict.MISSED),
        (contains(1.03), 0.5, 2.0, TargetVerdict.INCONCLUSIVE),
        (at_most(0.05), 0.05, 0.05, TargetVerdict.PASS),
        (at_most(0.05), 0.06, 0.06, TargetVerdict.MISSED),
        (Target(), 0.0, 9.0, TargetVerdict.SHOWN),
    ],
)
def test_a_target_is_met_only_where_the_interval_decides(target, low, high, expected) -> None:
    assert judge_target(target, low, high) is expected


@given(BOUNDS, BOUNDS, st.sampled_from((at_least(1.3), within(0.05))))
def test_a_verdict_of_an_interval_is_that_of_every_part_of_it(a: float, b: float, target) -> None:
    low, high = sorted((a, b))
    whole = judge_target(target, low, high)
    part = judge_target(target, low + (high - low) / 4, high - (high - low) / 4)
    assert whole is TargetVerdict.INCONCLUSIVE or part is whole


@given(st.lists(st.tuples(st.floats(1e-9, 1e3), st.floats(1e-9, 1e3)), min_size=2, max_size=12))
def test_a_row_pairs_values_of_the_same_round_whatever_their_order(pairs) -> None:
    ours = {number: a for number, (a, _) in enumerate(pairs)}
    peer = {number: b for number, (_, b) in reversed(list(enumerate(pairs)))}
    row = ratio_row(
        "x", ours, peer, higher_is_better=False, statistic="mean", target=Target(), text=("", "")
    )
    expected = compare_paired([a for a, _ in pairs], [b for _, b in pairs], higher_is_better=False)
    assert (row.ratio, row.low, row.high) == (expected.ratio, expected.low, expected.high)
    assert row.launches == len(pairs)


def test_rounds_without_both_values_are_skipped() -> None:
    ours, peer = {1: 2.0, 2: 2.0, 3: 7.0}, {1: 1.0, 2: 1.0, 4: 9.0}
    row = ratio_row(
        "x", ours, peer, higher_is_better=True, statistic="best", target=Target(), text=("", "")
    )
    assert row.launches == 2
    assert row.ratio == pytest.approx(2.0)


def test_a_share_is_compared_with_its_target() -> None:
    assert share_row("x", 0.04, 50, at_most(0.05), ("2", "")).verdict is TargetVerdict.PASS
    assert share_row("x", 0.06, 50, at_most(0.05), ("3", "")).verdict is TargetVerdict.MISSED


def test_the_best_is_chosen_by_geometric_mean() -> None:
    candidates = {"steady": {1: 10.0, 2: 10.0}, "lucky": {1: 1.0, 2: 30.0}}
    assert best_of(candidates) == "steady"
    with pytest.raises(ValueError, match="no candidate"):
        best_of({})


def test_every_contender_starts_once_a_round_in_changing_order() -> None:
    started: list[tuple[int, str]] = []

    def contender(name: str) -> Contender:
        def start(number: int) -> dict[str, float]:
            started.append((number, name))
            return {"value": float(number)}

        return Contender(name, start)

    names = [f"c{i}" for i in range(6)]
    measured = measure_rounds([contender(n) for n in names], 8, 1e9, 1, lambda _: None, "t")
    orders = [tuple(n for number, n in started if number == r) for r in range(1, 9)]
    assert all(sorted(order) == names for order in orders)
    assert len(set(orders)) > 1
    assert measured.values("c3", "value") == {r: float(r) for r in range(1, 9)}


def test_a_contender_that_fails_three_times_is_dropped_and_reported() -> None:
    attempts: list[int] = []

    def fail(number: int) -> dict[str, float]:
        attempts.append(number)
        raise ContenderError("it broke")

    fine = Contender("fine", lambda number: {"value": 1.0 + number})
    measured = measure_rounds([Contender("bad", fail), fine], 6, 1e9, 1, lambda _: None, "t")
    assert attempts == [1, 2, 3]
    assert measured.failure_lines() == ("bad: 3 launches failed, the last one: it broke",)
    assert len(measured.values("fine", "value")) == 6


def test_no_time_still_gives_three_rounds() -> None:
    fine = Contender("fine", lambda number: {"value": float(number)})
    measured = measure_rounds([fine], 10, 0.0, 1, lambda _: None, "t")
    assert measured.rounds == 3


def test_intervals_of_rows_hold_their_ratio() -> None:
    ours, peer = {1: 1.0, 2: 1.1, 3: 0.9}, {1: 2.0, 2: 2.0, 3: 2.1}
    row = ratio_row(
        "x", ours, peer, higher_is_better=False, statistic="mean", target=Target(), text=("", "")
    )
    assert row.low < row.ratio < row.high
    assert math.isclose(row.ratio, (2.0 * 2.0 * 2.1 / (1.0 * 1.1 * 0.9)) ** (1 / 3))
