import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from machmeter.analysis.history.change_points import change_points, stability

Floats = NDArray[np.float64]
Random = np.random.Generator


def white(random: Random, count: int) -> Floats:
    return random.standard_normal(count)


def heavy_tails(random: Random, count: int) -> Floats:
    """Student's t with 1.5 degrees of freedom: its variance is infinite."""
    return random.standard_t(1.5, count)


def spikes(random: Random, count: int) -> Floats:
    """One value in twenty up to four times too long, as when a thread loses its CPU."""
    hit = random.random(count) < 0.05
    return random.standard_normal(count) + np.where(hit, 30 * random.random(count), 0)


def remembering(correlation: float) -> Callable[[Random, int], Floats]:
    """First-order autoregressive noise of standard deviation 1."""

    def noise(random: Random, count: int) -> Floats:
        steps = random.standard_normal(count + 200) * math.sqrt(1 - correlation**2)
        found: Floats = scipy.signal.lfilter([1.0], [1.0, -correlation], steps)[200:]
        return found

    return noise


def slow_and_white(random: Random, count: int) -> Floats:
    return remembering(0.9)(random, count) / 1.5 + random.standard_normal(count) / 1.5


def series(noise: Callable[[Random, int], Floats], count: int, seed: int) -> Floats:
    """About 1, with 3 % of noise."""
    found: Floats = np.exp(0.03 * noise(np.random.default_rng(seed), count))
    return found


@pytest.mark.parametrize(
    ("noise", "count"),
    [
        (white, 500),
        (heavy_tails, 500),
        (heavy_tails, 3000),
        (spikes, 500),
        (remembering(0.5), 500),
        (remembering(0.7), 500),
        (remembering(0.7), 3000),
        (remembering(0.9), 1000),
        (slow_and_white, 3000),
    ],
)
def test_noise_alone_rarely_passes_for_a_change(
    noise: Callable[[Random, int], Floats], count: int
) -> None:
    runs = 60
    alarms = sum(
        bool(change_points(series(noise, count, seed).tolist(), least_change=0))
        for seed in range(runs)
    )
    assert alarms / runs <= 0.1


@pytest.mark.parametrize(
    ("noise", "count"),
    [
        (white, 500),
        (heavy_tails, 500),
        (spikes, 500),
        (remembering(0.5), 1000),
        (remembering(0.7), 3000),
        (slow_and_white, 3000),
    ],
)
@pytest.mark.parametrize("begin", [0.37, 0.9])
def test_ten_percent_more_for_a_tenth_of_the_series_is_found(
    noise: Callable[[Random, int], Floats], count: int, begin: float
) -> None:
    first, runs, hits = int(begin * count), 20, 0
    after = first + count // 10
    expected = [first, after] if after < count else [first]
    for seed in range(runs):
        values = series(noise, count, seed)
        values[first:after] *= 1.1
        found = change_points(values.tolist())
        near = len(found) == len(expected) and all(
            abs(point.index - index) <= count // 50
            for point, index in zip(found, expected, strict=True)
        )
        hits += near and abs(found[0].change - 0.1) < 0.03
    assert hits / runs >= 0.8


def test_a_clean_step_is_found_at_its_place_with_its_levels() -> None:
    (found,) = change_points([2.0] * 137 + [3.0] * 163)
    assert found.index == 137
    assert found.before == pytest.approx(2)
    assert found.after == pytest.approx(3)
    assert found.change == pytest.approx(0.5)
    assert found.low == pytest.approx(0.5)
    assert found.high == pytest.approx(0.5)
    assert found.p_value <= 0.01


def test_every_one_of_several_levels_is_told() -> None:
    values = series(white, 1200, 4)
    for number, level in enumerate((1.0, 1.4, 1.2, 0.8)):
        values[300 * number : 300 * (number + 1)] *= level
    found = change_points(values.tolist())
    assert [round(point.index, -1) for point in found] == [300, 600, 900]
    assert [round(point.change, 1) for point in found] == [0.4, -0.1, -0.3]


def test_the_interval_holds_the_true_change_about_as_often_as_it_says() -> None:
    held, runs = 0, 60
    for seed in range(runs):
        values = series(remembering(0.5), 1000, seed)
        values[500:] *= 1.1
        found = change_points(values.tolist())
        held += len(found) == 1 and found[0].low <= 0.1 <= found[0].high
    assert held / runs >= 0.85


def test_changes_that_do_not_matter_are_left_out() -> None:
    values = series(white, 1000, 2)
    values[500:] *= 1.015
    assert change_points(values.tolist()) == ()
    assert len(change_points(values.tolist(), least_change=0.01)) == 1


def test_a_few_wild_values_are_no_change() -> None:
    values = series(white, 500, 3)
    values[200:204] *= 40
    assert change_points(values.tolist()) == ()


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0] * 5, [1.0] * 500])
def test_what_is_short_or_constant_has_no_change(values: list[float]) -> None:
    assert change_points(values) == ()


@given(
    st.lists(st.sampled_from([1.0, 1.5, 2.0, 3.0]), min_size=1, max_size=6),
    st.integers(10, 60),
    st.integers(0, 1000),
)
@settings(max_examples=30, deadline=None)
def test_changes_are_in_order_inside_and_levels_meet(
    levels: list[float], length: int, seed: int
) -> None:
    noise = series(white, len(levels) * length, seed)
    values = (np.repeat(levels, length) * noise).tolist()
    found = change_points(values)
    indices = [point.index for point in found]
    assert indices == sorted(set(indices))
    assert all(0 < index < len(values) for index in indices)
    for point, following in pairwise(found):
        assert point.after == following.before
    for point in found:
        assert min(values) <= point.before <= max(values)
        assert math.isclose(point.change, point.after / point.before - 1)
        assert point.low <= point.change <= point.high
    assert [point.index for point in change_points([4 * value for value in values])] == indices


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_series_without_logs_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="series"):
        change_points([1.0] * 50 + [value])


def test_a_negative_least_change_is_refused() -> None:
    with pytest.raises(ValueError, match="least change"):
        change_points([1.0] * 50, least_change=-0.1)


def test_stability_is_of_quantiles_and_relative_spread() -> None:
    found = stability([float(value) for value in range(1, 102)])
    assert found.values == 101
    assert (found.p5, found.median, found.p95) == (6, 51, 96)
    assert math.isclose(found.coefficient_of_variation, np.std(range(1, 102), ddof=1) / 51)


def test_stability_of_what_does_not_vary() -> None:
    assert stability([3.0]).coefficient_of_variation == 0
    assert stability([0.0, 0.0]).coefficient_of_variation == 0
    assert stability([-1.0, 1.0]).coefficient_of_variation == math.inf
    with pytest.raises(ValueError, match="at least one"):
        stability([])
