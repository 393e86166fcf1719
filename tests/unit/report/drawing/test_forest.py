"""The forest plot holds what the comparison says, and no more lines than a person can read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.origin import Origin
from machmeter.model.results.machine_comparison import Basis
from machmeter.report.drawing import forest_panel
from machmeter.report.drawing.axes import ratio_ticks
from machmeter.report.drawing.forest import forest_chart
from machmeter.report.views.forest import MOST_LINES, ForestLine, few_of_each, forest_lines
from tests.support.documents.chart_rows import rows_of
from tests.support.made_up.machines import measured, printed, set_beside

PAIRS = set_beside(measured("old"), measured("new", 1.5))


def test_every_line_is_the_ratio_of_the_comparison() -> None:
    rows = [row for row in rows_of(forest_chart("f", PAIRS, "new over old")) if "value" in row]
    assert rows
    ratios = {
        float(f"{f.by[Basis.AS_MEASURED].ratio:.5g}")
        for f in PAIRS[0].comparison.results
        if Basis.AS_MEASURED in f.by
    }
    for row in rows:
        assert row["known"]
        assert row["low"] <= row["value"] <= row["high"]
        assert row["value"] in ratios
        assert row["value"] == pytest.approx(1.5, rel=1e-3) or row["value"] == pytest.approx(
            1 / 1.5, rel=1e-3
        )


def test_each_group_begins_with_its_title_and_stays_together() -> None:
    rows = sorted(rows_of(forest_chart("f", PAIRS, "new over old")), key=lambda row: row["y"])
    headings = [row["heading"] for row in rows if "heading" in row]
    assert "heading" in rows[0]
    assert len(headings) == len(set(headings)) > 1
    assert [row["y"] for row in rows] == list(range(len(rows)))


def test_figures_as_printed_are_hollow_and_have_no_interval() -> None:
    chart = forest_chart("f", set_beside(printed(), measured()), "here over Paper Machine")
    rows = [row for row in rows_of(chart) if "value" in row]
    assert rows
    assert not any(row["known"] for row in rows)
    assert all(row["low"] == row["value"] == row["high"] for row in rows)
    assert all("(no CI)" in row["numbers"] for row in rows)
    assert chart is not None
    assert "hollow mark" in chart.note


def test_several_machines_are_told_apart() -> None:
    pairs = set_beside(measured("old"), measured("new", 1.5), measured("other", 0.5))
    rows = [row for row in rows_of(forest_chart("f", pairs, "each over old")) if "value" in row]
    assert {row["series"] for row in rows} == {"new", "other"}
    assert all(row["name"].endswith(row["series"]) for row in rows)


def test_shares_have_no_ratio_and_no_line() -> None:
    names = {line.result.a.unit.name for line in forest_lines(PAIRS)}
    assert any(f.points is not None for f in PAIRS[0].comparison.results)
    assert "share" not in names


@given(st.floats(1e-4, 1e4), st.floats(1.02, 1e6))
@example(9999.999999999998, 1.4)
def test_an_axis_of_ratios_has_ticks_enough_and_none_outside(low: float, factor: float) -> None:
    ticks = ratio_ticks(low, low * factor)
    assert len(ticks) >= 4
    assert ticks == sorted(set(ticks))
    room = 1e-9 * low * factor
    assert low - room <= ticks[0]
    assert ticks[-1] <= low * factor + room


def test_an_axis_of_one_value_has_one_tick() -> None:
    assert ratio_ticks(0.25, 0.25) == [0.25]


def test_without_a_ratio_there_is_no_plot() -> None:
    assert forest_chart("f", [], "nothing") is None


@given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 200), min_size=1))
def test_of_many_lines_each_benchmark_keeps_its_first_and_its_share(sizes: dict[str, int]) -> None:
    figure = PAIRS[0].comparison.results[0]
    lines = [
        ForestLine(name, replace(figure, a=replace(figure.a, metric=f"m{n}")), str(n))
        for name, size in sizes.items()
        for n in range(size)
    ]
    chosen = few_of_each(lines)
    assert len(chosen) == min(len(lines), max(MOST_LINES, len(sizes)))
    for name in sizes:
        mine = [int(line.other) for line in chosen if line.benchmark == name]
        assert mine[0] == 0
        assert mine == sorted(set(mine))


def test_a_figure_that_is_drawn_is_drawn_of_every_machine() -> None:
    many = set_beside(measured("old"), *(measured(f"new {n}", 1 + n) for n in range(1, 4)))
    chosen = few_of_each(forest_lines(many))
    assert len(chosen) <= MOST_LINES
    machines = [line.other for line in chosen]
    assert machines == ["new 1", "new 2", "new 3"] * (len(chosen) // 3)
    for place in range(0, len(chosen), 3):
        assert len({line.result.name for line in chosen[place : place + 3]}) == 1


def test_what_more_machines_have_is_drawn_first() -> None:
    both, alone = set_beside(measured("old"), measured("new", 1.5), measured("other", 2.0))
    figures = [one for one in alone.comparison.results if one.points is None]
    few = replace(alone, comparison=replace(alone.comparison, results=tuple(figures[-2:])))
    chosen = few_of_each(forest_lines([both, few]), 20)
    assert {line.other for line in chosen} == {"new", "other"}
    assert 15 <= len(chosen) <= 20


def test_what_follows_from_another_figure_is_not_drawn_again() -> None:
    compared = {f.a.metric for f in PAIRS[0].comparison.results if f.points is None}
    drawn = {line.result.a.metric for line in forest_lines(PAIRS)}
    assert {"bus_bandwidth", "message_rate"} <= compared - drawn
    assert {"stream_bandwidth", "bandwidth_one_way"} <= drawn


def test_what_is_left_out_is_told() -> None:
    many = set_beside(measured("old"), *(measured(f"new {n}", 1 + n) for n in range(1, 4)))
    every = forest_lines(many)
    chart = forest_chart("f", many, "each over old")
    assert len(every) > MOST_LINES
    assert chart is not None
    assert f"{len(few_of_each(every))} of {len(every)} results" in chart.note


@pytest.mark.parametrize("ratio", [float("inf"), float("nan"), 0.0])
def test_a_ratio_that_is_none_is_not_drawn(ratio: float) -> None:
    (pair,) = set_beside(measured("old"), printed())
    first, *others = pair.comparison.results
    found = replace(first.by[Basis.AS_MEASURED], ratio=ratio)
    figure = replace(first, as_printed=True, by={Basis.AS_MEASURED: found})
    without = forest_lines([replace(pair, comparison=replace(pair.comparison, results=others))])
    with_it = replace(pair.comparison, results=(figure, *others))
    assert forest_lines([replace(pair, comparison=with_it)]) == without


def test_a_contradicted_figure_says_so_in_the_plot_and_not_only_in_the_table() -> None:
    pairs = set_beside(printed("its own table says 3"), measured())
    chart = forest_chart("f", pairs, "here over Paper Machine")
    assert chart is not None
    rows = [row for row in rows_of(chart) if "value" in row]
    assert rows
    for row in rows:
        assert row["numbers"].endswith("(no CI), contradicted")
        assert "its own table says 3" in row["label"]
    assert "Contradicted: the source contradicts itself" in chart.note
    clean = rows_of(forest_chart("f", set_beside(printed(), measured()), "here over Paper"))
    assert not any("contradicted" in row.get("numbers", "") for row in clean)


def test_what_was_flagged_at_import_is_not_said_to_contradict_its_source() -> None:
    imported = replace(printed("its +/- reaches below zero"), origin=Origin.IMPORTED)
    chart = forest_chart("f", set_beside(imported, measured()), "here over out.txt")
    assert chart is not None
    rows = [row for row in rows_of(chart) if "value" in row]
    assert all(row["numbers"].endswith("(no CI), flagged") for row in rows)
    assert "Flagged: when it was imported" in chart.note
    assert "ontradicted" not in str(chart.spec) + chart.note


def test_a_mark_is_nearer_to_its_own_label_than_to_the_next() -> None:
    assert forest_panel._BELOW - forest_panel._ABOVE < 0.6 * (
        forest_panel._STEP + forest_panel._ABOVE - forest_panel._BELOW
    )


def test_nothing_is_drawn_across_the_labels() -> None:
    chart = forest_chart("f", PAIRS, "new over old")
    assert chart is not None
    middle = [one for one in chart.spec["layer"] if one["mark"].get("style") == "guide"]
    assert [one["mark"]["type"] for one in middle] == ["tick"]
    above = forest_panel._MIDDLE_BELOW - forest_panel._MIDDLE_HEIGHT / 2
    assert above > forest_panel._ABOVE + 6
    assert above + forest_panel._MIDDLE_HEIGHT < forest_panel._STEP + forest_panel._ABOVE - 6
