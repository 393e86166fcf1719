"""The rows of a comparison hold what it says, each result once and of several machines named."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import standing_of
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis, RelativeStanding
from machmeter.model.units import is_unbounded
from machmeter.report.drawing.row_plot import PlotRow, RowPlot, Shape, Weight
from machmeter.report.pages.ratio_rows import group_plot, ratio_plot
from machmeter.report.views.forest import MOST_LINES, forest_lines
from tests.support.made_up.estimates import made_up
from tests.support.made_up.machines import measured, printed, set_beside
from tests.support.made_up.named_machines import machine
from tests.support.made_up.named_machines import printed as as_printed

PAIRS = set_beside(measured("old"), measured("new", 1.5))


def rows_of(plot: RowPlot | None) -> list[PlotRow]:
    return [row for group in plot.groups for row in group.rows] if plot else []


def test_every_row_is_the_ratio_of_the_comparison_with_its_verdict() -> None:
    rows = rows_of(ratio_plot("r", PAIRS, "new over old"))
    found = {line.result.by[Basis.AS_MEASURED].ratio: line.result for line in forest_lines(PAIRS)}
    assert rows
    for row in rows:
        (mark,) = row.marks
        assert mark.low is not None
        assert mark.high is not None
        assert mark.low <= mark.value <= mark.high
        better = standing_of(found[mark.value]) is RelativeStanding.BETTER
        assert (row.weight is Weight.CLEAR) == better


def test_each_benchmark_is_a_group_with_its_own_title() -> None:
    plot = ratio_plot("r", PAIRS, "new over old")
    assert plot
    titles = [group.title for group in plot.groups]
    assert len(titles) == len(set(titles)) > 1
    assert all(group.rows for group in plot.groups)


def test_published_values_are_diamonds_without_an_interval() -> None:
    plot = ratio_plot("r", set_beside(printed(), measured()), "here over Paper Machine")
    rows = rows_of(plot)
    assert rows
    single = [row for row in rows if len(row.marks) == 1]
    assert {row.marks[0].shape for row in single} == {Shape.DIAMOND}
    assert not any(row.interval for row in rows)
    assert plot
    assert any("published" in entry.text for entry in plot.legend)


def test_several_machines_are_told_apart() -> None:
    pairs = set_beside(measured("old"), measured("new", 1.5), measured("other", 0.5))
    rows = rows_of(ratio_plot("r", pairs, "each over old"))
    assert {row.detail for row in rows} == {"new", "other"}


def test_a_flag_stands_with_its_row() -> None:
    rows = rows_of(ratio_plot("r", set_beside(printed("a flag"), measured()), "here over Paper"))
    assert any("caveat: a flag" in row.detail for row in rows)


def test_of_very_many_results_some_are_drawn_and_the_plot_says_so() -> None:
    every = forest_lines(PAIRS)
    plot = ratio_plot("r", PAIRS, "new over old")
    assert plot
    assert len(every) > MOST_LINES >= len(rows_of(plot))
    assert f"of {len(every)} results" in plot.note


def test_without_a_ratio_there_is_no_plot() -> None:
    assert ratio_plot("r", [], "nothing") is None


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


def test_two_results_that_fit_one_published_value_are_one_row_with_both_marks() -> None:
    def barrier(value: float, wait: WaitPolicy) -> Estimate:
        layout = Layout(threads_per_rank=2, wait_policy=wait)
        return made_up("threads.sync", {"construct": "barrier"}, layout, "overhead", value)

    stated = as_printed(barrier(2e-6, WaitPolicy.ACTIVE), stated="nodes, threads_per_rank")
    paper = machine("paper", stated, origin=Origin.PUBLISHED)
    here = machine("here", barrier(1e-6, WaitPolicy.ACTIVE), barrier(40e-6, WaitPolicy.PASSIVE))
    plot = ratio_plot("r", set_beside(paper, here), "here over paper")
    (row,) = rows_of(plot)
    assert plot
    assert plot.legend == ()
    assert [mark.shape for mark in row.marks] == [Shape.DOT, Shape.SQUARE]
    assert row.value == "2.00x / 0.05x"
    assert row.detail == "dot: active wait; square: passive wait"
    assert row.verdict == "no verdict"


def test_one_of_two_that_has_no_ratio_leaves_the_row_its_name() -> None:
    def lock(value: float, wait: WaitPolicy, *, resolved: bool = True) -> Estimate:
        layout = Layout(threads_per_rank=2, wait_policy=wait)
        one = made_up("threads.sync", {"construct": "for"}, layout, "overhead", value)
        return replace(one, resolved=resolved)

    stated = as_printed(lock(2e-6, WaitPolicy.ACTIVE), stated="nodes, threads_per_rank")
    paper = machine("paper", stated, origin=Origin.PUBLISHED)
    active = lock(1e-6, WaitPolicy.ACTIVE)
    names = []
    for resolved in (True, False):
        here = machine("here", active, lock(40e-6, WaitPolicy.PASSIVE, resolved=resolved))
        (row,) = rows_of(ratio_plot("r", set_beside(paper, here), "here over paper"))
        names.append(row.label)
    assert row.detail == "active wait"
    assert names[0] == names[1]
