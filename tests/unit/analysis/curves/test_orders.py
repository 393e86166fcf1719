"""The law of times by order of a matrix: what is put in comes out, with honest intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from machmeter.analysis.curves.orders import foretold_seconds, order_law
from machmeter.analysis.stats.student import mean_and_half_width

ORDERS = (500, 1000, 2000, 4000)
# 2/3 n^3 at 30 Gflop/s, and what falls with the order.
LAW = (2 / 3 / 30e9, 1.5e-8, 2e-6)


def seconds(order: int, law: Sequence[float] = LAW) -> float:
    return law[0] * order**3 + law[1] * order**2 + law[2] * order


def launches(orders: Sequence[int], count: int, scatter: float, seed: int = 1) -> list[list[float]]:
    random = np.random.default_rng(seed)
    return [
        [seconds(n) * float(np.exp(random.normal(0, scatter))) for _ in range(count)]
        for n in orders
    ]


def test_the_law_that_made_the_times_is_found() -> None:
    law = order_law(ORDERS, [[seconds(n)] for n in ORDERS])
    assert law.rate.value == pytest.approx(30e9)
    assert law.misfit < 1e-9
    assert not law.rate.is_bounded
    half = law.half_order.value
    rate = (2 / 3 * half**3 + 3 / 2 * half**2) / seconds(round(half))
    assert rate == pytest.approx(15e9, rel=1e-2)
    assert foretold_seconds(8000, ORDERS, [[seconds(n)] for n in ORDERS]).value == pytest.approx(
        seconds(8000)
    )


def test_no_coefficient_is_below_zero() -> None:
    # Faster at small orders: without that bound the square would be below zero.
    law = order_law(ORDERS, [[seconds(n, (1e-11, -1e-9, 0))] for n in ORDERS])
    assert law.half_order.value == 0
    assert law.misfit > 0.01


@pytest.mark.parametrize("together", [True, False])
def test_intervals_hold_the_truth_about_as_often_as_they_say(together: bool) -> None:
    held = 0
    tries = 20
    for seed in range(tries):
        times = launches(ORDERS, 6, 0.02, seed)
        if not together:
            times[0] = times[0][:5]
        rate = order_law(ORDERS, times).rate
        held += rate.low <= 30e9 <= rate.high
    assert held >= 0.75 * tries


def test_intervals_are_wider_where_launches_are_few() -> None:
    few = order_law(ORDERS, launches(ORDERS, 3, 0.02)).rate
    many = order_law(ORDERS, launches(ORDERS, 30, 0.02)).rate
    assert few.high - few.low > 1.5 * (many.high - many.low)


def test_the_interval_of_a_whole_launch_s_factor_is_that_of_student() -> None:
    factors = [0.98, 0.99, 1.0, 1.01, 1.02]
    rate = order_law(ORDERS, [[seconds(n) * one for one in factors] for n in ORDERS]).rate
    mean, half = mean_and_half_width(factors)
    assert (rate.high - rate.low) / rate.value == pytest.approx(2 * half / mean, rel=0.15)


def test_what_the_law_leaves_widens_its_interval() -> None:
    times = launches(ORDERS, 10, 1e-4)
    times[2] = [1.1 * one for one in times[2]]
    law = order_law(ORDERS, times)
    assert law.misfit > 0.01
    assert law.rate.high - law.rate.low > 0.01 * law.rate.value


@pytest.mark.parametrize("times", [1.0, 2.0])
def test_a_largest_order_that_others_foretell_is_within_their_interval(times: float) -> None:
    measured = launches(ORDERS, 6, 0.01)
    said = foretold_seconds(8000, ORDERS, measured)
    assert (said.low <= times * seconds(8000) <= said.high) is (times == 1)


def test_a_law_needs_as_many_orders_as_it_has_coefficients() -> None:
    with pytest.raises(ValueError, match="3 of them"):
        order_law(ORDERS[:2], [[1.0], [2.0]])
    with pytest.raises(ValueError, match="above zero"):
        order_law(ORDERS[:3], [[1.0], [0.0], [2.0]])
