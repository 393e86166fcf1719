"""Key results among machines of today as a section of a page: of their limits, and as ratios."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.normal.report import KeyResult, NormalReport
from machmeter.model.benchmark import Direction
from machmeter.model.units import SHARE
from machmeter.report.drawing.row_axis import ratio_axis, value_axis
from machmeter.report.drawing.row_plot import (
    LegendEntry,
    Mark,
    PlotRow,
    ReferenceLine,
    RowGroup,
    RowPlot,
    Shape,
    Weight,
    ends_of,
)
from machmeter.report.normal.axis import is_kin, spots_of
from machmeter.report.normal.document import normal_document, position_text, said_of, verdict_text
from machmeter.report.table import Table
from machmeter.text.numbers import NOTHING
from machmeter.text.plain import capitalized, plain
from machmeter.text.ratios import percent_text
from machmeter.text.results import result_interval_text, value_text

_LEGEND = {
    Shape.DOT: "this machine, 95 % confidence interval",
    Shape.DIAMOND: "this machine, without an interval that bounds it",
    Shape.KIN: "a machine with processors of the same generation",
    Shape.TICK: "another machine",
    Shape.THRESHOLD: "what a site demands at least",
}


class NormalSection(Struct, frozen=True):
    """What a page shows of whether results are normal."""

    conclusion: str
    """In a sentence."""
    lines: tuple[str, ...]
    """What the counts mean."""
    plots: tuple[RowPlot, ...]
    """Those that have a row."""
    tables: tuple[Table, ...]
    """Every machine with its value, its definition, its source and its address."""


def normal_section(report: NormalReport) -> NormalSection:
    """The section of one machine."""
    document = normal_document(report, every=True)
    # What has no caption says what the plots say.
    tables = tuple(one for one in document.tables if one.caption)
    return NormalSection(
        capitalized(verdict_text(report)), said_of(report), normal_plots(report), tables
    )


def normal_plots(report: NormalReport) -> tuple[RowPlot, ...]:
    """What has a limit on one axis of shares, whoever has it beside; the rest as ratios."""
    of_limit = [one for one in report.results if one.position.share]
    by_value = [one for one in report.results if one.position.others and not one.position.share]
    plots = (_of_limits(of_limit, report), _by_values(by_value, report))
    return tuple(plot for plot in plots if plot)


def _of_limits(found: Sequence[KeyResult], report: NormalReport) -> RowPlot | None:
    if not found:
        return None
    rows = tuple(_row(one, report, share=True) for one in found)
    ends = ends_of([mark for row in rows for mark in row.marks])
    return RowPlot(
        "normal-limits",
        "Of what the hardware can at most",
        "Key result",
        "Value [95 %]",
        value_axis(ends, SHARE, (ReferenceLine(1.0, limit=True),)),
        (RowGroup(rows),),
        "Dashed: the limit. Each machine is a share of what its own hardware can.",
        _legend(rows),
    )


def _by_values(found: Sequence[KeyResult], report: NormalReport) -> RowPlot | None:
    if not found:
        return None
    rows = tuple(_row(one, report, share=False) for one in found)
    return RowPlot(
        "normal-values",
        "Other machines over this one",
        "Key result",
        "Value [95 %]",
        ratio_axis(ends_of([mark for row in rows for mark in row.marks])),
        (RowGroup(rows),),
        "Right of 1x the other machine is better.",
        _legend(rows),
    )


def _row(one: KeyResult, report: NormalReport, *, share: bool) -> PlotRow:
    position, spots = one.position, spots_of(one.position)
    higher = position.estimate.direction is Direction.HIGHER
    if share:
        own, low, high = spots.own, spots.low, spots.high
        others = [spot.value for spot in spots.others]
    else:
        own = 1.0
        low, high = sorted(_ratio(end, spots.own, higher=higher) for end in (spots.low, spots.high))
        others = [_ratio(spot.value, spots.own, higher=higher) for spot in spots.others]
    marks = [
        Mark(
            value,
            shape=_shape(spot.other.is_threshold, is_kin(spot.other, report.machine.generation)),
        )
        for value, spot in zip(others, spots.others, strict=True)
    ]
    mine = Mark(own, low, high) if spots.has_interval else Mark(own, shape=Shape.DIAMOND)
    interval = result_interval_text(position.estimate)
    said = position_text(position) if position.others or position.is_unusual else ""
    return PlotRow(
        label=plain(one.title, 80),
        value=value_text(position.estimate),
        marks=(*marks, mine),
        detail=plain("; ".join(filter(None, (one.label, said))), 200),
        interval="" if interval == NOTHING else interval,
        verdict=percent_text(spots.own) if share else "",
        weight=Weight.SLOWER if position.is_unusual else Weight.PLAIN,
    )


def _ratio(value: float, own: float, *, higher: bool) -> float:
    """Above 1 where the value is better."""
    return value / own if higher else own / value


def _shape(is_threshold: bool, kin: bool) -> Shape:
    if is_threshold:
        return Shape.THRESHOLD
    return Shape.KIN if kin else Shape.TICK


def _legend(rows: Sequence[PlotRow]) -> tuple[LegendEntry, ...]:
    drawn = {mark.shape for row in rows for mark in row.marks}
    return tuple(LegendEntry(text, shape) for shape, text in _LEGEND.items() if shape in drawn)
