"""The picture of layouts: what is drawn of each, and what its table has."""

from __future__ import annotations

from typing import Any

import altair as alt
import pytest
from msgspec.structs import replace

from machmeter.benchmarks.explore import RANKS
from machmeter.model.results.run import RunResult
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.groups.explored.picture import (
    MOST_DRAWN,
    layout_charts,
    layout_tables,
)
from machmeter.report.benchmarks.groups.explored.standings import layout_results
from machmeter.report.benchmarks.section import Section, section_of
from machmeter.report.drawing.chart import Chart
from tests.support.synthetic.explored import ALONE, NONE_SET, SET, make_explored
from tests.support.synthetic.runs import charts_in, tables_in


def section(run: RunResult) -> Section:
    return section_of(run, RANKS.name)


def rows_of(run: RunResult) -> list[dict[str, Any]]:
    (chart,) = layout_charts(section(run))
    return drawn(chart)


def drawn(chart: Chart) -> list[dict[str, Any]]:
    (rows,) = chart.spec["datasets"].values()
    return list(rows)


def marks_of(chart: Chart) -> set[str]:
    return {one["mark"]["type"] for one in chart.spec["layer"]}


def test_it_is_the_first_chart_of_an_explored_program() -> None:
    run = make_explored()
    assert charts_in(run, RANKS.name)[0] == layout_charts(section(run))[0]
    assert layout_tables(section(run))[0] in tables_in(run, RANKS.name)


def test_a_row_is_drawn_for_each_layout_in_order_with_its_interval() -> None:
    run = make_explored()
    rows = rows_of(run)
    assert [row["name"] for row in rows] == [one.name for one in layout_results(section(run))]
    assert [row["y"] for row in rows] == [0, 1, 2, 3]
    assert all(row["low"] < row["value"] < row["high"] for row in rows)


def test_what_is_tied_with_the_best_is_shaded() -> None:
    run = make_explored()
    assert [row["shaded"] for row in rows_of(run)] == [True, True, False, False]
    (chart,) = layout_charts(section(run))
    assert "rect" in marks_of(chart)
    unasked = layout_charts(section(replace(run, findings=())))[0]
    assert "rect" not in marks_of(unasked)


def test_the_default_and_what_dropped_out_have_marks_of_their_own() -> None:
    run = make_explored(dropped=(ALONE,))
    series = {row["name"]: row["series"] for row in rows_of(run)}
    by_spec = {one.spec: series[one.name] for one in layout_results(section(run))}
    assert len({by_spec[SET], by_spec[NONE_SET], by_spec[ALONE]}) == 3
    (chart,) = layout_charts(section(run))
    shapes = [
        one["encoding"]["shape"]["scale"]
        for one in chart.spec["layer"]
        if "shape" in one["encoding"]
    ]
    assert all(len(set(one["range"])) == len(one["domain"]) == 3 for one in shapes)


@pytest.mark.parametrize("dropped", [(), (ALONE,)])
def test_it_is_what_vega_lite_takes(dropped: tuple[str, ...]) -> None:
    (chart,) = layout_charts(section(make_explored(dropped=dropped)))
    alt.TopLevelSpec.validate(chart.spec)


def test_a_layout_of_one_launch_is_drawn_hollow_without_an_interval() -> None:
    run = make_explored()
    first, *others = run.estimates
    alone = replace(first, launches=1, low=0.0, high=UNBOUNDED)
    rows = rows_of(replace(run, estimates=(alone, *others)))
    (row,) = [row for row in rows if not row["known"]]
    assert row["low"] == row["value"] == row["high"]


def test_a_layout_without_a_result_is_in_the_table_and_not_in_the_picture() -> None:
    run = make_explored()
    left = tuple(one for one in run.estimates if one.point.layout.threads > 1)
    few = replace(run, estimates=left)
    (table,) = layout_tables(section(few))
    assert len(rows_of(few)) == len(left) == len(table.rows) - 1
    assert table.rows[-1][0] == layout_results(section(run))[-1].name
    assert table.rows[-1][3] == "0"


@pytest.mark.parametrize("half_width", [0.0, 1e-9, 1e-5])
def test_layouts_that_take_the_same_time_have_a_picture(half_width: float) -> None:
    run = make_explored()
    alike = tuple(
        replace(one, value=0.25, low=0.25 * (1 - half_width), high=0.25 * (1 + half_width))
        for one in run.estimates
    )
    (chart,) = layout_charts(section(replace(run, estimates=alike)))
    alt.TopLevelSpec.validate(chart.spec)
    (x,) = [
        one["encoding"]["x"]
        for one in chart.spec["layer"]
        if one["mark"]["type"] == "point" and "datum.known" in str(one["transform"])
        if "!datum.known" not in str(one["transform"])
    ]
    low, high = (end / 1000 for end in x["scale"]["domain"])
    assert low < 0.25 < 1.015 * low
    assert high > 0.25 > high / 1.015
    assert len(x["axis"]["values"]) >= 4


def test_one_result_has_no_picture() -> None:
    run = make_explored()
    assert layout_charts(section(replace(run, estimates=run.estimates[:1]))) == []


def test_names_of_a_program_s_figures_steer_nothing() -> None:
    run = make_explored()
    unit = replace(run.estimates[0].unit, symbol="\x1b[31mW", prefixes=False)
    named = tuple(replace(one, title="Power\u202e\x07", unit=unit) for one in run.estimates)
    (chart,) = layout_charts(section(replace(run, estimates=named)))
    texts = [chart.title, chart.description, chart.note, str(chart.spec)]
    assert not any(c in text for text in texts for c in ("\x1b", "\u202e", "\x07"))
    assert not any(c in repr(chart.spec) for c in ("\\x1b", "\\u202e", "\\x07"))


def test_of_many_layouts_the_first_and_the_default_are_drawn() -> None:
    run = make_explored()
    (slow,) = [one for one in run.estimates if one.point.layout.binding.value == "default"]
    many = [
        replace(slow, value=0.1 + n / 100, point=replace(slow.point, layout=layout))
        for n in range(MOST_DRAWN + 5)
        for layout in [replace(run.estimates[0].point.layout, threads_per_rank=n + 2)]
    ]
    rows = rows_of(replace(run, estimates=(*many, slow), findings=()))
    assert len(rows) == MOST_DRAWN + 1
    assert [row["y"] for row in rows] == list(range(MOST_DRAWN + 1))
    (table,) = layout_tables(section(replace(run, estimates=(*many, slow), findings=())))
    assert sum(row[3] != "0" for row in table.rows) == MOST_DRAWN + 6


def test_the_table_has_every_layout_and_who_it_dropped_out_behind() -> None:
    run = make_explored(dropped=(ALONE,))
    (table,) = layout_tables(section(run))
    names = {one.spec: one.name for one in layout_results(section(run))}
    assert [row[0] for row in table.rows] == [row["name"] for row in rows_of(run)]
    (alone,) = [row for row in table.rows if row[0] == names[ALONE]]
    assert names[SET] in alone[-1]
