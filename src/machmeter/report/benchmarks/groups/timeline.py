"""A rate over time as one launch recorded it: series, chart and tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from machmeter.analysis.history.change_points import ChangePoint, change_points, stability
from machmeter.model.benchmark import Metric, Value
from machmeter.model.point import Point
from machmeter.model.results.run import ShownPoint
from machmeter.model.units import Unit, format_value, scale_for
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import log_middle
from machmeter.report.drawing.panel import (
    Channel,
    Panel,
    data_of,
    fixed,
    layer,
    mark,
    nominal,
    quantitative,
    stack,
    until,
)
from machmeter.report.drawing.panels import WIDTH, short
from machmeter.report.table import Table, TableRow
from machmeter.text.layouts import binding_text
from machmeter.text.numbers import NOTHING, count_text

MOST_BUCKETS = 400


_MOST_SLICES = 1_000_000


_CPU = "cpu."


class Bucket(Struct, frozen=True):
    """Slices next to each other."""

    at: float
    """When the first began, seconds."""
    low: float
    """Lowest rate, in the metric's unit."""
    median: float
    """Median rate, likewise."""
    high: float
    """Highest rate, likewise."""
    slices: int
    """How many there are."""
    migrations: int
    """Migrations of threads in them."""


class Timeline(Struct, frozen=True):
    """One series of slices."""

    shown: ShownPoint
    """Its point."""
    name: str
    """What distinguishes it from the others."""
    unit: Unit
    """Of the rates."""
    at: tuple[float, ...]
    """Start of each slice, seconds."""
    rates: tuple[float, ...]
    """Rate of each slice."""
    migrations: tuple[int, ...]
    """Migrations of threads in each slice; empty where nobody counted them."""
    cpus: tuple[int, ...]
    """Every CPU on which a recorded thread was seen."""
    domains: dict[int, float]
    """Shares of the sampled pages by NUMA domain, at the end."""

    def changes(self) -> tuple[tuple[float, ChangePoint], ...]:
        """Where the level changes: seconds from the start, and the change."""
        return tuple((self.at[change.index], change) for change in change_points(self.rates))

    def buckets(self, most: int = MOST_BUCKETS) -> tuple[Bucket, ...]:
        """At most `most` buckets of equally many slices, the last of fewer."""
        each = math.ceil(len(self.rates) / most)
        starts = range(0, len(self.rates), each)
        return tuple(self._bucket(start, start + each) for start in starts)

    def _bucket(self, start: int, end: int) -> Bucket:
        rates = self.rates[start:end]
        moved = sum(self.migrations[start:end])
        return Bucket(
            self.at[start],
            min(rates),
            float(statistics.median(rates)),
            max(rates),
            len(rates),
            moved,
        )


def timelines(section: Section) -> tuple[Timeline, ...]:
    """The series of every shown point of the benchmark that can be read as one, by its first
    metric."""
    if section.declared is None:
        return ()
    metric = section.declared.metrics[0]
    shown = [one for one in section.result.shown if one.point.benchmark == section.name]
    names = _names([one.point for one in shown])
    every = (_timeline(one, name, metric) for one, name in zip(shown, names, strict=True))
    return tuple(one for one in every if one)


def _names(points: Sequence[Point]) -> list[str]:
    """The binding of each, and the parameters in which they differ."""
    values = [dict(point.parameters) for point in points]
    differ = [n for n in dict.fromkeys(n for v in values for n in v) if _several(values, n)]
    return [
        ", ".join((binding_text(point.layout.binding), *(str(of.get(n, "")) for n in differ)))
        for point, of in zip(points, values, strict=True)
    ]


def _several(values: Sequence[Mapping[str, Value]], name: str) -> bool:
    return len({of.get(name) for of in values}) > 1


def _timeline(shown: ShownPoint, name: str, metric: Metric) -> Timeline | None:
    series, amount = shown.record.series, shown.record.quantities.get(metric.amount, 0.0)
    seconds = series.get("seconds", ())
    usable = len(seconds) <= _MOST_SLICES and all(0 < s < math.inf for s in seconds)
    if not (seconds and usable and 0 < amount < math.inf):
        return None
    slices = len(seconds)
    at = _as_long(series.get("at", ()), slices)
    if not at:
        return None
    moved = _as_long(series.get("migrations", ()), slices)
    cpus = {
        int(cpu)
        for name, values in series.items()
        if name.startswith(_CPU)
        for cpu in set(values)
        if 0 <= cpu < math.inf
    }
    return Timeline(
        shown,
        name,
        metric.unit,
        at,
        tuple(amount / s for s in seconds),
        tuple(int(count) for count in moved),
        tuple(sorted(cpus)),
        _page_domains(series),
    )


def _as_long(values: Sequence[float], slices: int) -> tuple[float, ...]:
    """The values where there is a finite one for each slice, else none."""
    fits = len(values) == slices and all(math.isfinite(value) for value in values)
    return tuple(values) if fits else ()


def _page_domains(series: dict[str, tuple[float, ...]]) -> dict[int, float]:
    last = [
        int(values[-1])
        for name, values in series.items()
        if name.startswith("domain.") and values and math.isfinite(values[-1])
    ]
    return {domain: last.count(domain) / len(last) for domain in sorted(set(last)) if domain >= 0}


_HEIGHT = 170


_MOST_MARKS = 200


def timeline_charts(section: Section) -> list[Chart]:
    """One panel a binding, on one scale."""
    found = timelines(section)
    if not found:
        return []
    rates = [rate for one in found for rate in one.rates]
    factor, symbol = scale_for(log_middle(rates), found[0].unit)
    top = max(max(one.rates) for one in found) / factor
    panels = [_panel(one, factor, symbol, top) for one in found]
    thinned = max(bucket.slices for one in found for bucket in one.buckets())
    note = "Dashed: the level changes."
    counted = any(one.migrations for one in found)
    ticks = "; ticks where threads migrated" * counted
    if counted:
        note = f"Ticks at the foot: slices in which a thread changed its CPU. {note}"
    if thinned > 1:
        note += f" Thinned: line the median, band the range of {thinned} slices next to each other."
    return [
        draw(
            section.name.replace(".", "-"),
            section.title,
            f"{section.title} in {found[0].unit.name}, one panel a series{ticks}; dashed lines "
            "where the level changes.",
            stack(*panels),
            note,
        )
    ]


def _panel(one: Timeline, factor: float, symbol: str, top: float) -> Panel:
    name = one.name
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
    x = quantitative("x", title="seconds", axis={"grid": False})
    y = quantitative(
        "value",
        title=f"{name}, {symbol}",
        scale={"domain": [0, short(1.05 * top)], "nice": False},
        axis={"tickCount": 5, "format": "~r"},
    )
    data, within = data_of(rows), {"x": x, "y": renamed(y, "low"), "y2": until("high")}
    layers = [
        mark("area", data, within, style="accent", opacity=0.25, line=False),
        mark("line", data, {"x": x, "y": y}, style="accent", strokeWidth=1.4),
    ]
    layers += _migrations(rows) + _changes(one)
    return layer(*layers).properties(width=WIDTH, height=_HEIGHT)


def _migrations(rows: Sequence[Row]) -> list[Panel]:
    moved = [{"x": r["x"], "words": _moved(r["moved"])} for r in rows if r["moved"]]
    if not moved:
        return []
    place = {"x": quantitative("x"), "y": fixed(_HEIGHT), "tooltip": _tooltip()}
    ticks: dict[str, Any] = {"orient": "vertical", "thickness": 1.5, "size": 10, "yOffset": -5}
    return [mark("tick", data_of(moved), place, style="event", **ticks)]


def _tooltip() -> list[Channel]:
    return [nominal("words", title=" ")]


def _moved(count: int) -> str:
    return count_text(count, "migration", "migrations")


def _changes(one: Timeline) -> list[Panel]:
    changes = one.changes()[:_MOST_MARKS]
    if not changes:
        return []
    unit = one.unit
    rows = [
        {
            "x": short(at),
            "words": f"from {format_value(change.before, unit)} to "
            f"{format_value(change.after, unit)}",
        }
        for at, change in changes
    ]
    place = {"x": quantitative("x"), "tooltip": _tooltip()}
    return [mark("rule", data_of(rows), place, style="guide")]


_MOST_RANGES = 6


_MOST_CHANGES = 12


def timeline_tables(section: Section) -> list[Table]:
    """A row for each series, and where its level changes."""
    found = timelines(section)
    if not found:
        return []
    changes = [row for one in found for row in _change_rows(one)]
    tables = [
        Table(
            "Slices of each series",
            (
                "series", "threads", "slices", "5 %", "median", "95 %", "variation",
                "migrations", "changes", "CPUs", "pages",
            ),
            tuple(_timeline_row(one) for one in found),
            (1, 2, 3, 4, 5, 6, 7, 8),
            f"One launch each. 5 %, median, 95 %: of the slices, in {found[0].unit.name}. "
            "Variation: standard deviation over mean. Changes: of level. CPUs: those that threads "
            "were seen on. Pages: share of the sampled pages on each NUMA domain in the last "
            "slice.",
        )
    ]  # fmt: skip
    if changes:
        tables.append(
            Table(
                "Changes of level",
                ("series", "at", "before", "after", "change and 95 % interval"),
                tuple(changes[:_MOST_CHANGES]),
                (1, 2, 3, 4),
                f"{len(changes) - _MOST_CHANGES} more are left out."
                if len(changes) > _MOST_CHANGES
                else "",
            )
        )
    return tables


def _timeline_row(one: Timeline) -> TableRow:
    steady, layout, unit = stability(one.rates), one.shown.point.layout, one.unit
    return (
        one.name,
        str(layout.threads),
        f"{len(one.rates):,}",
        format_value(steady.p5, unit),
        format_value(steady.median, unit),
        format_value(steady.p95, unit),
        f"{100 * steady.coefficient_of_variation:.1f} %",
        f"{sum(one.migrations):,}" if one.migrations else NOTHING,
        str(len(one.changes())),
        _cpus_text(one.cpus),
        ", ".join(f"{domain}: {100 * share:.0f} %" for domain, share in one.domains.items()) or "–",
    )


def _cpus_text(cpus: Sequence[int]) -> str:
    """Numbers as ranges, `0-3, 8`, the first few of them."""
    ranges: list[list[int]] = []
    for cpu in cpus:
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    texts = [f"{first}-{last}" if last > first else str(first) for first, last in ranges]
    shown = ", ".join(texts[:_MOST_RANGES]) or "–"
    return f"{shown}, …" if len(texts) > _MOST_RANGES else shown


def _change_rows(one: Timeline) -> list[TableRow]:
    unit = one.unit
    return [
        (
            one.name,
            f"{at:.2f} s",
            format_value(change.before, unit),
            format_value(change.after, unit),
            f"{100 * change.change:+.1f} % [{100 * change.low:.1f}, {100 * change.high:.1f}]",
        )
        for at, change in one.changes()
    ]
