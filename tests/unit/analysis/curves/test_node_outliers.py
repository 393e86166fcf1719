"""Slow nodes of a cluster: classes with known slow nodes, healthy ones, and their common causes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_1samp
from scipy.stats import t as student

from machmeter.analysis.curves.node_outliers import (
    LEAST_WORSE,
    NodeSpread,
    TooFew,
    common_cause,
    slow_nodes,
)

NAN = math.nan


def fleet(
    nodes: int,
    slow: Mapping[int, float] | None = None,
    *,
    spread: float = 0.0,
    noise: float = 0.01,
    launches: int = 5,
    seed: int = 1,
) -> dict[int, list[float]]:
    """Times of nodes; slow: how many times slower than the others."""
    draw = np.random.default_rng(seed)
    own = draw.normal(0, spread, (nodes, 1))
    for node, times in (slow or {}).items():
        own[node] = math.log(times)
    return dict(enumerate(np.exp(own + draw.normal(0, noise, (nodes, launches))).tolist()))


def names(found: NodeSpread) -> list[int]:
    return [one.node for one in found.slow]


@pytest.mark.parametrize("nodes", [8, 64, 1000])
def test_slow_nodes_are_named_the_worst_first(nodes: int) -> None:
    found = slow_nodes(fleet(nodes, {2: 1.3, 5: 1.6}), lower_is_better=True)
    assert names(found) == [5, 2]
    assert found.slow[0].low < 1.6 < found.slow[0].high
    assert found.slow[0].p_value < 0.001
    assert (found.nodes, found.too_few, found.unjudged) == (nodes, None, ())


def test_rates_are_judged_as_times_are() -> None:
    times = fleet(64, {5: 1.3})
    rates = {node: [1 / value for value in own] for node, own in times.items()}
    by_time = slow_nodes(times, lower_is_better=True)
    by_rate = slow_nodes(rates, lower_is_better=False)
    assert names(by_time) == names(by_rate) == [5]
    assert by_rate.slow[0].ratio == pytest.approx(by_time.slow[0].ratio)
    assert by_rate.usual == pytest.approx(1 / by_time.usual)
    assert by_rate.lower_quartile == pytest.approx(1 / by_time.upper_quartile)
    assert not slow_nodes(times, lower_is_better=False).slow


def test_slow_nodes_do_not_mask_each_other() -> None:
    slow = dict.fromkeys(range(20), 1.5)
    assert sorted(names(slow_nodes(fleet(64, slow), lower_is_better=True))) == list(slow)


def test_a_launch_that_is_slow_for_all_blames_nobody() -> None:
    values = fleet(16, {3: 1.4})
    calm = slow_nodes(values, lower_is_better=True)
    for own in values.values():
        own[2] *= 3
    values[7][2] = NAN
    found = slow_nodes(values, lower_is_better=True)
    assert names(found) == [3]
    assert found.slow[0].ratio == pytest.approx(calm.slow[0].ratio, rel=0.01)


def test_a_node_without_the_slow_launches_does_not_set_the_others_apart() -> None:
    values = fleet(8)
    for node, own in values.items():
        own[3:] = [NAN, NAN] if node < 3 else [3 * value for value in own[3:]]
    assert not slow_nodes(values, lower_is_better=True).slow


def test_one_or_two_disturbed_launches_blame_nobody() -> None:
    values = fleet(16)
    values[4][1] *= 2
    values[5][0] *= 1.5
    values[5][3] *= 1.5
    assert not slow_nodes(values, lower_is_better=True).slow


def test_disturbed_launches_do_not_widen_the_spread_of_the_class() -> None:
    values = fleet(64, {5: 1.12})
    for node in range(0, 64, 2):
        values[node][node % 5] *= 1.3
    assert names(slow_nodes(values, lower_is_better=True)) == [5]


def test_an_interval_that_holds_the_usual_value_shows_nothing() -> None:
    values = fleet(64, noise=1e-4)
    values[5] = [1.04, 1.04, 1.04, 1.04, 3.0]
    values[6] = [1.04, 1.04, 1.04, 1.04, 1.05]
    assert names(slow_nodes(values, lower_is_better=True)) == [6]


def test_the_p_value_is_of_one_more_normal_value_for_the_number_of_nodes() -> None:
    logs = np.random.default_rng(4).normal(0, 0.02, 16)
    logs[3] = 0.2
    values = {node: [math.exp(log)] * 2 for node, log in enumerate(logs.tolist())}
    (found,) = slow_nodes(values, lower_is_better=True).slow
    others = np.delete(logs, 3)
    distance = (0.2 - others.mean()) / (others.std(ddof=1) * math.sqrt(1 + 1 / 15))
    assert found.p_value == pytest.approx(16 * student.sf(distance, 14))
    assert found.ratio == pytest.approx(math.exp(0.2 - np.median(others)))


def test_of_two_slow_nodes_p_values_are_adjusted_as_by_benjamini_and_hochberg() -> None:
    logs = np.random.default_rng(4).normal(0, 0.02, 16)
    logs[3], logs[7] = 0.2, 0.15
    values = {node: [math.exp(log)] * 2 for node, log in enumerate(logs.tolist())}
    first, second = slow_nodes(values, lower_is_better=True).slow
    others = np.delete(logs, [3, 7])
    apart = (np.array([0.2, 0.15]) - others.mean()) / (others.std(ddof=1) * math.sqrt(1 + 1 / 14))
    of_first, of_second = student.sf(apart, 13)
    assert (first.node, first.p_value) == (3, pytest.approx(16 * of_first))
    assert (second.node, second.p_value) == (7, pytest.approx(8 * of_second))


def test_a_slow_node_is_slow_in_three_quarters_of_its_launches_and_on_average() -> None:
    values = fleet(64, noise=1e-4)
    values[5] = [1.0, 1.0, 1.2, 1.2, 1.2, 1.2, 1.2]
    values[6] = [1.0, 1.0, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2]
    values[7] = [1.0, 1.0, 1.032, 1.032, 1.032, 1.032, 1.032, 1.032]
    for node in values.keys() - {5, 6, 7}:
        values[node] = values[node] + values[node][:3]
    values[5].append(NAN)
    assert names(slow_nodes(values, lower_is_better=True)) == [6]


def test_less_than_three_percent_is_no_slow_node() -> None:
    below, above = 1 + LEAST_WORSE - 0.002, 1 + LEAST_WORSE + 0.002
    found = slow_nodes(fleet(64, {5: below, 6: above}, noise=1e-4), lower_is_better=True)
    assert names(found) == [6]


def test_what_is_within_the_spread_of_the_class_is_healthy() -> None:
    values = fleet(64, {5: 1.1}, spread=0.08, noise=0.001)
    assert not slow_nodes(values, lower_is_better=True).slow
    assert names(slow_nodes(fleet(64, {5: 1.1}, noise=0.001), lower_is_better=True)) == [5]


def test_spread_and_noise_are_those_of_the_class() -> None:
    found = slow_nodes(fleet(1000, spread=0.03, noise=0.02), lower_is_better=True)
    assert found.spread == pytest.approx(0.03, rel=0.1)
    assert found.noise == pytest.approx(0.02, rel=0.1)
    alike = slow_nodes(fleet(1000, noise=0.02, launches=2), lower_is_better=True)
    assert alike.noise == pytest.approx(0.02, rel=0.1)
    assert alike.spread is not None
    assert alike.spread < 0.006
    assert found.usual == pytest.approx(1, rel=0.01)
    assert found.upper_quartile / found.lower_quartile == pytest.approx(1.045, abs=0.01)


def test_the_interval_is_students_t_over_launches() -> None:
    values = {node: [1.0, 2.0, 4.0] for node in range(16)}
    values[3] = [2.0, 3.9, 8.2]
    (found,) = slow_nodes(values, lower_is_better=True).slow
    logs = np.log([2.0, 3.9 / 2, 8.2 / 4])
    bounds = ttest_1samp(logs, 0).confidence_interval(0.95)
    assert found.ratio == pytest.approx(math.exp(logs.mean()))
    assert (found.low, found.high) == pytest.approx((math.exp(bounds.low), math.exp(bounds.high)))


@pytest.mark.parametrize("slow", [8, 10])
def test_of_two_groups_nobody_is_named(slow: int) -> None:
    found = slow_nodes(fleet(16, dict.fromkeys(range(slow), 1.3)), lower_is_better=True)
    assert found.groups
    assert not found.slow


def test_few_slow_or_few_fast_nodes_are_no_groups() -> None:
    few_slow = slow_nodes(fleet(16, dict.fromkeys(range(5), 1.3)), lower_is_better=True)
    assert (few_slow.groups, len(few_slow.slow)) == (False, 5)
    few_fast = slow_nodes(fleet(16, dict.fromkeys(range(3), 0.7)), lower_is_better=True)
    assert (few_fast.groups, few_fast.slow) == (False, ())
    assert not slow_nodes(fleet(64, spread=0.08), lower_is_better=True).groups


def test_equal_values_have_no_spread() -> None:
    found = slow_nodes({node: [0.1] * 3 for node in range(9)}, lower_is_better=True)
    assert (found.spread, found.noise, found.slow, found.groups) == (0, 0, (), False)
    assert found.lower_quartile == found.usual == found.upper_quartile == pytest.approx(0.1)
    one = {node: [0.1 if node != 4 else 0.2] * 3 for node in range(9)}
    assert names(slow_nodes(one, lower_is_better=True)) == [4]


def test_too_few_nodes_or_launches_name_nobody() -> None:
    three = slow_nodes(fleet(3, {0: 9.0}), lower_is_better=True)
    assert (three.too_few, three.slow, three.noise) == (TooFew.NODES, (), None)
    assert slow_nodes({7: [2.0, 2.0]}, lower_is_better=True).usual == pytest.approx(2)
    once = slow_nodes(fleet(16, {0: 9.0}, launches=1), lower_is_better=True)
    assert (once.too_few, once.slow, once.nodes) == (TooFew.LAUNCHES, (), 16)


def test_nodes_without_two_launches_are_not_judged() -> None:
    values = fleet(16, {0: 9.0})
    values[0][1:] = [NAN] * 4
    values[3] = [NAN] * 5
    found = slow_nodes(values, lower_is_better=True)
    assert (found.unjudged, found.nodes, found.slow) == ((0, 3), 14, ())


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.inf])
def test_what_has_no_logarithm_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="node 3"):
        slow_nodes({2: [1.0, 1.0], 3: [1.0, wrong]}, lower_is_better=True)


@pytest.mark.parametrize("wrong", [{}, {1: []}, {1: [NAN, NAN]}, {1: [1.0, 1.0], 2: [1.0]}])
def test_no_values_or_unlike_numbers_of_launches_are_refused(wrong: dict[int, list[float]]) -> None:
    with pytest.raises(ValueError, match=r"no node has a value|as many launches"):
        slow_nodes(wrong, lower_is_better=True)


def test_verdicts_are_byte_identical_in_any_order_of_nodes() -> None:
    values = fleet(512, {5: 1.2, 80: 1.05, 300: 1.5}, spread=0.02, noise=0.02)
    values[7][1:] = values[8][1:] = [NAN] * 4
    first = slow_nodes(values, lower_is_better=True)
    again = slow_nodes(dict(reversed(values.items())), lower_is_better=True)
    assert first.slow
    assert first.unjudged == (7, 8)
    assert msgspec.json.encode(first) == msgspec.json.encode(again)


def test_what_slow_nodes_share_is_named_with_fishers_p() -> None:
    leaf = {node: f"leaf{node // 10}" for node in range(60)}
    kernel = {node: "6.1" if node % 2 else "6.12" for node in range(60)}
    name = {node: f"n{node}" for node in range(60)}
    attributes = {"kernel": kernel, "leaf": leaf, "name": name, "alike": dict.fromkeys(leaf, "a")}
    (found,) = common_cause([20, 21, 23, 24, 59], attributes)
    assert (found.attribute, found.value, found.slow) == ("leaf", "leaf2", (20, 21, 23, 24))
    assert found.others == 6
    exact = fisher_exact([[4, 6], [1, 49]], alternative="greater").pvalue
    # Of eight values, the smallest p value is taken eight times.
    assert found.p_value == pytest.approx(8 * exact)


def test_chance_and_what_all_or_single_nodes_have_is_no_cause() -> None:
    leaf = {node: f"leaf{node // 10}" for node in range(60)}
    own = {node: f"n{node}" for node in range(60)}
    alike = dict.fromkeys(range(60), "6.1")
    attributes = {"leaf": leaf, "name": own, "kernel": alike}
    assert common_cause([20, 21, 33, 47, 59], attributes) == ()
    assert common_cause([20], attributes) == common_cause([], attributes) == ()
    assert common_cause([1, 2], {}) == ()


def test_one_slow_node_of_a_rare_value_has_no_company() -> None:
    rare = {node: "old" if node < 2 else "new" for node in range(1000)}
    assert common_cause([0], {"kernel": rare}) == ()


def test_nodes_without_an_attribute_do_not_count() -> None:
    known = {node: "a" if node < 4 else "b" for node in range(40)}
    (found,) = common_cause([0, 1, 2, 3, 90], {"chassis": known})
    exact = fisher_exact([[4, 0], [0, 36]], alternative="greater").pvalue
    assert found.p_value == pytest.approx(2 * exact)
