"""Axes of row plots hold what is drawn on them and have ticks that can be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.units import SECONDS, SHARE, STREAM_BYTES_PER_SECOND
from machmeter.report.drawing.row_axis import log_axis, log_places, ratio_axis, value_axis
from machmeter.report.drawing.row_plot import ReferenceLine


@given(st.floats(1e-4, 1e4), st.floats(1.25, 1e6))
def test_places_on_a_logarithmic_axis_are_few_round_and_within(low: float, factor: float) -> None:
    places = log_places(low, low * factor)
    assert 1 <= len(places) <= 6
    assert places == sorted(set(places))
    assert low <= places[0]
    assert places[-1] <= low * factor


@given(st.lists(st.floats(0.2, 5.0), min_size=1, max_size=20))
def test_an_axis_of_ratios_holds_1x_with_a_tick(ends: list[float]) -> None:
    axis = ratio_axis(ends)
    assert axis.low < 1 < axis.high
    assert 1.0 in [tick.value for tick in axis.ticks]
    assert [one.value for one in axis.references] == [1.0]


def test_one_ratio_far_beyond_the_others_is_left_off_the_scale() -> None:
    axis = ratio_axis([1.33, 1.77, 1.28, 1.62, 1.04, 1.12, 0.96, 1.25, 71.0, 115.0])
    assert axis.high < 10
    assert axis.high > 1.77


def test_ratios_that_all_lie_far_away_are_on_the_scale() -> None:
    axis = ratio_axis([40.0, 50.0, 60.0])
    assert axis.high > 60


def test_a_limit_is_on_the_axis() -> None:
    assert ratio_axis([1.1], [ReferenceLine(0.5, limit=True)]).low < 0.5


def test_values_begin_at_zero_and_have_one_unit() -> None:
    axis = value_axis([40.2e9, 51.1e9], STREAM_BYTES_PER_SECOND)
    assert (axis.low, axis.high) == (0, 60e9)
    assert [tick.text for tick in axis.ticks] == ["0", "10", "20", "30", "40", "50", "60 GB/s"]


def test_a_share_below_zero_is_on_its_axis() -> None:
    axis = value_axis([-0.47, 0.98], SHARE)
    assert axis.low <= -0.47
    assert axis.ticks[-1].text == "100 %"


@pytest.mark.parametrize("ends", [[], [0.0]])
def test_an_axis_of_nothing_can_be_drawn(ends: list[float]) -> None:
    assert value_axis(ends, SECONDS).high > 0


def test_times_over_many_decades_have_a_tick_with_its_own_prefix() -> None:
    texts = [tick.text for tick in log_axis([1.3e-9, 138e-6], SECONDS).ticks]
    assert "10 ns" in texts or "100 ns" in texts
    assert any("µs" in text for text in texts)
