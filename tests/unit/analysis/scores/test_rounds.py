"""Intervals of scores whose codes become slower together hold the truth as often as they say."""

from __future__ import annotations

import math
import random

import pytest
from msgspec.structs import replace

from machmeter.analysis.scores.rounds import (
    MeanError,
    error_of_mean,
    logs_by_round,
    ratios_by_round,
)
from machmeter.analysis.scores.scores import Component, Score, in_order, ssp
from machmeter.analysis.stats.comparison import combine_log_ratios
from machmeter.analysis.stats.student import variance_of_mean
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.units import FLOPS, UNBOUNDED
from machmeter.text.scores import order_sentence
from tests.support.made_up.estimates import made_up

CODES, ROUNDS, SPREAD = 18, 10, 0.03
TRIALS = 400


def codes_of(
    draw: random.Random, correlation: float, rounds: int = ROUNDS, shift: float = 0.0
) -> list[Component]:
    """Rates of 1 flop/s times `exp(shift)`, of launches that share some of their noise."""
    shared = [draw.gauss(0, SPREAD * math.sqrt(correlation)) for _ in range(rounds)]
    own = SPREAD * math.sqrt(1 - correlation)
    found = []
    for code in range(CODES):
        logs = [shift + common + draw.gauss(0, own) for common in shared]
        mean = math.fsum(logs) / rounds
        found.append(
            Component(
                f"code{code}",
                math.exp(mean),
                variance_of_mean(logs),
                rounds - 1,
                by_round=((dict(enumerate(logs, start=1)),),),
            )
        )
    return found


def apart(codes: list[Component]) -> list[Component]:
    """The same of runs that do not say which launches were of one round."""
    return [Component(one.name, one.value, one.log_variance, one.degrees) for one in codes]


def holds(score: Score) -> bool:
    return score.low <= 1 <= score.high


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
def test_the_interval_holds_the_truth_whatever_the_correlation(correlation: float) -> None:
    draw = random.Random(7)
    scores = [ssp(codes_of(draw, correlation), 1, "here") for _ in range(TRIALS)]
    assert sum(map(holds, scores)) >= 0.93 * TRIALS


def test_as_though_independent_it_would_not() -> None:
    draw = random.Random(7)
    held = 0
    for _ in range(TRIALS):
        codes = codes_of(draw, 0.3)
        known = combine_log_ratios(
            [math.log(one.value) for one in codes],
            [one.log_variance for one in codes],
            [one.degrees for one in codes],
            [1 / CODES] * CODES,
        )
        held += known.low <= 1 <= known.high
    assert held < 0.7 * TRIALS


def test_where_rounds_are_not_known_errors_are_added() -> None:
    draw = random.Random(11)
    scores = [ssp(apart(codes_of(draw, 0.9)), 1, "here") for _ in range(TRIALS)]
    assert sum(map(holds, scores)) >= 0.93 * TRIALS
    known = codes_of(draw, 0.3)
    partly = [*known[1:], *apart(known[:1])]
    assert ssp(partly, 1, "here").low == pytest.approx(ssp(apart(partly), 1, "here").low)


def test_a_code_that_was_measured_on_another_day_too_is_no_surer_than_it_is_by_itself() -> None:
    draw = random.Random(13)
    today, other = codes_of(draw, 0.3)[:2]
    ((series,),) = other.by_round
    days = dict(series) | {100 + number: log + 0.1 for number, log in series.items()}
    twice = replace(other, by_round=((days,),), log_variance=variance_of_mean([*days.values()]))
    score = ssp([today, twice], 1, "here")
    assert score.log_variance > twice.log_variance / 4


def test_machines_measured_in_turn_are_compared_by_the_ratio_of_each_round() -> None:
    draw = random.Random(17)
    noise = [draw.gauss(0, 0.1) for _ in range(ROUNDS)]
    one = dict(enumerate(noise))
    other = {number: log + 0.01 + draw.gauss(0, 0.001) for number, log in enumerate(noise)}
    alone = MeanError(2 * variance_of_mean(noise), 9)
    in_turn = error_of_mean([((ratios_by_round(other, one),),)], [1.0], [alone])
    by_itself = error_of_mean([((one,), (other,))], [1.0], [alone])
    assert in_turn.variance < 0.01 * by_itself.variance
    assert by_itself.variance == pytest.approx(alone.variance, rel=0.05)


def pairs_of_two(draw: random.Random) -> tuple[tuple[Score, Score], tuple[Score, Score]]:
    """A higher score and a lower one, in both orders."""
    high, low = ssp(codes_of(draw, 0.3, shift=0.2), 1, "a"), ssp(codes_of(draw, 0.3), 1, "b")
    return (high, low), (low, high)


def test_the_order_of_two_systems_is_called_only_where_it_is_resolved() -> None:
    draw = random.Random(3)
    first = ssp(codes_of(draw, 0.3), 1, "first")
    higher = in_order(ssp(codes_of(draw, 0.3, shift=0.2), 1, "higher"), first).order
    assert higher is not None
    assert higher.resolved
    assert higher.low < higher.ratio < higher.high
    above, below = (in_order(a, b) for a, b in pairs_of_two(draw))
    assert order_sentence(above).endswith(" of b's: higher")
    assert order_sentence(below, "Hopper").endswith(" of Hopper's: lower")
    called = 0
    for _ in range(TRIALS):
        alike = in_order(ssp(codes_of(draw, 0.3), 1, "a"), ssp(codes_of(draw, 0.3), 1, "b")).order
        called += alike is not None and alike.resolved
    assert called <= 0.07 * TRIALS
    printed = [Component("code", 2.0, as_printed=True)]
    order = in_order(ssp(printed, 1, "printed"), first).order
    assert order is not None
    assert (order.low, order.high, order.resolved) == (0.0, UNBOUNDED, False)


def test_logs_of_a_result_are_by_round_and_the_higher_the_better() -> None:
    rate = made_up("sparse.spmv", {"schedule": "static"}, Layout(), "flops", 1e9)
    assert rate.unit == FLOPS
    assert rate.direction is Direction.HIGHER
    faster = logs_by_round(replace(rate, direction=Direction.LOWER))
    logs = logs_by_round(rate)
    assert [*faster.values()] == [-log for log in logs.values()]
    assert not logs_by_round(replace(rate, rounds=()))
    assert tuple(logs) == rate.rounds
    assert math.fsum(logs.values()) / len(logs) == pytest.approx(math.log(rate.value))
