"""Key results are few, one of each benchmark first, each with a mark that says what is known."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.units import BUS_BYTES_PER_SECOND, UNBOUNDED
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.drawing.row_plot import Shape
from machmeter.report.pages.result_rows import (
    MOST_CARDS,
    first_of_each,
    key_cards,
    limit_plots,
    mark_of,
)
from tests.support.synthetic.explored import make_explored
from tests.support.synthetic.run import make_run

RUN = make_run()
HEADLINES = headline_results(RUN)


def test_no_benchmark_has_two_cards_before_every_other_has_one() -> None:
    chosen = first_of_each(HEADLINES)
    benchmarks = [one.estimate.point.benchmark for one in chosen]
    every = {one.estimate.point.benchmark for one in HEADLINES}
    assert len(chosen) == min(MOST_CARDS, len(HEADLINES))
    assert len(set(benchmarks)) == min(len(every), MOST_CARDS)
    assert [HEADLINES.index(one) for one in chosen] == sorted(map(HEADLINES.index, chosen))


def test_a_card_holds_its_value_on_its_own_scale() -> None:
    for card in key_cards(RUN, HEADLINES, lambda _: "#there"):
        (mark,) = card.row.marks
        assert card.axis.low <= mark.value <= card.axis.high
        assert card.row.address == "#there"


def test_layouts_of_one_program_share_an_axis_which_has_no_limit() -> None:
    explored = make_explored()
    headlines = headline_results(explored)
    cards = key_cards(explored, headlines, str)
    assert len(cards) > 2
    assert len({card.axis for card in cards}) == 1
    assert all(mark.value <= card.axis.high for card in cards for mark in card.row.marks)
    assert limit_plots(explored, headlines, str) == ()


def test_what_has_no_interval_is_a_diamond_and_what_is_not_resolved_a_bound() -> None:
    one = RUN.estimates[0]
    assert mark_of(one).shape is Shape.DOT
    assert mark_of(replace(one, low=0.0, high=UNBOUNDED)).shape is Shape.DIAMOND
    bound = mark_of(replace(one, resolved=False, high=12e-9))
    assert (bound.shape, bound.value) == (Shape.BOUND, 12e-9)


def test_times_come_after_the_cache_levels_the_shortest_first() -> None:
    rates, times = limit_plots(RUN, HEADLINES, lambda _: "")
    assert rates.axis.low == 0
    values = [row.marks[0].value for row in times.groups[0].rows]
    levels = [row for row in times.groups[0].rows if row.marks[0].shape is Shape.SMALL]
    assert levels
    assert values[len(levels) :] == sorted(values[len(levels) :])
    assert times.axis.low <= min(values)
    assert max(values) <= times.axis.high


def test_peak_traffic_is_a_dashed_line_with_its_interval() -> None:
    rates = limit_plots(RUN, HEADLINES, lambda _: "")[0]
    (line,) = rates.axis.references
    assert line.limit
    assert line.low is not None
    assert line.low <= line.value <= rates.axis.high


def test_a_mark_against_the_dashed_line_is_of_bus_bytes_as_the_line_is() -> None:
    rates = limit_plots(RUN, HEADLINES, lambda _: "")[0]
    (line,) = rates.axis.references
    buses = {e.value for e in RUN.estimates if e.unit == BUS_BYTES_PER_SECOND}
    squares = [
        mark for row in rates.groups[0].rows for mark in row.marks if mark.shape is Shape.SQUARE
    ]
    assert squares
    assert {mark.value for mark in squares} <= buses
    assert max(mark.value for mark in squares) <= line.value
    assert "bus bytes" in rates.note


def test_a_card_has_the_line_of_bus_bytes_only_where_it_shows_as_many() -> None:
    for one, card in zip(first_of_each(HEADLINES), key_cards(RUN, HEADLINES, str), strict=True):
        buses = [
            e.value
            for e in RUN.estimates
            if e.unit == BUS_BYTES_PER_SECOND and e.point == one.estimate.point
        ]
        assert bool(card.axis.references) == (buses == [one.estimate.value])
