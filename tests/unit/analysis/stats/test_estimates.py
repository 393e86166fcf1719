import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from machmeter.analysis.stats.estimates import scale_of
from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.model.benchmark import Formula
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import UNBOUNDED, is_unbounded
from tests.support.made_up.samples import make_estimate

times = st.lists(st.floats(1e-9, 1e3), min_size=2, max_size=30)
differences = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30)


def test_log_interval_is_students() -> None:
    values = [1.0, 1.1, 0.9, 1.3]
    expected = ttest_1samp(np.log(values), 0).confidence_interval(0.95)
    found = make_estimate(values)
    assert found.scale is Scale.LOG
    assert math.isclose(found.value, float(np.exp(np.mean(np.log(values)))))
    assert math.isclose(found.low, math.exp(expected.low))
    assert math.isclose(found.high, math.exp(expected.high))
    assert math.isclose(found.precision, found.high / found.value - 1)


def test_scales_of_formulas() -> None:
    linear = {formula for formula in Formula if scale_of(formula) is Scale.LINEAR}
    hidden = {Formula.WORK_HIDDEN, Formula.COMMUNICATION_HIDDEN}
    assert linear == {Formula.OVERHEAD, Formula.AVAILABILITY} | hidden


def test_linear_interval_is_students() -> None:
    values = [0.2, 0.5, -0.1, 0.4]
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    found = make_estimate(values, Formula.WORK_HIDDEN)
    assert found.scale is Scale.LINEAR
    assert math.isclose(found.low, expected.low)
    assert math.isclose(found.high, expected.high)
    assert math.isclose(found.precision, (found.high - found.low) / 2)


def test_counts_are_totals_over_launches() -> None:
    found = make_estimate([1.0, 1.0, 1.0], numbers=[4, 7, 9])
    assert (found.launches, found.samples, found.warmup_cut, found.outliers) == (3, 600, 15, 3)
    assert found.launch_numbers == (4, 7, 9)


def test_precision_needs_launches_enough() -> None:
    assert not make_estimate([1.0] * 9, least=10).reached
    assert make_estimate([1.0] * 10, least=10).reached
    assert not make_estimate([1.0, 2.0] * 5, least=10).reached


def test_an_overhead_below_resolution_is_not_negative() -> None:
    found = make_estimate(
        [-1e-9, 2e-9, -3e-9, 1e-9], Formula.OVERHEAD, target_precision=100.0, least=2
    )
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high > 0
    assert not found.resolved
    assert not found.reached


def test_an_overhead_far_below_zero_is_bounded_by_what_the_launches_can_tell() -> None:
    values = [-9e-9, -10e-9, -11e-9]
    found = make_estimate(values, Formula.OVERHEAD)
    mirrored = make_estimate([-value for value in values], Formula.OVERHEAD)
    assert (found.value, found.low) == (0.0, 0.0)
    assert math.isclose(found.high, mirrored.high - mirrored.value)
    assert found.below_zero
    assert not found.resolved
    assert not mirrored.below_zero
    assert not make_estimate([-1e-9, 2e-9, -3e-9], Formula.OVERHEAD).below_zero


def test_an_overhead_above_resolution_is_relative() -> None:
    found = make_estimate([9e-9, 10e-9, 11e-9], Formula.OVERHEAD)
    assert found.resolved
    assert math.isclose(found.precision, (found.high - found.value) / found.value)


@pytest.mark.parametrize("formula", list(Formula))
def test_one_launch_says_nothing_of_spread_and_survives_json(formula: Formula) -> None:
    found = make_estimate([0.25], formula, least=1)
    assert (found.value, found.high) == (0.25, UNBOUNDED)
    assert is_unbounded(found.precision)
    assert not found.reached
    assert msgspec.json.decode(msgspec.json.encode(found), type=Estimate) == found


@pytest.mark.parametrize("values", [[], [0.0, 1.0], [-1.0, 1.0], [math.nan], [math.inf, 1.0]])
def test_what_has_no_log_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"launch"):
        make_estimate(values)


@pytest.mark.parametrize("values", [[1e-18, 1e12], [1e-62, 1e68], [1e-60, 2e-60]])
def test_rates_of_any_bound_are_numbers(values: list[float]) -> None:
    found = make_estimate(values)
    for bound in (found.low, found.value, found.high):
        assert bound == 0 or is_unbounded(bound) or 1e-150 <= bound <= 1e150
    assert found.low <= found.value <= found.high


def test_every_value_has_its_launch() -> None:
    with pytest.raises(ValueError, match="2 launch values but 1 launch numbers"):
        make_estimate([1.0, 2.0], numbers=[1])
    with pytest.raises(ValueError, match="2 launch values but 1 rounds"):
        make_estimate([1.0, 2.0], rounds=[1])


@given(times, st.floats(1e-6, 1e6))
def test_log_estimates_scale_with_their_unit(values: list[float], factor: float) -> None:
    one, other = make_estimate(values), make_estimate([v * factor for v in values])
    assert math.isclose(other.value, one.value * factor, rel_tol=1e-9)
    for bound, scaled in ((one.low, other.low), (one.high, other.high)):
        if 1e-250 < bound < 1e250:
            assert math.isclose(scaled, bound * factor, rel_tol=1e-6)


@given(times)
def test_a_value_lies_within_its_interval(values: list[float]) -> None:
    for formula in (Formula.TIME, Formula.RATE, Formula.QUOTIENT):
        found = make_estimate(values, formula)
        assert 0 <= found.low <= found.value <= found.high <= UNBOUNDED


@given(differences)
def test_a_difference_lies_within_its_interval(values: list[float]) -> None:
    share = make_estimate(values, Formula.WORK_HIDDEN)
    assert share.low <= share.value <= share.high
    overhead = make_estimate(values, Formula.OVERHEAD)
    assert 0 <= overhead.low <= overhead.value <= overhead.high


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(600):
        launches = rng.lognormal(0, 0.02, 10)
        samples = launches[:, None] * rng.lognormal(0, 0.05, (10, 200))
        found = make_estimate([interquartile_mean(row) for row in samples.tolist()])
        covered += found.low <= 1.0 <= found.high
    assert 0.90 <= covered / 600 <= 0.99
