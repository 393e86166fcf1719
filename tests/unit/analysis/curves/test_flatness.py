"""From which size on a figure is flat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.curves.flatness import Trend, flatness

SIZES = [4**power for power in range(5, 12)]


def bandwidths(half: float, noise: float, launches: int = 10, seed: int = 1) -> list[list[float]]:
    """`size / (size + half)` of the most, with a spread between launches."""
    draw = np.random.default_rng(seed)
    exact = np.array([size / (size + half) for size in SIZES])
    found: list[list[float]] = (
        1e10 * exact * np.exp(draw.normal(0, noise, (launches, len(SIZES))))
    ).tolist()
    return found


def test_bandwidth_is_flat_from_where_no_size_beyond_brings_3_percent_more() -> None:
    found = flatness(SIZES, bandwidths(4096, 0.001))
    # At 64 KiB it is 6 % below the most, at 256 KiB 1.5 %.
    assert found.end.trend is Trend.FLAT
    assert found.flat_from == found.perhaps_from == 4**9


@pytest.mark.parametrize("each", [0.027, -0.027])
def test_many_small_changes_are_one_large_change(each: float) -> None:
    sizes = [2**power for power in range(10, 23)]
    curve = [(1 + each) ** octave for octave in range(len(sizes))]
    found = flatness(sizes, [curve] * 10)
    assert found.end.trend is Trend.FLAT
    assert found.flat_from == found.perhaps_from == sizes[-2]


def test_a_last_change_over_several_doublings_may_be_large_though_slow() -> None:
    found = flatness([2**10, 2**20], [[1.0, 1.2]] * 10)
    assert found.end.trend is Trend.FLAT
    assert found.flat_from is None
    assert found.perhaps_from is None


def test_it_is_still_rising_where_the_last_doubling_brings_more() -> None:
    found = flatness(SIZES, bandwidths(2**22, 0.005))
    assert found.end.trend is Trend.RISING
    assert found.end.second == SIZES[-1]
    assert found.end.low > 1.03
    assert found.flat_from is None


def test_it_falls_where_messages_leave_a_cache() -> None:
    rows = [[*row[:-1], 0.5 * row[-1]] for row in bandwidths(64, 0.005)]
    assert flatness(SIZES, rows).end.trend is Trend.FALLING


def test_noise_leaves_it_open() -> None:
    found = flatness(SIZES, bandwidths(64, 0.3))
    assert found.end.trend is Trend.UNCLEAR
    assert found.flat_from is None
    assert found.perhaps_from is not None


def test_one_launch_claims_nothing() -> None:
    assert flatness(SIZES, bandwidths(64, 0.0, launches=1)).flat_from is None


@pytest.mark.parametrize(
    ("sizes", "curves"),
    [([1], [[1.0]]), ([1, 2], []), ([0, 1], [[1.0, 1.0]]), ([1, 2], [[1.0]]), ([1, 2], [[1.0, 0]])],
)
def test_what_is_no_curve_is_refused(sizes: list[int], curves: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"flatness needs|rise|one value|positive"):
        flatness(sizes, curves)


@given(st.lists(st.lists(st.floats(1, 1e12), min_size=4, max_size=4), min_size=2, max_size=5))
def test_what_is_claimed_is_never_more_than_what_may_be(rows: list[list[float]]) -> None:
    found = flatness(SIZES[:4], rows)
    if found.flat_from is not None:
        assert found.end.trend is Trend.FLAT
        assert found.perhaps_from is not None
        assert found.perhaps_from <= found.flat_from
    if found.end.trend in (Trend.RISING, Trend.FALLING):
        assert found.perhaps_from is None
