"""Charts of histories: a figure over its runs, with intervals, levels and changes.

Importing this module loads Altair: import it only where a page is written.
"""

from __future__ import annotations

import math

import altair as alt

from machmeter.model.results.history import ChangeKind, ResultHistory
from machmeter.model.units import SHARE, is_unbounded, scale_for
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw, inline
from machmeter.report.drawing.panels import WIDTH, short
from machmeter.text.history_words import kind_text, step_text, value_text
from machmeter.text.numbers import count_text, time_text
from machmeter.text.plain import plain

_HEIGHT = 220
_NOTE = "Bars: 95 % intervals over launches. Steps: levels over runs. Dashed: where one begins."


def history_chart(number: int, name: str, figure: ResultHistory) -> Chart:
    """One figure over its runs; `number` makes the chart's name unique on its page."""
    factor, symbol = _scale(figure)
    better = "lower" if figure.direction.value.startswith("lower") else "higher"
    x = alt.X(
        "at:T",
        title="run started (UTC)",
        scale=alt.Scale(type="utc"),
        axis=alt.Axis(grid=False, format="%Y-%m-%d", labelAngle=0),
    )
    y = alt.Y(
        "value:Q",
        title=f"{symbol}, {better} is better",
        scale=alt.Scale(zero=False),
        axis=alt.Axis(tickCount=5, format="~r"),
    )
    values = alt.Chart(inline(_value_rows(figure, factor))).encode(x=x)
    tip = [alt.Tooltip("words:N", title=" ")]
    layers = [
        values.mark_rule(style="accent", opacity=0.45).encode(
            y=alt.Y("low:Q", title=y["title"], scale=y["scale"], axis=y["axis"]), y2="high:Q"
        ),
        values.mark_point(style="accent", filled=True, size=34).encode(y=y, tooltip=tip),
    ]
    steps = alt.Chart(inline(_level_rows(figure, factor)))
    layers.append(
        steps.mark_rule(style="ink", strokeWidth=1.6).encode(x="at:T", x2="until:T", y="value:Q")
    )
    rows = _change_rows(figure)
    if rows:
        rules = alt.Chart(inline(rows)).mark_rule(style="guide")
        layers.append(rules.encode(x="at:T", tooltip=tip))
    title = plain(f"{figure.benchmark} {name}", 200)
    return draw(
        f"history-{number}",
        title,
        _description(figure, title),
        alt.layer(*layers).properties(width=WIDTH, height=_HEIGHT),
        _NOTE,
    )


def levels_of(figure: ResultHistory) -> tuple[tuple[int, int, float], ...]:
    """First and last position of each level among the values, and the level, in the base unit."""
    changes = [c for c in figure.changes if c.kind is not ChangeKind.UNCONFIRMED]
    if not changes:
        return ()
    position = {one.run: number for number, one in enumerate(figure.values)}
    found = [(0, position[changes[0].last_run], changes[0].step.before)]
    for change, following in zip(changes, [*changes[1:], None], strict=True):
        last = position[following.last_run] if following else len(figure.values) - 1
        found.append((position[change.first_run], last, change.step.after))
    return tuple(found)


def _scale(figure: ResultHistory) -> tuple[float, str]:
    if figure.unit == SHARE:
        return 0.01, "%"
    logs = [math.log(one.value) for one in figure.values if one.value > 0]
    return scale_for(math.exp(sum(logs) / len(logs)) if logs else 1.0, figure.unit)


def _value_rows(figure: ResultHistory, factor: float) -> list[Row]:
    return [
        {
            "at": one.started,
            "value": short(one.value / factor),
            "low": short((one.value if is_unbounded(one.high) else one.low) / factor),
            "high": short((one.value if is_unbounded(one.high) else one.high) / factor),
            "words": f"{value_text(one, figure.unit)}, run {plain(one.run, 60)}",
        }
        for one in figure.values
    ]


def _level_rows(figure: ResultHistory, factor: float) -> list[Row]:
    return [
        {
            "at": figure.values[first].started,
            "until": figure.values[last].started,
            "value": short(level / factor),
        }
        for first, last, level in levels_of(figure)
    ]


def _change_rows(figure: ResultHistory) -> list[Row]:
    return [
        {
            "at": change.started,
            "words": f"{kind_text(change, figure.unit)}: {step_text(change.step, figure.unit)}, "
            f"from run {plain(change.first_run, 60)} on",
        }
        for change in figure.changes
    ]


def _description(figure: ResultHistory, title: str) -> str:
    told = "; ".join(
        f"{kind_text(change, figure.unit)} from {time_text(change.started)} on, "
        f"{step_text(change.step, figure.unit)}"
        for change in figure.changes
    )
    runs = count_text(len(figure.values), "run", "runs")
    return f"{title} over {runs}: {told or 'no change'}."
