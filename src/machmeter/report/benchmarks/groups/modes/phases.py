"""Where the time of each code goes in each launch mode: shares of its phases, as stacked bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from machmeter.benchmarks.catalogue import known
from machmeter.model.display import CurveChart, CurveForm
from machmeter.model.layout import LaunchMode
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.modes.matrix import ModeMatrix, ModeRow
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    Channel,
    Encoding,
    data_of,
    facet,
    layer,
    mark,
    nominal,
    only,
    ordinal,
    quantitative,
    until,
)
from machmeter.report.drawing.panels import WIDTH, short, tooltip
from machmeter.report.drawing.theme import HEAT_STEPS
from machmeter.report.table import Table
from machmeter.text.layouts import mode_text
from machmeter.text.plain import plain
from machmeter.text.ratios import percent_text
from machmeter.text.results import value_with_interval

_REST = "Rest"
_COLUMNS, _BAR, _SPACING = 2, 22, 12
_LEAST_LABELED = 0.08
ByTitle = Mapping[str, Estimate]


class CodePhases(Struct, frozen=True):
    """Where the time of a code goes."""

    name: str
    """The code, as in the matrix."""
    by_mode: Mapping[LaunchMode, ByTitle]
    """The share of each phase, by its title, in the order of the benchmark."""


def code_phases(result: RunResult, matrix: ModeMatrix) -> tuple[CodePhases, ...]:
    """The codes of the matrix whose benchmarks show shares of phases."""
    by_point: dict[Point, dict[str, Estimate]] = {}
    for one in result.estimates:
        if one.metric in _shown(result, one.point.benchmark):
            by_point.setdefault(one.point, {})[one.title] = one
    found = (CodePhases(row.name, _of_row(row, by_point)) for row in matrix.rows)
    return tuple(one for one in found if one.by_mode)


def _of_row(row: ModeRow, by_point: Mapping[Point, ByTitle]) -> Mapping[LaunchMode, ByTitle]:
    of_modes = (
        (mode, by_point.get(row.results[mode].point)) for mode in LaunchMode if mode in row.results
    )
    return {mode: shares for mode, shares in of_modes if shares}


def _shown(result: RunResult, benchmark: str) -> tuple[str, ...]:
    """The metrics of the chart of shares that the benchmark declares."""
    declared = known(benchmark, result.header.request.study.benchmarks)
    charts = declared.display.charts if declared else ()
    return tuple(
        name
        for one in charts
        if isinstance(one, CurveChart) and one.form is CurveForm.SHARES
        for name in one.select.metrics
    )


def phase_chart(codes: Sequence[CodePhases]) -> Chart:
    """A panel for each code, in it a bar for each mode, its phases one behind the other."""
    rows = [row for one in codes for row in _rows(one)]
    modes = [mode_text(m) for m in LaunchMode if any(m in one.by_mode for one in codes)]
    titles = [*(plain(title, 60) for title in _titles(codes)), _REST]
    y = nominal("mode", title=None, sort=modes, scale={"domain": modes})
    axis = {"values": [0, 50, 100], "grid": False}
    x = quantitative("low", title="share of time, %", scale={"domain": [0, 100]}, axis=axis)
    box: Encoding = {"x": x, "x2": until("high"), "y": y, "color": _shades(titles)}
    data = data_of(rows)
    text: Encoding = {"x": quantitative("middle"), "y": y, "text": nominal("text")}
    bars = layer(
        mark("bar", data, {**box, "tooltip": tooltip()}),
        mark("text", data, text, [only("datum.text !== ''")], style="ink", fontSize=10.5),
    ).properties(width=WIDTH // _COLUMNS - 40, height=_BAR * len(modes))
    header = {"title": None, "labelFontSize": 12, "labelFontWeight": 500}
    by = nominal("panel", sort=[one.name for one in codes], header=header)
    return draw(
        "launch-modes-phases",
        "Where the time goes in each launch mode",
        f"Stacked bars, a panel for each of {len(codes)} codes and a bar for each launch mode: "
        f"percent of the ranks' time in {', '.join(titles)}. The table has every number.",
        facet(bars, by, _COLUMNS, _SPACING),
        "From left to right in the order of the legend; numbers are percent.",
    )


def phase_table(codes: Sequence[CodePhases]) -> Table:
    """The same shares with their intervals."""
    titles = _titles(codes)
    rows = tuple(
        (
            one.name,
            mode_text(mode),
            *(value_with_interval(shares.get(title)) for title in titles),
            percent_text(_rest(shares)),
        )
        for one in codes
        for mode, shares in one.by_mode.items()
    )
    return Table(
        "Launch modes: shares of time by phase",
        ("code", "mode", *(plain(title, 60).lower() for title in titles), _REST.lower()),
        rows,
        tuple(range(2, 3 + len(titles))),
        labels=2,
    )


def _titles(codes: Sequence[CodePhases]) -> list[str]:
    """Every phase once; the codes that have most of them give the order."""
    every = [shares for one in codes for shares in one.by_mode.values()]
    return list(dict.fromkeys(t for shares in sorted(every, key=len, reverse=True) for t in shares))


def _rest(shares: ByTitle) -> float:
    return max(1 - sum(one.value for one in shares.values()), 0.0)


def _rows(code: CodePhases) -> Iterator[Row]:
    for mode, shares in code.by_mode.items():
        parts = [(title, one.value, value_with_interval(one)) for title, one in shares.items()]
        rest = _rest(shares)
        begin = 0.0
        for title, share, label in [*parts, (_REST, rest, percent_text(rest))]:
            yield {
                "panel": plain(code.name, 120),
                "mode": mode_text(mode),
                "series": plain(title, 60),
                "low": short(100 * begin),
                "middle": short(100 * (begin + share / 2)),
                "high": short(100 * (begin + share)),
                "text": f"{100 * share:.0f}" if share >= _LEAST_LABELED else "",
                "label": f"{mode_text(mode)}: {label}",
            }
            begin += share


def _shades(titles: Sequence[str]) -> Channel:
    """Steps of heat as far apart as there are, the first phase the darkest: text stays readable."""
    last = max(len(titles), HEAT_STEPS) - 1
    # Steps that no phase has keep a name of spaces, which the legend leaves out.
    domain = [" " * (1 + step) for step in range(last + 1)]
    for number, title in enumerate(titles):
        domain[round(last * (1 - number / max(len(titles) - 1, 1)))] = title
    legend = {"title": None, "values": list(titles), "symbolType": "square"}
    return ordinal("series", scale={"domain": domain, "range": "heatmap"}, legend=legend)
