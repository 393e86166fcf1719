"""Key results as cards, and the results of a run against the limits that it measured itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.model.results.curves import Knee
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import BUS_BYTES_PER_SECOND, SECONDS, format_value
from machmeter.report.benchmarks.headlines import HeadlineResult, in_turns
from machmeter.report.benchmarks.selection import best, memory_traffic
from machmeter.report.drawing.row_axis import log_axis, value_axis
from machmeter.report.drawing.row_plot import (
    LegendEntry,
    Mark,
    PlotRow,
    ReferenceLine,
    RowAxis,
    RowGroup,
    RowPlot,
    Shape,
    ends_of,
)
from machmeter.text.numbers import NOTHING
from machmeter.text.plain import plain
from machmeter.text.results import level_texts, result_interval_text, value_text

MOST_CARDS = 6
_BYTE_RATE = "B/s"
Address = Callable[[Estimate], str]


class KeyCard(Struct, frozen=True):
    """A key result with its drawing on a scale of its own."""

    title: str
    """What it is."""
    row: PlotRow
    """Value, interval and mark."""
    axis: RowAxis
    """Its scale."""
    against: str
    """What gives it meaning; empty for nothing."""
    label: str
    """Under which parameters and layout."""


def key_cards(
    result: RunResult, headlines: Sequence[HeadlineResult], address: Address
) -> tuple[KeyCard, ...]:
    """The first result of each benchmark, then the second ones, up to six in the page's order.

    Layouts of one program share an axis, on which one sees which is faster.
    """
    shown = first_of_each(headlines)
    cards = tuple(_card(result, one, address) for one in shown)
    if not result.header.request.explores:
        return cards
    marks: dict[str, list[Mark]] = {}
    for one, card in zip(shown, cards, strict=True):
        marks.setdefault(one.estimate.metric, []).extend(card.row.marks)
    return tuple(
        replace(card, axis=value_axis(ends_of(marks[one.estimate.metric]), one.estimate.unit))
        for one, card in zip(shown, cards, strict=True)
    )


def first_of_each(headlines: Sequence[HeadlineResult]) -> list[HeadlineResult]:
    """At most six: no benchmark has its second before every benchmark has its first."""
    return [headlines[position] for position in sorted(in_turns(headlines)[:MOST_CARDS])]


def _card(result: RunResult, one: HeadlineResult, address: Address) -> KeyCard:
    estimate = one.estimate
    bus = _bus_bytes(result, estimate)
    row = _row(one, address, "")
    # A limit of bus bytes beside bytes that differ from them would be read as one quantity.
    limit = _peak_traffic(result) if bus and bus.value == estimate.value else ()
    axis = value_axis(ends_of(row.marks), estimate.unit, limit)
    return KeyCard(plain(one.title, 80), row, axis, plain(one.against, 120), one.label)


def mark_of(estimate: Estimate) -> Mark:
    """A value with its interval, an upper bound, or a value of one launch."""
    if not estimate.resolved:
        bound = 0.0 if not estimate.is_bounded else max(estimate.high, 0.0)
        return Mark(bound, shape=Shape.BOUND)
    if not estimate.is_bounded:
        return Mark(estimate.value, shape=Shape.DIAMOND)
    return Mark(estimate.value, estimate.low, estimate.high)


def limit_plots(
    result: RunResult, headlines: Sequence[HeadlineResult], address: Address
) -> tuple[RowPlot, ...]:
    """Rates on one axis with the peak traffic, and times on one axis with the cache levels; none of
    a program, which the run compares with no limit."""
    if result.header.request.explores:
        return ()
    rates = [one for one in headlines if one.estimate.unit.symbol == _BYTE_RATE]
    times = [one for one in headlines if one.estimate.unit == SECONDS and one.estimate.resolved]
    plots = (_rates(result, rates, address), _times(result, times, address))
    return tuple(plot for plot in plots if plot)


def _rates(result: RunResult, found: Sequence[HeadlineResult], address: Address) -> RowPlot | None:
    if len(found) < 2:
        return None
    buses = [(one, _bus_bytes(result, one.estimate)) for one in found]
    limit = _peak_traffic(result) if any(bus for _, bus in buses) else ()
    rows = tuple(
        replace(_row(one, address, one.label), marks=(*_traffic(bus), mark_of(one.estimate)))
        for one, bus in buses
    )
    ends = ends_of([mark for row in rows for mark in row.marks])
    legend = (
        LegendEntry("bytes that the program names", Shape.DOT),
        LegendEntry("bus bytes of the same result, write-allocate assumed", Shape.SQUARE, 2),
    )
    return RowPlot(
        "rates",
        "Bandwidth",
        "Result",
        "Value [95 %]",
        value_axis(ends, found[0].estimate.unit, limit),
        (RowGroup(rows),),
        "Dashed: the most bus bytes of this run; squares compare with it." * bool(limit),
        legend * bool(limit),
    )


def _traffic(bus: Estimate | None) -> tuple[Mark, ...]:
    return (replace(mark_of(bus), shape=Shape.SQUARE, series=2),) if bus and bus.resolved else ()


def _times(result: RunResult, found: Sequence[HeadlineResult], address: Address) -> RowPlot | None:
    levels = _levels(result)
    if len(found) + len(levels) < 2 or not found:
        return None
    rows = (*levels, *(_row(one, address, one.label) for one in _by_value(found)))
    ends = ends_of([mark for row in rows for mark in row.marks])
    return RowPlot(
        "times",
        "Time, from the shortest to the longest",
        "Result",
        "Value [95 %]",
        log_axis(ends, SECONDS),
        (RowGroup(rows),),
        "Logarithmic: each step to the right is a ratio.",
        (LegendEntry("cache level, from the curve of latency over size", Shape.SMALL),)
        * bool(levels),
    )


def _by_value(found: Sequence[HeadlineResult]) -> list[HeadlineResult]:
    return sorted(found, key=lambda one: one.estimate.value)


def _levels(result: RunResult) -> tuple[PlotRow, ...]:
    """The cache levels that the latency curve shows, under the largest pages."""
    if not result.knees:
        return ()
    knees = result.knees[max(result.knees, key=int)]
    names = level_texts(knees, result.header.machine.topology)
    return tuple(_level(*one) for one in zip(names, knees, strict=True) if one[1].size_bytes)


def _level(name: str, knee: Knee) -> PlotRow:
    value = knee.latency_seconds
    mark = Mark(value, shape=Shape.SMALL)
    return PlotRow(name, format_value(value, SECONDS), (mark,))


def _row(one: HeadlineResult, address: Address, detail: str) -> PlotRow:
    interval = result_interval_text(one.estimate)
    return PlotRow(
        label=plain(one.title, 80),
        value=value_text(one.estimate),
        marks=(mark_of(one.estimate),),
        detail=plain(detail, 160),
        interval="" if interval == NOTHING else interval,
        address=address(one.estimate),
    )


def _bus_bytes(result: RunResult, estimate: Estimate) -> Estimate | None:
    """The memory traffic of the same point; None where it has none."""
    return next(
        (
            e
            for e in result.estimates
            if e.unit == BUS_BYTES_PER_SECOND and e.point == estimate.point
        ),
        None,
    )


def _peak_traffic(result: RunResult) -> tuple[ReferenceLine, ...]:
    ceiling = best(memory_traffic(result.estimates))
    if ceiling is None:
        return ()
    known = ceiling.is_bounded
    ends = (ceiling.low, ceiling.high) if known else (None, None)
    return (ReferenceLine(ceiling.value, True, *ends),)
