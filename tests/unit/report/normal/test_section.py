"""Whether results are normal, as a page and a document show it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.analysis.normal.position import Other, Position, Side
from machmeter.analysis.normal.report import KeyResult, Like, NormalReport
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.report.drawing.row_plot import Shape
from machmeter.report.normal.document import normal_document, verdict_text
from machmeter.report.normal.section import normal_plots, normal_section
from tests.support.made_up.estimates import made_up

HERE = MachineResults("here", "Node 17", Origin.MEASURED, "machmeter", generation="Zen 3")


def latency(seconds: float) -> Estimate:
    one = made_up("network.latency", {"size": 8}, Layout(nodes=2), "latency", seconds)
    return replace(one, low=0.9 * seconds, high=1.1 * seconds)


def triad(rate: float) -> Estimate:
    return made_up("memory.stream", {"size": 2**32}, Layout(), "stream_bandwidth", rate)


def others(values: Sequence[float], side: Side, of: Estimate) -> tuple[Other, ...]:
    return tuple(Other(f"m{n}", "M", "Zen 2", of, v, None, side) for n, v in enumerate(values))


def report(**positions: Position) -> NormalReport:
    found = tuple(KeyResult(title, "label", one) for title, one in positions.items())
    return NormalReport(HERE, Like.ALL, ("m0", "m1", "m2"), found)


SLOW = latency(4e-6)
PLACED = Position(SLOW, None, others([1e-6, 2e-6, 8e-6], Side.BELOW, SLOW), ())
OF_LIMIT = Position(triad(80e9), 0.8, (), ())
ALONE = Position(latency(3e-6), None, (), ())


def test_results_with_a_limit_and_those_beside_others_have_a_plot_each() -> None:
    shares, ratios = normal_plots(report(slow=PLACED, memory=OF_LIMIT, alone=ALONE))
    ((row,),) = [group.rows for group in shares.groups]
    assert row.marks[-1].value == pytest.approx(0.8)
    assert [one.value for one in shares.axis.references if one.limit] == [1.0]
    ((row,),) = [group.rows for group in ratios.groups]
    # A latency of a half is twice as good.
    assert [mark.value for mark in row.marks] == pytest.approx([4.0, 2.0, 0.5, 1.0])
    own = row.marks[-1]
    assert (own.low, own.high) == pytest.approx((1 / 1.1, 1 / 0.9))


def test_what_a_machine_is_shows_in_its_mark() -> None:
    kin, plain, bound = others([1e-6, 2e-6, 8e-6], Side.BELOW, SLOW)
    marked = (replace(kin, generation="Zen 3"), plain, replace(bound, is_threshold=True))
    (plot,) = normal_plots(report(slow=Position(SLOW, None, marked, ())))
    shapes = [mark.shape for mark in plot.groups[0].rows[0].marks]
    assert shapes == [Shape.KIN, Shape.TICK, Shape.THRESHOLD, Shape.DOT]
    assert {entry.shape for entry in plot.legend} == set(shapes)


def test_the_verdict_counts_what_can_be_judged() -> None:
    assert verdict_text(report(alone=ALONE)).startswith("none of 1")
    found = verdict_text(report(slow=PLACED, memory=OF_LIMIT, alone=ALONE))
    assert found.startswith("2 of 3")
    assert "slow, label (3)" in found
    broken = report(memory=replace(OF_LIMIT, share=1.3))
    assert "unusual: memory" in verdict_text(broken)


def test_a_page_has_no_table_that_its_plots_are() -> None:
    section = normal_section(report(slow=PLACED, alone=ALONE))
    assert all(table.caption and table.rows for table in section.tables)
    assert "slow, label" in [table.caption for table in section.tables]


def test_columns_that_say_nothing_are_left_out() -> None:
    (first, *_) = normal_document(report(slow=PLACED)).tables
    assert "of its limit" not in first.columns
    (limited, *_) = normal_document(report(memory=OF_LIMIT)).tables
    assert "of its limit" in limited.columns
    assert limited.numeric == (1, 2)


def test_lines_are_drawn_where_letters_have_one_width() -> None:
    plain, drawn = (normal_document(report(slow=PLACED), drawn=on) for on in (0, 90))
    notes = [[table.note for table in one.tables if "|" in table.note] for one in (plain, drawn)]
    assert [len(found) for found in notes] == [0, 1]
    assert len(notes[1][0]) <= 88


@pytest.mark.parametrize("low", [0.0, -1e-6, 1e-12])
def test_an_interval_that_says_nothing_is_not_drawn(low: float) -> None:
    wide = Position(replace(SLOW, low=low, high=1.0), None, PLACED.others, ())
    (plot,) = normal_plots(report(slow=wide))
    own = plot.groups[0].rows[0].marks[-1]
    assert (own.low, own.high, own.shape) == (None, None, Shape.DIAMOND)
    assert plot.axis.high < 10
