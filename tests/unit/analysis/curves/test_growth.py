"""What one more of something costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.curves.growth import GrowthFit, growth
from machmeter.model.units import UNBOUNDED

RANKS = (2, 4, 8, 16)


def rows(values: list[float], noise: float, launches: int = 10, seed: int = 3) -> list[list[float]]:
    draw = np.random.default_rng(seed)
    found: list[list[float]] = (
        np.array(values) + draw.normal(0, noise, (launches, len(values)))
    ).tolist()
    return found


def test_memory_for_each_peer_is_the_slope() -> None:
    covered = 0
    for seed in range(100):
        found = growth(RANKS, rows([10e6 + 256e3 * n for n in RANKS], 5e3, seed=seed))
        assert found.law is GrowthFit.EACH
        assert found.high - found.low < 3e3
        covered += found.low <= 256e3 <= found.high
    assert covered >= 88


def test_a_tree_grows_with_each_doubling() -> None:
    found = growth(RANKS, rows([1e-6 * np.log2(n) for n in RANKS], 1e-9))
    assert found.law is GrowthFit.DOUBLING
    assert found.slope == pytest.approx(1e-6, rel=0.01)
    assert found.even


def test_growth_that_bends_is_said_to() -> None:
    found = growth(RANKS, rows([float(n * n) for n in RANKS], 0.01), GrowthFit.EACH)
    assert not found.even
    assert found.first == pytest.approx(6, rel=0.01)
    assert found.last == pytest.approx(24, rel=0.01)


def test_nothing_that_grows_has_an_interval_around_zero() -> None:
    found = [growth(RANKS, rows([10e6] * 4, 1e5, seed=seed)) for seed in range(60)]
    assert sum(one.low < 0 < one.high for one in found) >= 51


def test_one_launch_has_no_interval() -> None:
    found = growth((1, 2), [[1.0, 3.0]])
    assert (found.slope, found.low, found.high) == (2.0, -UNBOUNDED, UNBOUNDED)
    assert found.even


@pytest.mark.parametrize(
    ("axis", "curves"), [((2,), [[1.0]]), ((0, 1), [[1.0, 1.0]]), ((1, 2), [[1.0]]), ((1, 2), [])]
)
def test_what_is_no_axis_is_refused(axis: tuple[int, ...], curves: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"at least two|rise|one finite"):
        growth(axis, curves)


@given(st.floats(-1e6, 1e6), st.floats(-1e9, 1e9), st.integers(2, 5))
def test_a_line_gives_its_slope_back(slope: float, start: float, launches: int) -> None:
    found = growth(RANKS, [[start + slope * n for n in RANKS]] * launches, GrowthFit.EACH)
    assert found.slope == pytest.approx(slope, abs=1e-6 * (1 + abs(start)))
