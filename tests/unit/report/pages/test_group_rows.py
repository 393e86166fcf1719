"""The means of a comparison as rows: ratio, interval, verdict, and what they rest on."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.units import is_unbounded
from machmeter.report.drawing.row_plot import Shape
from machmeter.report.pages.group_rows import group_plot
from tests.support.made_up.machines import measured, printed, set_beside


def test_each_mean_is_a_row_with_its_interval_and_verdict() -> None:
    (pair,) = set_beside(measured("old"), measured("new", 1.5))
    plot = group_plot("g", pair, "new over old")
    assert plot
    (group,) = plot.groups
    means = pair.comparison.groups
    assert [row.label for row in group.rows] == [mean.group for mean in means]
    for row, mean in zip(group.rows, means, strict=True):
        (mark,) = row.marks
        assert (mark.value, mark.low, mark.high) == (mean.ratio, mean.low, mean.high)
        assert row.interval.startswith("[")
        assert str(len(mean.results)) in row.detail
    assert f"Holm correction over {len(means)} groups" in plot.note


def test_a_mean_with_published_values_is_a_diamond_without_interval() -> None:
    (pair,) = set_beside(printed(), measured())
    plot = group_plot("g", pair, "here over there")
    assert plot
    rows = plot.groups[0].rows
    assert all(is_unbounded(mean.high) for mean in pair.comparison.groups)
    assert {row.marks[0].shape for row in rows} == {Shape.DIAMOND}
    assert not any(row.interval for row in rows)
    assert "no confidence interval" in plot.note


def test_nothing_in_common_has_no_plot() -> None:
    (pair,) = set_beside(measured("old"), replace(measured("new"), estimates=()))
    assert group_plot("g", pair, "new over old") is None
