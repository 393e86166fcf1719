import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import ttest_ind, ttest_rel

from machmeter.analysis.stats.comparison import (
    combine_log_ratios,
    compare_estimates,
    compare_paired,
    compare_shares,
    compare_welch,
    holm,
)
from machmeter.model.benchmark import Formula
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import UNBOUNDED
from tests.support.made_up.samples import make_estimate

A = [1.00, 1.05, 0.97, 1.10]
B = [1.20, 1.31, 1.15, 1.40]
times = st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=20)


def test_welch_is_welchs_t_on_logs() -> None:
    theirs = ttest_ind(np.log(B), np.log(A), equal_var=False)
    bounds = theirs.confidence_interval(0.95)
    ours = compare_welch(A, B, higher_is_better=False)
    assert math.isclose(ours.low, math.exp(bounds.low))
    assert math.isclose(ours.high, math.exp(bounds.high))
    assert math.isclose(ours.degrees, theirs.df)
    assert math.isclose(ours.p_value, theirs.pvalue)
    assert not ours.paired


def test_paired_is_the_paired_t_on_logs() -> None:
    theirs = ttest_rel(np.log(A), np.log(B))
    bounds = theirs.confidence_interval(0.95)
    ours = compare_paired(A, B, higher_is_better=True)
    assert math.isclose(ours.low, math.exp(bounds.low))
    assert math.isclose(ours.high, math.exp(bounds.high))
    assert math.isclose(ours.p_value, theirs.pvalue)
    assert ours.paired


@pytest.mark.parametrize(
    ("b", "verdict"),
    [
        ([1.5, 1.6, 1.4], ComparisonVerdict.FASTER),
        ([0.5, 0.6, 0.55], ComparisonVerdict.SLOWER),
        ([1.001, 1.002, 1.003], ComparisonVerdict.SAME),
        ([0.5, 2.0, 1.1], ComparisonVerdict.INCONCLUSIVE),
        ([1.02, 1.03, 1.04], ComparisonVerdict.FASTER),
    ],
)
def test_verdicts_where_lower_is_better(b: list[float], verdict: ComparisonVerdict) -> None:
    assert compare_welch([0.999, 1.0, 1.001], b, higher_is_better=False).verdict is verdict


@given(times, st.floats(1e-3, 1e3))
def test_turning_a_comparison_turns_its_ratio(values: list[float], factor: float) -> None:
    other = [value * factor for value in values]
    there = compare_welch(values, other, higher_is_better=True)
    back = compare_welch(other, values, higher_is_better=True)
    assert math.isclose(there.ratio * back.ratio, 1, rel_tol=1e-9)
    assert there.low <= there.ratio <= there.high
    assert math.isclose(there.p_value, back.p_value, rel_tol=1e-6)


def test_pairs_resist_drift_that_hides_a_difference_from_welch() -> None:
    rng = np.random.default_rng(21)
    paired = welch = 0
    for _ in range(100):
        drift = np.linspace(1.0, 1.3, 12)
        a = drift * rng.lognormal(0, 0.01, 12)
        b = 1.05 * drift * rng.lognormal(0, 0.01, 12)
        paired += compare_paired(a.tolist(), b.tolist(), False).verdict.value == "faster"
        welch += compare_welch(a.tolist(), b.tolist(), False).verdict.value == "faster"
    assert paired >= 95
    assert welch <= 50


@pytest.mark.parametrize("pairing", [True, False])
def test_equal_things_are_seldom_called_different(pairing: bool) -> None:
    rng = np.random.default_rng(22)
    compare = compare_paired if pairing else compare_welch
    false = 0
    for _ in range(400):
        a, b = rng.lognormal(0, 0.1, 10).tolist(), rng.lognormal(0, 0.1, 10).tolist()
        false += compare(a, b, higher_is_better=True).p_value < 0.05
    assert 0.02 <= false / 400 <= 0.09


def test_estimates_of_the_same_launches_are_paired_by_number() -> None:
    a = make_estimate([1.0, 2.0, 3.0], numbers=[1, 2, 3])
    b = make_estimate([6.0, 9.0, 4.0], numbers=[3, 4, 2])
    found = compare_estimates(a, b, paired=True)
    assert found.paired
    assert math.isclose(found.ratio, 2.0)
    assert math.isclose(found.low, found.high)


def test_estimates_of_other_launches_are_paired_by_round() -> None:
    a = make_estimate([1.0, 2.0, 3.0], numbers=[1, 3, 5], rounds=[0, 1, 3])
    b = make_estimate([4.0, 99.0, 6.0], numbers=[4, 6, 8], rounds=[1, 2, 3])
    found = compare_estimates(a, b, paired=True)
    assert math.isclose(found.ratio, 2.0)
    assert found.degrees == 1


def test_rounds_that_few_launches_share_are_no_reason_to_call_two_alike() -> None:
    """As after launches that were rejected because the machine was busy."""
    a = make_estimate([1.0, 1.1, 0.9, 1.05], numbers=[1, 2, 3, 4], rounds=[0, 1, 2, 3])
    b = make_estimate([2.0, 2.1, 1.9, 2.05], numbers=[5, 6, 7, 8], rounds=[3, 4, 5, 6])
    found = compare_estimates(a, b, paired=True)
    assert found == compare_estimates(a, b, paired=False)
    assert found.verdict is ComparisonVerdict.FASTER
    assert not found.paired


def test_launches_without_rounds_are_paired_by_position() -> None:
    a = make_estimate([1.0, 2.0, 3.0], numbers=[1, 3, 5])
    b = make_estimate([2.0, 4.0, 6.0, 99.0], numbers=[2, 4, 6, 8])
    assert math.isclose(compare_estimates(a, b, paired=True).ratio, 2.0)


def test_direction_comes_from_the_estimates() -> None:
    a, b = make_estimate(A, Formula.RATE), make_estimate(B, Formula.RATE)
    assert compare_estimates(a, b, paired=False) == compare_welch(A, B, higher_is_better=True)


def test_resolved_overheads_compare_by_the_ratio_of_their_means() -> None:
    a = make_estimate([1.0, 1.01, 0.99], Formula.OVERHEAD)
    b = make_estimate([3.0, 3.03, 2.97], Formula.OVERHEAD)
    found = compare_estimates(a, b, paired=False)
    assert math.isclose(found.ratio, 3.0, rel_tol=1e-9)
    assert found.verdict is ComparisonVerdict.FASTER
    assert 2.8 < found.low < 3.0 < found.high < 3.2


def test_what_has_no_ratio_stays_unresolved() -> None:
    nothing = make_estimate([-1.0, 1.0, 0.5], Formula.OVERHEAD)
    something = make_estimate([3.0, 3.1, 2.9], Formula.OVERHEAD)
    for a, b in ((nothing, something), (something, nothing)):
        found = compare_estimates(a, b, paired=True)
        assert found.verdict is ComparisonVerdict.INCONCLUSIVE
        assert (found.low, found.high) == (0.0, UNBOUNDED)
    one = make_estimate([1.0])
    assert compare_estimates(one, one, True).verdict is ComparisonVerdict.INCONCLUSIVE


def shares(center: float) -> Estimate:
    values = [center + 0.001 * (-1) ** number for number in range(10)]
    return make_estimate(values, Formula.AVAILABILITY)


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (0.5, -0.2, ComparisonVerdict.FASTER),
        (-0.2, 0.5, ComparisonVerdict.SLOWER),
        (0.03, 0.02, ComparisonVerdict.SAME),
        (0.0, 0.0, ComparisonVerdict.SAME),
        (-0.4, -0.2, ComparisonVerdict.SLOWER),
    ],
)
@pytest.mark.parametrize("paired", [True, False])
def test_shares_are_compared_by_their_difference(
    a: float, b: float, verdict: ComparisonVerdict, paired: bool
) -> None:
    found = compare_shares(shares(a), shares(b), paired)
    assert found.verdict is verdict
    assert math.isclose(found.value, a - b, abs_tol=1e-12)
    assert found.low <= found.value <= found.high
    assert (found.p_value < 0.001) == (a != b)


def test_shares_of_one_launch_tell_nothing() -> None:
    much, little = (make_estimate([value], Formula.AVAILABILITY) for value in (0.9, 0.1))
    found = compare_shares(much, little, paired=True)
    assert found.verdict is ComparisonVerdict.INCONCLUSIVE
    assert (found.low, found.high, found.p_value) == (-UNBOUNDED, UNBOUNDED, 1.0)


@pytest.mark.parametrize("common", [1, 2])
def test_shares_that_few_rounds_have_in_common_are_compared_by_all(common: int) -> None:
    much, little = (
        make_estimate(
            [center + step for step in (0.0, 0.01, -0.01, 0.0, 0.005)],
            Formula.AVAILABILITY,
            numbers=range(first, first + 5),
            rounds=range(first, first + 5),
        )
        for center, first in ((0.9, 1), (0.5, 6 - common))
    )
    little = replace(little, launch_numbers=tuple(range(11, 16)))
    found = compare_shares(much, little, paired=True)
    assert found == compare_shares(much, little, paired=False)
    assert found.verdict is ComparisonVerdict.FASTER
    assert not found.paired


@pytest.mark.parametrize("paired", [True, False])
def test_equal_shares_are_seldom_called_different(paired: bool) -> None:
    rng = np.random.default_rng(7)
    false = 0
    for _ in range(300):
        a, b = (
            make_estimate(rng.normal(0.0, 0.1, 10).tolist(), Formula.AVAILABILITY) for _ in range(2)
        )
        false += compare_shares(a, b, paired).p_value < 0.05
    assert 0.02 <= false / 300 <= 0.09


def test_different_units_are_not_compared() -> None:
    with pytest.raises(ValueError, match="cannot compare"):
        compare_shares(shares(0.5), make_estimate(A), paired=False)
    with pytest.raises(ValueError, match="cannot compare"):
        compare_estimates(make_estimate(A), make_estimate(A, Formula.RATE), paired=False)


def test_comparisons_refuse_what_they_cannot_use() -> None:
    with pytest.raises(ValueError, match="as many"):
        compare_paired([1.0, 2.0], [1.0], higher_is_better=True)
    with pytest.raises(ValueError, match="two pairs"):
        compare_paired([1.0], [1.0], higher_is_better=True)
    with pytest.raises(ValueError, match="two values"):
        compare_welch([1.0], [1.0, 2.0], higher_is_better=True)
    with pytest.raises(ValueError, match="b: value 1 is 0"):
        compare_welch([1.0, 2.0], [1.0, 0.0], higher_is_better=True)


def test_a_geometric_mean_of_ratios_with_its_degrees() -> None:
    found = combine_log_ratios([math.log(2), math.log(8)], [0.01, 0.01], [9, 9], [0.5, 0.5])
    half = 2.1009220402 * math.sqrt(0.005)  # t, 18 degrees, 0.975
    assert math.isclose(found.value, 4)
    assert math.isclose(found.degrees, 18)
    assert math.isclose(found.high, 4 * math.exp(half), rel_tol=1e-9)
    assert math.isclose(found.low, 4 * math.exp(-half), rel_tol=1e-9)


def test_exact_numbers_add_no_uncertainty() -> None:
    measured = combine_log_ratios([math.log(3)], [0.04], [5], [1])
    per_node = combine_log_ratios([math.log(3), math.log(16)], [0.04, 0], [5, 1], [1, -1])
    assert math.isclose(per_node.value, 3 / 16)
    assert math.isclose(per_node.degrees, 5)
    assert math.isclose(per_node.high / per_node.value, measured.high / measured.value)


def test_geometric_means_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(23)
    covered = 0
    for _ in range(500):
        logs = [rng.normal(0, spread, 10) for spread in (0.02, 0.05, 0.2)]
        found = combine_log_ratios(
            [x.mean() for x in logs], [x.var(ddof=1) / 10 for x in logs], [9] * 3, [1 / 3] * 3
        )
        covered += found.low <= 1 <= found.high
    assert 0.92 <= covered / 500 <= 0.98


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # R: p.adjust(p, "holm")
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.02], [0.02]),
        ([], []),
    ],
)
def test_holm_against_known_values(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(tuple(adjusted))


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_keeps_order_and_only_raises(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_holm_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.1, math.nan])
