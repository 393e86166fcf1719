"""The mean of ratios over codes: its value, and how often its interval holds the truth."""

from __future__ import annotations

import math
import random

import pytest
from msgspec.structs import replace

from machmeter.analysis.scores.mean_ratio import CodeRatio, mean_ratio, mean_ratio_of_best
from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED
from tests.support.made_up.estimates import ROUNDS, made_up

TRIALS, CODES, SPREAD, CORRELATION = 300, 8, 0.02, 0.5
RATE = made_up("sparse.spmv", {"schedule": "static"}, Layout(), "flops", 1e9)


def ratio(a: Estimate, b: Estimate) -> CodeRatio:
    return CodeRatio(a, b, compare_estimates(a, b, paired=True))


def times(factor: float, one: Estimate = RATE) -> Estimate:
    return replace(
        one,
        value=factor * one.value,
        low=factor * one.low,
        high=factor * one.high,
        launch_values=tuple(factor * value for value in one.launch_values),
    )


def with_logs(logs: list[float]) -> Estimate:
    return replace(RATE, launch_values=tuple(map(math.exp, logs)))


def test_it_is_the_geometric_mean_whatever_the_direction() -> None:
    codes = [ratio(times(2.0), RATE), ratio(times(0.5), RATE), ratio(times(8.0), RATE)]
    assert mean_ratio(codes).ratio == pytest.approx(2.0)
    lower = replace(RATE, direction=Direction.LOWER)
    assert mean_ratio([ratio(times(2.0, lower), lower)]).ratio == pytest.approx(0.5)


def test_without_the_interval_of_a_code_it_has_none() -> None:
    known = ratio(times(2.0), RATE)
    printed = replace(known, comparison=replace(known.comparison, low=0.0, high=UNBOUNDED))
    found = mean_ratio([known, printed])
    assert (found.low, found.high) == (0.0, UNBOUNDED)
    assert found.verdict is ComparisonVerdict.INCONCLUSIVE


def test_its_interval_holds_the_truth_where_a_round_slows_all_codes() -> None:
    draw = random.Random(5)

    def trial() -> bool:
        shared = [draw.gauss(0, SPREAD * math.sqrt(CORRELATION)) for _ in ROUNDS]
        own = SPREAD * math.sqrt(1 - CORRELATION)
        codes = [
            ratio(
                with_logs([0.1 + common + draw.gauss(0, own) for common in shared]),
                with_logs([draw.gauss(0, own) for _ in ROUNDS]),
            )
            for _ in range(CODES)
        ]
        found = mean_ratio(codes)
        return found.low <= math.exp(0.1) <= found.high

    assert sum(trial() for _ in range(TRIALS)) >= 0.93 * TRIALS


def test_the_best_of_several_that_are_equal_is_not_said_to_be_better() -> None:
    """The best of five by the same launches is above 1 in most trials; this one rarely."""
    draw = random.Random(11)

    def found() -> tuple[bool, bool]:
        codes = [
            [with_logs([draw.gauss(0, SPREAD) for _ in ROUNDS]) for _ in range(5)]
            for _ in range(CODES)
        ]
        best = mean_ratio_of_best(codes)
        assert best is not None
        by_same = mean_ratio(
            [ratio(max(code, key=lambda one: sum(one.launch_values)), code[0]) for code in codes]
        )
        return best.low > 1, by_same.low > 1

    wrong, naive = zip(*(found() for _ in range(TRIALS)), strict=True)
    assert sum(wrong) <= 0.05 * TRIALS
    assert sum(naive) > 0.3 * TRIALS


def test_the_best_that_is_clear_is_found_by_either_half() -> None:
    draw = random.Random(3)
    codes = [
        [with_logs([gain + draw.gauss(0, 0.004) for _ in ROUNDS]) for gain in (0.0, 0.3, -0.2)]
        for _ in range(CODES)
    ]
    best = mean_ratio_of_best(codes)
    assert best is not None
    assert best.low < math.exp(0.3) < best.high
    assert best.high / best.low < 1.02


def test_where_nothing_is_better_there_is_no_best() -> None:
    draw = random.Random(7)
    codes = [
        [with_logs([gain + draw.gauss(0, 0.004) for _ in ROUNDS]) for gain in (0.0, -0.3, -0.2)]
        for _ in range(CODES)
    ]
    assert mean_ratio_of_best(codes) is None


def test_too_few_rounds_choose_no_best() -> None:
    few = replace(
        RATE, launches=3, launch_values=(1.0, 1.1, 1.0), launch_numbers=(1, 2, 3), rounds=(1, 2, 3)
    )
    assert mean_ratio_of_best([[few, few]]) is None
    assert mean_ratio_of_best([]) is None
