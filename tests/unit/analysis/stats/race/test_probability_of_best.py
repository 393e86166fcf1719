"""How probably a candidate is the best one."""

from __future__ import annotations

import math
import random

import pytest

from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.analysis.stats.race.probability import probabilities_of_best
from machmeter.analysis.stats.student import two_sided_p, variance_of_mean


def drawn(truths: list[float], seed: int, rounds: int = 10) -> dict[str, dict[int, float]]:
    """Times whose rounds have a pace of their own, which all candidates share."""
    rng = random.Random(seed)
    paces = [rng.gauss(0, 0.2) for _ in range(rounds)]
    return {
        str(i): {n: truth * math.exp(pace + rng.gauss(0, 0.03)) for n, pace in enumerate(paces)}
        for i, truth in enumerate(truths)
    }


@pytest.mark.parametrize("seed", range(5))
def test_of_two_it_is_that_of_student_on_paired_rounds(seed: int) -> None:
    values = drawn([1.0, 1.01], seed)
    differences = [math.log(values["1"][n] / values["0"][n]) for n in values["0"]]
    lead = math.fsum(differences) / len(differences)
    tail = two_sided_p(lead, math.sqrt(variance_of_mean(differences)), len(differences) - 1) / 2
    found = probabilities_of_best(values, higher_is_better=False)
    assert found["0"] == pytest.approx(1 - tail if lead > 0 else tail, abs=0.015)
    assert math.fsum(found.values()) == pytest.approx(1)


def test_the_direction_turns_it_around() -> None:
    values = drawn([1.0, 2.0], seed=1)
    assert probabilities_of_best(values, higher_is_better=False)["0"] > 0.999
    assert probabilities_of_best(values, higher_is_better=True)["1"] > 0.999


def test_several_that_are_alike_share_it() -> None:
    every = [probabilities_of_best(drawn([1.0] * 4, s), higher_is_better=False) for s in range(100)]
    mean = math.fsum(one["2"] for one in every) / len(every)
    assert 0.15 < mean < 0.35


def test_what_is_said_holds_as_often_as_it_says() -> None:
    """Truths drawn as wide as the noise of a mean: the prior says nothing, and nor do they."""
    rng = random.Random(7)
    claimed, held = [], []
    for seed in range(300):
        truths = [math.exp(rng.gauss(0, 0.02)) for _ in range(3)]
        found = probabilities_of_best(drawn(truths, seed), higher_is_better=False)
        first = max(found, key=lambda name: found[name])
        claimed.append(found[first])
        held.append(truths[int(first)] == min(truths))
    assert sum(held) / 300 == pytest.approx(math.fsum(claimed) / 300, abs=0.08)


def test_only_rounds_that_all_have_count() -> None:
    values = drawn([1.0, 1.0], seed=2, rounds=LEAST_ROUNDS)
    assert probabilities_of_best(values, higher_is_better=False)
    values["1"].pop(0)
    assert probabilities_of_best(values, higher_is_better=False) == {}
    assert probabilities_of_best({}, higher_is_better=False) == {}


def test_more_candidates_than_rounds_and_equal_rounds_are_no_error() -> None:
    many = probabilities_of_best(drawn([1.0] * 12, seed=3, rounds=5), higher_is_better=False)
    assert math.fsum(many.values()) == pytest.approx(1)
    same = {name: dict.fromkeys(range(6), value) for name, value in (("a", 1.0), ("b", 2.0))}
    assert probabilities_of_best(same, higher_is_better=False) == {"a": 1.0, "b": 0.0}


def test_those_that_are_equal_share_it_and_one_alone_has_none() -> None:
    same = dict.fromkeys(range(10), 100.0)
    found = probabilities_of_best({"a": same, "b": same, "c": same}, higher_is_better=True)
    assert found == {name: pytest.approx(1 / 3) for name in "abc"}
    assert probabilities_of_best({"a": same}, higher_is_better=True) == {}
