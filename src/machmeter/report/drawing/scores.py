"""The chart of a score: its components side by side, and the score among them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from machmeter.analysis.scores.scores import Component, Score, ScoreKind, component_bounds
from machmeter.model.units import FLOPS, is_unbounded, scale_for
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.forest_panel import forest_panel
from machmeter.report.drawing.panels import short
from machmeter.report.views.forest import MOST_LINES, evenly
from machmeter.text.numbers import NO_INTERVAL, count_text
from machmeter.text.plain import plain
from machmeter.text.scores import score_interval, score_name, score_number


def score_chart(scores: Sequence[Score], titles: Mapping[str, str]) -> Chart | None:
    """Components, the largest first, each of all machines, then the scores with both intervals.

    None without a score, and of one code alone, which is the score. Of SSP the components alone:
    rates of one node and of a whole machine have no axis in common. titles: of machines, by id.
    """
    if max((len(score.components) for score in scores), default=0) < 2:
        return None
    names = [_title(score, titles) for score in scores]
    most = max(MOST_LINES // len(scores), 2)
    factor, symbol = _scale(scores)
    rows: list[Row] = [_heading("Components")]
    for code in _codes(scores, most):
        for score, name in zip(scores, names, strict=True):
            rows += [
                _component(one, score, name, factor) for one in score.components if one.name == code
            ]
    if scores[0].kind is not ScoreKind.SSP:
        rows.append(_heading(f"{score_name(scores[0]).capitalize()} over them"))
        rows += [
            row for score, name in zip(scores, names, strict=True) for row in _ends(score, name)
        ]
    placed = [_named({"y": y, **row}, several=len(names) > 1) for y, row in enumerate(rows)]
    title = f"rate of one node, {symbol}, logarithmic" if symbol else "ratio, logarithmic"
    plot = forest_panel(placed, names, title, None if symbol else 1.0)
    return draw(
        f"score-{scores[0].kind.value}",
        f"Components of the {score_name(scores[0])}" + " and the score among them" * (not symbol),
        _description(scores, names),
        plot,
        _note(scores, most),
    )


def _title(score: Score, titles: Mapping[str, str]) -> str:
    return titles.get(score.machine, plain(score.machine, 60))


def _codes(scores: Sequence[Score], most: int) -> list[str]:
    """Codes by what they come to on the first machine; scores of several are over the same."""
    ordered = sorted(scores[0].components, key=lambda one: -one.value)
    return [one.name for one in evenly(ordered, most)]


def _scale(scores: Sequence[Score]) -> tuple[float, str]:
    """The factor and symbol of the axis of rates; ratios have none."""
    if scores[0].kind is not ScoreKind.SSP:
        return 1.0, ""
    logs = [math.log(one.value) for score in scores for one in score.components]
    return scale_for(math.exp(sum(logs) / len(logs)), FLOPS)


def _heading(text: str) -> Row:
    return {"heading": text}


def _component(one: Component, score: Score, series: str, factor: float) -> Row:
    low, high = component_bounds(one)
    within = score_interval(one.value, low, high, score.kind) or NO_INTERVAL
    return _line(
        series,
        plain(one.name, 120),
        one.value / factor,
        None if one.as_printed else (low / factor, high / factor),
        f"{score_number(one.value, score.kind)} {within}",
        known=not one.as_printed,
    )


def _ends(score: Score, series: str) -> list[Row]:
    """The score twice: with what was measured of it, and with what other codes would make it."""
    number = score_number(score.value, score.kind)
    spans = (
        ("measurement", score.low, score.high),
        ("choice of codes", score.workload_low, score.workload_high),
    )
    found = []
    for name, low, high in spans:
        bounds = None if is_unbounded(high) else (low, high)
        numbers = f"{number} {score_interval(score.value, low, high, score.kind) or NO_INTERVAL}"
        known = not score.as_printed
        found.append(_line(series, name, score.value, bounds, numbers, known=known))
    return found


def _line(
    series: str,
    name: str,
    value: float,
    bounds: tuple[float, float] | None,
    numbers: str,
    *,
    known: bool,
) -> Row:
    low, high = bounds or (value, value)
    return {
        "series": series,
        "name": name,
        "value": short(value),
        "low": short(low),
        "high": short(high),
        "known": known,
        "numbers": numbers,
        "label": f"{name}: {numbers}",
    }


def _named(row: Row, *, several: bool) -> Row:
    """Of several machines each line says which it is of."""
    if several and "value" in row:
        return row | {"name": f"{row['name']} · {row['series']}"}
    return row


def _description(scores: Sequence[Score], names: Sequence[str]) -> str:
    parts = "; ".join(
        f"{name}: {count_text(len(score.components), 'component', 'components')} from "
        f"{score_number(min(c.value for c in score.components), score.kind)} to "
        f"{score_number(max(c.value for c in score.components), score.kind)}, "
        f"{score_name(score)} {score_number(score.value, score.kind)}"
        for score, name in zip(scores, names, strict=True)
    )
    return f"Components of a score with their intervals. {parts}. The tables have every number."


def _note(scores: Sequence[Score], most: int) -> str:
    every = [one for score in scores for one in score.components]
    parts = []
    if not all(one.as_printed for one in every):
        parts.append("Lines are 95 % intervals.")
    if any(one.as_printed for one in every):
        parts.append(
            "A hollow mark rests on published, simulated or single values: they have no interval."
        )
    if scores[0].kind is not ScoreKind.SSP:
        parts.append(
            "The score is drawn twice: with the interval of the measurement, and with that of the "
            "choice of codes."
        )
    drawn = sum(min(most, len(score.components)) for score in scores)
    if drawn < len(every):
        parts.append(f"{drawn} of {len(every)} components; the tables have the others.")
    return " ".join(parts)
