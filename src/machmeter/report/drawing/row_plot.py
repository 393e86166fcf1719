"""A plot whose rows are a table: label, value, interval and verdict as text, and the drawing.

Everything is placed in percent of one axis, so that the page needs no script to draw it and text
keeps its size at any width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

_LEAST_BAR = 2.2
"""Percent of the axis below which an interval is narrower than its mark."""
_LEAST_APART = 24
"""Percent of a narrow axis between two labels that do not touch."""
_LANE = 5
"""Pixels by which the marks of two series stand above and below the middle of their row."""


class Shape(StrEnum):
    """How a value is drawn; each shape says what is known of the value."""

    DOT = "dot"
    """A measured value of the first series."""
    SQUARE = "square"
    """A measured value of the second series."""
    HOLLOW = "hollow"
    """A measured value that decides nothing."""
    DIAMOND = "diamond"
    """A published, simulated or single value, which has no interval."""
    SMALL = "small"
    """One launch or pair."""
    BOUND = "bound"
    """An upper bound: a bar from the edge of the axis to it, with an arrow to the edge."""
    TICK = "tick"
    """The value of another machine."""
    KIN = "kin"
    """The same of a machine of the same kind."""
    THRESHOLD = "threshold"
    """What somebody demands at least."""
    BAR = "bar"
    """A count, drawn from the edge of the axis."""


class Weight(StrEnum):
    """How much a verdict weighs; its word says the same."""

    CLEAR = "clear"
    LIKELY = "likely"
    INCONCLUSIVE = "inconclusive"
    SLOWER = "slower"
    PLAIN = "plain"
    """No verdict."""


class Tick(Struct, frozen=True):
    """A labeled place on the axis."""

    value: float
    """In the unit of the axis."""
    text: str
    """Beside it."""


class ReferenceLine(Struct, frozen=True):
    """A line across all rows."""

    value: float
    """Where it stands."""
    limit: bool = False
    """Whether it is a limit, drawn dashed; else it parts better from worse, drawn solid."""
    low: float | None = None
    """Lower end of its interval, drawn as a band."""
    high: float | None = None
    """Upper end of its interval."""


class RowAxis(Struct, frozen=True):
    """The axis that all rows share."""

    low: float
    """Left end."""
    high: float
    """Right end."""
    ticks: tuple[Tick, ...]
    """Within the ends."""
    logarithmic: bool = False
    """Whether equal steps are equal ratios; both ends are above zero then."""
    references: tuple[ReferenceLine, ...] = ()
    """Lines across all rows."""

    def percent(self, value: float) -> float:
        """Where a value stands, in percent of the axis; beyond its ends at the nearer one."""
        if self.logarithmic:
            inside = max(value, self.low)
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def narrow_ticks(self) -> tuple[Tick, ...]:
        """Those whose labels have room on a narrow plot: 1x, or the last one, and what is apart."""
        even = [t for t in self.ticks for line in self.references if t.value == line.value]
        kept = (even or list(self.ticks))[-1:]
        for tick in sorted(self.ticks, key=lambda one: abs(self._at(one) - self._at(kept[0]))):
            if all(abs(self._at(tick) - self._at(one)) >= _LEAST_APART for one in kept):
                kept.append(tick)
        return tuple(tick for tick in self.ticks if tick in kept)

    def _at(self, tick: Tick) -> float:
        return self.percent(tick.value)


class Mark(Struct, frozen=True):
    """A value of a row."""

    value: float
    """In the unit of the axis."""
    low: float | None = None
    """Lower end of its interval; None where it has none."""
    high: float | None = None
    """Upper end of its interval."""
    shape: Shape = Shape.DOT
    """What is known of it."""
    series: int = 1
    """1 or 2, a color each."""


class PlotRow(Struct, frozen=True):
    """A row: what it is of, its value as text, and its marks."""

    label: str
    """What it is of; text between grave accents is code."""
    value: str
    """With its unit where the heading has none."""
    marks: tuple[Mark, ...] = ()
    """Its values; the last one is on top."""
    detail: str = ""
    """Below the label."""
    interval: str = ""
    """In brackets, after the value."""
    verdict: str = ""
    """The verdict in a word or two."""
    weight: Weight = Weight.PLAIN
    """How the verdict is set."""
    address: str = ""
    """Where the label leads."""


class RowGroup(Struct, frozen=True):
    """Rows below one heading."""

    rows: tuple[PlotRow, ...]
    """At least one."""
    title: str = ""
    """Empty for no heading."""


class LegendEntry(Struct, frozen=True):
    """What a mark means."""

    text: str
    """As text."""
    shape: Shape
    """The mark."""
    series: int = 1
    """Its color."""


class RowPlot(Struct, frozen=True):
    """A whole plot."""

    name: str
    """Unique on its page."""
    title: str
    """As a heading."""
    label_heading: str
    """Above the labels."""
    value_heading: str
    """Above the values: the quantity, its unit, and what the brackets are."""
    axis: RowAxis
    """Shared by all rows."""
    groups: tuple[RowGroup, ...]
    """In the order of the page."""
    note: str = ""
    """What to know when reading it."""
    legend: tuple[LegendEntry, ...] = ()
    """What the marks mean, where the words of the rows do not say it."""


class PlacedMark(Struct, frozen=True):
    """A mark in percent of the axis across and in pixels from the middle of its row down."""

    shape: Shape
    """What is drawn."""
    series: int
    """Its color."""
    at: float
    """Percent."""
    down: int
    """Pixels."""
    left: float | None
    """Percent where its bar begins; None without a bar."""
    right: float | None
    """Percent where its bar ends."""
    open_left: bool
    """Whether the bar goes on beyond the left edge."""
    open_right: bool
    """Whether it goes on beyond the right edge."""
    beyond: int
    """-1 or 1 where the value itself is beyond the left or the right edge; else 0."""


def placed(axis: RowAxis, row: PlotRow) -> tuple[PlacedMark, ...]:
    """The marks of a row; those of two series stand one above the other."""
    several = len({mark.series for mark in row.marks if mark.shape is not Shape.DIAMOND}) > 1
    marks = tuple(_placed(axis, mark, several=several) for mark in row.marks)
    return _spread(marks) if all(mark.shape is Shape.SMALL for mark in marks) else marks


def _spread(marks: Sequence[PlacedMark]) -> tuple[PlacedMark, ...]:
    """Several small marks in five lanes, so that those of one value stay apart."""
    if len(marks) < 2:
        return tuple(marks)
    return tuple(
        replace(mark, down=_LANE * (number * 2 % 5 - 2)) for number, mark in enumerate(marks)
    )


def _placed(axis: RowAxis, mark: Mark, *, several: bool) -> PlacedMark:
    beyond = (mark.value > axis.high) - (mark.value < axis.low)
    low, high = mark.low, mark.high
    from_edge = mark.shape in {Shape.BOUND, Shape.BAR}
    if from_edge:
        low, high = axis.low, mark.value
    left = right = None
    if not beyond and low is not None and high is not None:
        left, right = axis.percent(low), axis.percent(high)
        if right - left < _LEAST_BAR and not from_edge:
            left = right = None
    down = 0
    if several and mark.shape is not Shape.DIAMOND:
        down = -_LANE if mark.series == 1 else _LANE
    return PlacedMark(
        mark.shape,
        mark.series,
        axis.percent(mark.value),
        down,
        left,
        right,
        left is not None and low is not None and low < axis.low,
        right is not None and high is not None and high > axis.high,
        beyond,
    )


def beyond_text(axis: RowAxis, row: PlotRow) -> str:
    """What is written at the edge of a row whose value is beyond it; else empty."""
    if not any(m.beyond for m in placed(axis, row)):
        return ""
    return f"{row.value}, off scale" if len(row.marks) == 1 else "off scale"


def ends_of(marks: Sequence[Mark]) -> list[float]:
    """Values and ends of intervals."""
    every = [(mark.value, mark.low, mark.high) for mark in marks]
    return [end for ends in every for end in ends if end is not None]
