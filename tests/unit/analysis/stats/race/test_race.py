"""Who drops out of a race, and how often that is the best one."""

from __future__ import annotations

import math
import random

import pytest

from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS, MOST_ERROR, race

ROUNDS = 12


def drawn(
    truths: list[float], seed: int, rounds: int = ROUNDS, noise: float = 0.03
) -> dict[str, dict[int, float]]:
    """Times of candidates: each round has a pace of its own, which all of them share."""
    rng = random.Random(seed)
    values: dict[str, dict[int, float]] = {str(i): {} for i in range(len(truths))}
    for number in range(1, rounds + 1):
        pace = rng.gauss(0, 0.2)
        for i, truth in enumerate(truths):
            values[str(i)][number] = truth * math.exp(pace + rng.gauss(0, noise))
    return values


def test_what_is_far_behind_drops_out_after_the_fifth_round_and_not_before() -> None:
    values = drawn([1.0, 1.0, 2.0, 3.0], seed=1)
    dropped = race(values, higher_is_better=False)
    assert {one.name: one.round for one in dropped} == {"2": LEAST_ROUNDS, "3": LEAST_ROUNDS}
    assert {one.behind for one in dropped} <= {"0", "1"}
    before = {n: {r: v for r, v in one.items() if r < LEAST_ROUNDS} for n, one in values.items()}
    assert race(before, higher_is_better=False) == ()


def test_of_rates_those_that_are_lower_drop_out() -> None:
    values = drawn([1.0, 2.0], seed=2)
    assert [one.name for one in race(values, higher_is_better=True)] == ["0"]


def test_what_is_kept_stays_and_still_beats_others() -> None:
    values = drawn([1.0, 2.0, 4.0], seed=3)
    dropped = race(values, higher_is_better=False, kept=("1",))
    assert {one.name for one in dropped} == {"2"}


def test_launches_that_a_round_lacks_are_no_pair() -> None:
    values = drawn([1.0, 2.0], seed=4, rounds=6)
    values["1"].pop(2)
    values["1"].pop(4)
    assert race(values, higher_is_better=False) == ()
    values["1"][7], values["0"][7] = 2.0, 1.0
    assert [one.round for one in race(values, higher_is_better=False)] == [7]


def test_one_alone_and_none_at_all_drop_nobody() -> None:
    assert race({}, higher_is_better=False) == ()
    assert race(drawn([1.0], seed=5), higher_is_better=False) == ()


def test_more_rounds_take_nobody_back() -> None:
    values = drawn([1.0, 1.02, 1.05, 1.3], seed=6, rounds=20)
    seen: set[str] = set()
    for last in range(1, 21):
        so_far = {n: {r: v for r, v in one.items() if r <= last} for n, one in values.items()}
        now = {one.name for one in race(so_far, higher_is_better=False)}
        assert seen <= now
        seen = now


@pytest.mark.parametrize("truths", [[1.0] * 8, [1.0, 1.005, 1.01, 1.02, 1.04, 1.08, 1.2, 1.5]])
def test_the_best_stays_in_95_of_100_races(truths: list[float]) -> None:
    """Of 200 races; the bound of the binomial distribution is passed with probability 1e-4."""
    lost = ties = 0
    for seed in range(200):
        dropped = {one.name for one in race(drawn(truths, seed), higher_is_better=False)}
        lost += "0" in dropped
        ties += len(truths) - len(dropped)
    assert lost / 200 <= MOST_ERROR + 3.7 * math.sqrt(MOST_ERROR * (1 - MOST_ERROR) / 200)
    if truths[-1] > 1.1:
        assert ties / 200 < len(truths) - 2, "what is 20 % behind does drop out"


def test_the_set_that_is_left_is_hardly_larger_than_the_true_ties() -> None:
    truths = [1.0, 1.0, 1.1, 1.15, 1.2, 1.3]
    sizes = sorted(
        len(truths) - len(race(drawn(truths, seed), higher_is_better=False)) for seed in range(200)
    )
    assert sizes[100] <= truths.count(1.0) + 1
