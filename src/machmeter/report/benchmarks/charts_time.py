"""Charts of `memory.timeline`: bandwidth over time, with migrations and changes of level."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import STREAM_BYTES_PER_SECOND, format_value, scale_for
from machmeter.report.benchmarks.timeline import Timeline, timelines
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw, inline
from machmeter.report.drawing.heat import log_middle
from machmeter.report.drawing.panels import WIDTH, Panel, short, stack
from machmeter.text.layouts import binding_text
from machmeter.text.numbers import count_text

_HEIGHT = 170
_MOST_MARKS = 200


def timeline_charts(result: RunResult, _estimates: tuple[Estimate, ...]) -> list[Chart]:
    """One panel a binding, on one scale of bandwidth."""
    found = timelines(result)
    if not found:
        return []
    factor, symbol = scale_for(
        log_middle([rate for one in found for rate in one.rates]), STREAM_BYTES_PER_SECOND
    )
    top = max(max(one.rates) for one in found) / factor
    panels = [_panel(one, factor, symbol, top) for one in found]
    thinned = max(bucket.slices for one in found for bucket in one.buckets())
    note = "Ticks at the foot: slices in which a thread changed its CPU. Dashed: the level changes."
    if thinned > 1:
        note += f" Thinned: line the median, band the range of {thinned} slices next to each other."
    return [
        draw(
            "memory-timeline",
            "Triad bandwidth over time",
            "Bandwidth of the triad over time in STREAM bytes, one panel a binding; ticks where "
            "threads migrated, dashed lines where the level changes.",
            stack(*panels),
            note,
        )
    ]


def _panel(one: Timeline, factor: float, symbol: str, top: float) -> Panel:
    name = binding_text(one.shown.point.layout.binding)
    rows: list[Row] = [
        {
            "x": short(bucket.at),
            "value": short(bucket.median / factor),
            "low": short(bucket.low / factor),
            "high": short(bucket.high / factor),
            "moved": bucket.migrations,
        }
        for bucket in one.buckets()
    ]
    x = alt.X("x:Q", title="seconds", axis=alt.Axis(grid=False))
    y = alt.Y(
        "value:Q",
        title=f"{name}, {symbol}",
        scale=alt.Scale(domain=[0, short(1.05 * top)], nice=False),
        axis=alt.Axis(tickCount=5, format="~r"),
    )
    base = alt.Chart(inline(rows)).encode(x=x)
    layers = [
        base.mark_area(style="accent", opacity=0.25, line=False).encode(
            y=alt.Y("low:Q", title=y["title"], scale=y["scale"], axis=y["axis"]), y2="high:Q"
        ),
        base.mark_line(style="accent", strokeWidth=1.4).encode(y=y),
    ]
    layers += _migrations(rows) + _changes(one)
    return alt.layer(*layers).properties(width=WIDTH, height=_HEIGHT)


def _migrations(rows: Sequence[Row]) -> list[alt.Chart]:
    moved = [{"x": r["x"], "words": _moved(r["moved"])} for r in rows if r["moved"]]
    if not moved:
        return []
    ticks = alt.Chart(inline(moved)).mark_tick(
        style="event", orient="vertical", thickness=1.5, size=10, yOffset=-5
    )
    tip = alt.Tooltip("words:N", title=" ")
    return [ticks.encode(x="x:Q", y=alt.value(_HEIGHT), tooltip=[tip])]


def _moved(count: int) -> str:
    return count_text(count, "migration", "migrations")


def _changes(one: Timeline) -> list[alt.Chart]:
    changes = one.changes()[:_MOST_MARKS]
    if not changes:
        return []
    unit = STREAM_BYTES_PER_SECOND
    rows = [
        {
            "x": short(at),
            "words": f"from {format_value(change.before, unit)} to "
            f"{format_value(change.after, unit)}",
        }
        for at, change in changes
    ]
    rules = alt.Chart(inline(rows)).mark_rule(style="guide")
    return [rules.encode(x="x:Q", tooltip=[alt.Tooltip("words:N", title=" ")])]
