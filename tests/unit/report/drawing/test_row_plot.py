"""Marks of a row plot stand where their values are, and say so where they cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.report.drawing.row_plot import (
    Mark,
    PlotRow,
    RowAxis,
    Shape,
    Tick,
    beyond_text,
    placed,
)

LINEAR = RowAxis(0.0, 60.0, (Tick(0.0, "0"), Tick(60.0, "60")))
LOG = RowAxis(0.5, 2.0, (Tick(1.0, "1x"),), logarithmic=True)


def of(*marks: Mark) -> PlotRow:
    return PlotRow("Triad", "45.3 GB/s", marks)


@pytest.mark.parametrize(
    ("axis", "value", "percent"),
    [(LINEAR, 15.0, 25.0), (LINEAR, -3.0, 0.0), (LOG, 1.0, 50.0), (LOG, 0.0, 0.0), (LOG, 9.0, 100)],
)
def test_a_value_stands_at_its_part_of_the_axis(
    axis: RowAxis, value: float, percent: float
) -> None:
    assert axis.percent(value) == pytest.approx(percent)


@given(st.floats(0.5, 2.0), st.floats(0.5, 2.0))
def test_the_order_of_values_is_that_of_their_places(one: float, other: float) -> None:
    assert (one <= other) <= (LOG.percent(one) <= LOG.percent(other))


def test_an_interval_is_drawn_around_its_mark() -> None:
    (mark,) = placed(LINEAR, of(Mark(30.0, 24.0, 36.0)))
    assert (mark.left, mark.at, mark.right) == (40.0, 50.0, 60.0)
    assert not (mark.open_left or mark.open_right or mark.beyond)


def test_an_interval_narrower_than_the_mark_leaves_the_mark_alone() -> None:
    (mark,) = placed(LINEAR, of(Mark(30.0, 29.9, 30.1)))
    assert mark.left is mark.right is None


def test_an_interval_that_leaves_the_axis_is_open_there() -> None:
    (mark,) = placed(LINEAR, of(Mark(50.0, 40.0, 90.0)))
    assert mark.open_right
    assert not mark.open_left
    assert mark.right == 100


def test_a_value_off_the_scale_is_at_the_edge_and_written_there() -> None:
    row = PlotRow("Wait", "90.4x", (Mark(90.4, 71.1, 115.0),))
    (mark,) = placed(LOG, row)
    assert (mark.beyond, mark.at, mark.left) == (1, 100, None)
    assert beyond_text(LOG, row) == "90.4x, off scale"
    assert beyond_text(LOG, of(Mark(1.0))) == ""
    several = replace(row, value="3 above 1x", marks=(Mark(90.4), Mark(1.0)))
    assert beyond_text(LOG, several) == "off scale"


def test_an_upper_bound_is_a_bar_from_the_edge() -> None:
    (mark,) = placed(LINEAR, of(Mark(15.0, shape=Shape.BOUND)))
    assert (mark.left, mark.right) == (0, 25)


def test_a_count_is_a_bar_from_the_edge_however_small() -> None:
    (mark,) = placed(LINEAR, of(Mark(0.6, shape=Shape.BAR)))
    assert (mark.left, mark.right) == (0, 1)


def test_two_series_stand_one_above_the_other_and_a_published_value_between() -> None:
    two = Mark(20.0, shape=Shape.SQUARE, series=2)
    first, second, published = placed(LINEAR, of(Mark(10.0), two, Mark(15.0, shape=Shape.DIAMOND)))
    assert first.down < published.down == 0 < second.down
    assert placed(LINEAR, of(Mark(10.0), Mark(15.0, shape=Shape.DIAMOND)))[0].down == 0
