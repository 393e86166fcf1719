"""Charts of histories: a figure over its runs, with intervals, levels and changes."""

from __future__ import annotations

import math

from machmeter.model.results.history import ChangeKind, ResultHistory
from machmeter.model.units import SHARE, scale_for
from machmeter.report.drawing.axes import Row, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    Panel,
    data_of,
    layer,
    mark,
    nominal,
    quantitative,
    temporal,
    until,
)
from machmeter.report.drawing.panels import WIDTH, short
from machmeter.text.history import history_value_text, kind_text, step_text
from machmeter.text.numbers import count_text, time_text
from machmeter.text.plain import plain

_HEIGHT = 220
_NOTE = "Bars: 95 % intervals over launches. Steps: levels over runs. Dashed: where one begins."


def history_chart(number: int, name: str, result: ResultHistory) -> Chart:
    """One figure over its runs; `number` makes the chart's name unique on its page."""
    factor, symbol = _scale(result)
    better = "lower" if result.direction.value.startswith("lower") else "higher"
    title = plain(f"{result.benchmark} {name}", 200)
    return draw(
        f"history-{number}",
        title,
        _description(result, title),
        layer(*_layers(result, factor, f"{symbol}, {better} is better")).properties(
            width=WIDTH, height=_HEIGHT
        ),
        _NOTE,
    )


def _layers(result: ResultHistory, factor: float, title: str) -> list[Panel]:
    """Intervals, values, levels, and where one begins."""
    x = temporal(
        "at",
        title="run started (UTC)",
        scale={"type": "utc"},
        axis={"grid": False, "format": "%Y-%m-%d", "labelAngle": 0},
    )
    y = quantitative(
        "value", title=title, scale={"zero": False}, axis={"tickCount": 5, "format": "~r"}
    )
    values, steps = data_of(_value_rows(result, factor)), data_of(_level_rows(result, factor))
    tip = [nominal("words", title=" ")]
    within = {"x": x, "y": renamed(y, "low"), "y2": until("high")}
    level = {"x": temporal("at"), "x2": until("until"), "y": quantitative("value")}
    layers = [
        mark("rule", values, within, style="accent", opacity=0.45),
        mark(
            "point", values, {"x": x, "y": y, "tooltip": tip}, style="accent", filled=True, size=34
        ),
        mark("rule", steps, level, style="ink", strokeWidth=1.6),
    ]
    if rows := _change_rows(result):
        begins = {"x": temporal("at"), "tooltip": tip}
        layers.append(mark("rule", data_of(rows), begins, style="guide"))
    return layers


def levels_of(result: ResultHistory) -> tuple[tuple[int, int, float], ...]:
    """First and last position of each level among the values, and the level, in the base unit."""
    changes = [c for c in result.changes if c.kind is not ChangeKind.UNCONFIRMED]
    if not changes:
        return ()
    position = {one.run: number for number, one in enumerate(result.values)}
    found = [(0, position[changes[0].last_run], changes[0].step.before)]
    for change, following in zip(changes, [*changes[1:], None], strict=True):
        last = position[following.last_run] if following else len(result.values) - 1
        found.append((position[change.first_run], last, change.step.after))
    return tuple(found)


def _scale(result: ResultHistory) -> tuple[float, str]:
    if result.unit == SHARE:
        return 0.01, "%"
    logs = [math.log(one.value) for one in result.values if one.value > 0]
    return scale_for(math.exp(sum(logs) / len(logs)) if logs else 1.0, result.unit)


def _value_rows(result: ResultHistory, factor: float) -> list[Row]:
    return [
        {
            "at": one.started,
            "value": short(one.value / factor),
            "low": short((one.value if not one.is_bounded else one.low) / factor),
            "high": short((one.value if not one.is_bounded else one.high) / factor),
            "words": f"{history_value_text(one, result.unit)}, run {plain(one.run, 60)}",
        }
        for one in result.values
    ]


def _level_rows(result: ResultHistory, factor: float) -> list[Row]:
    return [
        {
            "at": result.values[first].started,
            "until": result.values[last].started,
            "value": short(level / factor),
        }
        for first, last, level in levels_of(result)
    ]


def _change_rows(result: ResultHistory) -> list[Row]:
    return [
        {
            "at": change.started,
            "words": f"{kind_text(change, result.unit)}: {step_text(change.step, result.unit)}, "
            f"from run {plain(change.first_run, 60)} on",
        }
        for change in result.changes
    ]


def _description(result: ResultHistory, title: str) -> str:
    group = "; ".join(
        f"{kind_text(change, result.unit)} from {time_text(change.started)} on, "
        f"{step_text(change.step, result.unit)}"
        for change in result.changes
    )
    runs = count_text(len(result.values), "run", "runs")
    return f"{title} over {runs}: {group or 'no change'}."
