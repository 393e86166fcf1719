"""Speedup, efficiency, steps that pay and steps beyond proportion, as they were measured."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.scaling.series import Series
from machmeter.analysis.scaling.steps import (
    count_results,
    half_place,
    limit_of,
    steps_of,
    without_interval,
)
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.scaling import Problem, StepVerdict
from machmeter.model.units import is_unbounded
from tests.support.made_up.scaling import amdahl, gustafson, power, series

COUNTS = (1, 2, 4, 8, 16)


@pytest.mark.parametrize("rates", [True, False])
def test_speed_up_and_efficiency_of_a_fixed_problem(rates: bool) -> None:
    figures = count_results(series(COUNTS, amdahl(0.1), rates=rates))
    assert [f.speedup.value for f in figures] == pytest.approx([amdahl(0.1)(n) for n in COUNTS])
    assert [f.efficiency.value for f in figures] == pytest.approx(
        [amdahl(0.1)(n) / n for n in COUNTS]
    )
    assert all(is_unbounded(f.speedup.high) for f in figures[1:])


@pytest.mark.parametrize("rates", [True, False])
def test_of_a_growing_problem_the_work_grows_too(rates: bool) -> None:
    figures = count_results(series(COUNTS, gustafson(0.2), problem=Problem.GROWING, rates=rates))
    assert [f.speedup.value for f in figures] == pytest.approx([gustafson(0.2)(n) for n in COUNTS])


def test_a_cost_has_no_speed_up_and_each_doubling_its_factor() -> None:
    found = series((2, 4, 16), power(1.5), problem=Problem.COST)
    assert {f.speedup.value for f in count_results(found)} == {1.0}
    assert [s.gain.value for s in steps_of(found, 1.5)] == pytest.approx([2**1.5] * 2)
    assert not any(s.superlinear for s in steps_of(found, 1.5))


def test_intervals_come_from_launches_paired_by_round() -> None:
    figures = count_results(series(COUNTS, amdahl(0.1), noise=0.01))
    assert not without_interval(series(COUNTS, amdahl(0.1), noise=0.01))
    for figure in figures[1:]:
        assert figure.efficiency.low < figure.efficiency.value < figure.efficiency.high
        assert figure.launches == 10
    assert figures[0].speedup.low == figures[0].speedup.high == 1


@given(exponent=st.floats(min_value=0.05, max_value=1.9))
def test_the_gain_of_a_doubling_does_not_depend_on_the_length_of_the_step(exponent: float) -> None:
    steps = steps_of(series((3, 5, 40), power(exponent)), 1.5)
    assert [s.gain.value for s in steps] == pytest.approx([2**exponent] * 2)


def test_the_limit_is_where_steps_stop_paying() -> None:
    # Gains of a doubling: 1.82, 1.69, 1.53, 1.36.
    found = series(COUNTS, amdahl(0.1))
    assert limit_of(steps_of(found, 1.5), 1.5).value == 8
    assert limit_of(steps_of(found, 1.9), 1.9).value == 1
    assert is_unbounded(limit_of(steps_of(found, 1.2), 1.2).value)
    assert limit_of(steps_of(found, 1.5), 1.5).as_printed


def test_a_step_that_is_not_resolved_widens_the_limit() -> None:
    found = series(COUNTS, amdahl(0.1), noise=0.05)
    steps = steps_of(found, 1.53)
    assert StepVerdict.INCONCLUSIVE in {step.verdict for step in steps}
    limit = limit_of(steps, 1.53)
    assert limit.low < limit.high
    assert not limit.as_printed


def test_superlinear_steps_are_flagged_by_their_interval() -> None:
    def cached(n: float) -> float:
        return n * (1.3 if n >= 4 else 1.0)

    steps = steps_of(series(COUNTS, cached, noise=0.01), 1.5)
    assert [step.superlinear for step in steps] == [False, True, False, False]
    printed = steps_of(series(COUNTS, cached), 1.5)
    assert [step.superlinear for step in printed] == [False, True, False, False]


def test_chance_alone_rarely_makes_a_step_superlinear() -> None:
    flagged = [
        any(s.superlinear for s in steps_of(series(COUNTS, power(1.0), noise=0.05, seed=n), 1.5))
        for n in range(100)
    ]
    # Half of 5 %, since below proportion is no flag.
    assert np.mean(flagged) <= 0.08


def test_neighbors_that_are_no_doubling_are_measured_by_their_own_ratio() -> None:
    (step,) = steps_of(series((96, 144), power(1.0)), 1.5)
    assert step.efficiency.value == pytest.approx(1)
    assert math.isclose(step.gain.value, 2)


def printed_as(one: Estimate, value: float, decimals: int) -> Estimate:
    assert one.printed
    return replace(one, printed=replace(one.printed, value=value, decimals=decimals))


def _as_printed(counts: tuple[int, ...], texts: tuple[str, ...], decimals: int = 0) -> Series:
    times = dict(zip(counts, map(float, texts), strict=True))
    made = series(counts, lambda n: 1 / times[int(n)])
    estimates = (
        printed_as(one, float(text), decimals)
        for one, text in zip(made.estimates, texts, strict=True)
    )
    return replace(made, estimates=tuple(estimates))


def test_a_step_that_the_printed_digits_leave_at_its_bound_is_not_resolved() -> None:
    # RAxML on Comet: a doubling gains 1.497, and 1.492 to 1.503 as far as 528 and 417 are rounded.
    found = steps_of(_as_printed((16, 24, 32), ("528", "417", "200")), 1.5)
    assert [step.verdict for step in found] == [StepVerdict.INCONCLUSIVE, StepVerdict.YES]
    limit = limit_of(found, 1.5)
    assert (limit.value, limit.low, limit.as_printed) == (16, 16, True)
    assert is_unbounded(limit.high)
    finer = steps_of(_as_printed((16, 24, 32), ("528.00", "417.00", "200.00"), 2), 1.5)
    assert [step.verdict for step in finer] == [StepVerdict.NO, StepVerdict.YES]
    assert limit_of(finer, 1.5).high == 16


def test_what_rounding_alone_may_have_made_is_not_superlinear() -> None:
    assert not steps_of(_as_printed((1, 2), ("21", "10")), 1.5)[0].superlinear
    assert steps_of(_as_printed((1, 2), ("21.0", "10.0"), 1), 1.5)[0].superlinear


@given(place=st.integers(min_value=-6, max_value=6), digits=st.integers(min_value=1, max_value=999))
def test_rounding_moves_a_figure_by_half_of_its_last_place(place: int, digits: int) -> None:
    printed = digits * 10.0**-place
    one = series((1, 2), power(1.0)).estimates[0]
    said = printed_as(one, printed, place)
    assert half_place(said) * printed == pytest.approx(0.5 * 10.0**-place)
    assert half_place(one) == 0
