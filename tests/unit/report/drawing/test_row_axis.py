"""Axes of row plots hold what is drawn on them and have ticks that can be read."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.units import SECONDS, SHARE, STREAM_BYTES_PER_SECOND, Unit
from machmeter.report.drawing.row_axis import (
    even_step,
    log_axis,
    log_places,
    ratio_axis,
    ratio_scale,
    value_axis,
)
from machmeter.report.drawing.row_plot import ReferenceLine


@given(st.lists(st.floats(0.2, 5.0), min_size=1, max_size=20))
def test_an_axis_of_ratios_holds_1x_with_a_tick(ends: list[float]) -> None:
    axis = ratio_axis(ends)
    assert axis.low < 1 < axis.high
    assert 1.0 in [tick.value for tick in axis.ticks]
    assert [one.value for one in axis.references] == [1.0]


@given(st.floats(0.3, 0.85), st.floats(1.18, 3.0))
def test_ratios_on_both_sides_of_1x_have_labels_on_both_sides(low: float, high: float) -> None:
    axis = ratio_axis([low, high])
    values = [tick.value for tick in axis.ticks]
    places = [axis.percent(value) for value in values]
    assert values[0] < 1 < values[-1]
    assert all(after - before >= 12.4 for before, after in pairwise(places))
    assert axis.low <= min(low, values[0])
    assert max(high, values[-1]) <= axis.high


@pytest.mark.parametrize(
    ("ends", "texts"),
    [
        ((0.95, 1.05), "0.9x 0.95x 1x 1.05x 1.1x"),
        ((0.84, 1.38), "0.9x 1x 1.1x 1.2x 1.3x 1.4x"),
        ((0.88, 1.31), "0.9x 1x 1.1x 1.2x 1.3x"),
        ((0.05, 30.0), "0.1x 0.3x 1x 3x 10x 30x"),
    ],
)
def test_near_1x_the_steps_are_even_and_far_from_it_powers(
    ends: tuple[float, float], texts: str
) -> None:
    assert " ".join(tick.text for tick in ratio_axis(ends).ticks) == texts


def test_a_narrow_axis_of_ratios_keeps_1x() -> None:
    axis = ratio_axis([0.9, 1.13])
    kept = [tick.text for tick in axis.narrow_ticks()]
    assert "1x" in kept
    assert len(kept) < len(axis.ticks)


def test_a_narrow_axis_of_values_keeps_the_label_with_the_unit() -> None:
    kept = value_axis([51.1e9], STREAM_BYTES_PER_SECOND).narrow_ticks()
    assert kept[-1].text == "60 GB/s"
    assert 2 <= len(kept) < 5


def test_one_ratio_far_beyond_the_others_is_left_off_the_scale() -> None:
    axis = ratio_axis([1.33, 1.77, 1.28, 1.62, 1.04, 1.12, 0.96, 1.25, 71.0, 115.0])
    assert axis.high < 10
    assert axis.high > 1.77


def test_ratios_that_all_lie_far_away_are_on_the_scale() -> None:
    axis = ratio_axis([40.0, 50.0, 60.0])
    assert axis.high > 60


def test_a_limit_is_on_the_axis() -> None:
    assert ratio_axis([1.1], [ReferenceLine(0.5, limit=True)]).low < 0.5


@pytest.mark.parametrize(("low", "high"), [(5e-324, 5e-324), (5e-324, 1e-315), (1e-320, 1e-300)])
def test_values_as_good_as_zero_have_an_axis(low: float, high: float) -> None:
    assert isinstance(log_places(low, high), list)
    assert even_step(high - low) > 0


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


@given(st.floats(1e-4, 1e4), st.floats(1.25, 1e6))
def test_places_on_a_logarithmic_axis_are_few_round_and_within(low: float, factor: float) -> None:
    places = log_places(low, low * factor)
    assert 2 <= len(places) <= 8
    assert places == sorted(set(places))
    assert low <= places[0]
    assert places[-1] <= low * factor


@given(st.floats(1e-4, 1e4), st.floats(1.25, 1e6))
def test_labels_do_not_touch(low: float, factor: float) -> None:
    places = log_places(low, low * factor)
    gaps = [math.log(after / before) for before, after in pairwise(places)]
    assert min(gaps) >= 0.124 * math.log(factor)


def test_near_values_have_even_steps() -> None:
    assert log_places(0.95, 1.31) == [1.0, 1.1, 1.2, 1.3]


def test_a_side_of_1_that_needs_a_label_gets_one() -> None:
    scale = ratio_scale(0.62, 2.6, below=True, above=True)
    assert scale.low == scale.places[0] == 0.5
    assert ratio_scale(0.62, 2.6, below=False, above=True).low == 0.62


def test_ratios_over_many_decades_keep_1() -> None:
    assert 1.0 in ratio_scale(1e-7, 1e9, below=True, above=True).places


def test_a_long_unit_leaves_the_labels_their_room() -> None:
    of_program = Unit("cell ms/s", "cell ms/s", prefixes=False)
    assert value_axis([23_000.0], of_program).ticks[-1].text == "25000"
    short = Unit("ns/day", "ns/day", prefixes=False)
    assert value_axis([40.0], short).ticks[-1].text.endswith(" ns/day")


@pytest.mark.parametrize("residue", [-5.6e-17, 5.6e-17, 0.0])
def test_what_rounding_leaves_of_nothing_has_an_axis(residue: float) -> None:
    axis = value_axis([0.0, residue], SHARE)
    assert (axis.low, axis.high) == (0.0, 1.0)
    assert axis.percent(residue) == 0


def test_a_short_time_has_an_axis() -> None:
    axis = value_axis([2e-12], SECONDS)
    assert axis.low == 0
    assert axis.high >= 2e-12
