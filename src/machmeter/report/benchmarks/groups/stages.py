"""Stages of a program that marks them itself: their time, and memory over time through them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.results.run import ShownPoint
from machmeter.model.units import BYTES, COUNTED_BYTES_PER_SECOND, SECONDS, format_value, scale_for
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    Panel,
    data_of,
    fixed,
    layer,
    mark,
    nominal,
    quantitative,
    stack,
)
from machmeter.report.drawing.panels import WIDTH, short
from machmeter.report.table import Table, TableRow
from machmeter.text.numbers import NOTHING, count_text, share_text

_END = "_end"
_MOST_MARKS = 400
_HEIGHT = 150
_NAME_PLACE = 8
_NARROWEST = 0.02
"""Of the width, for each letter of a name that stands in the chart."""


class Stage(Struct, frozen=True):
    """One stage of the last event of a launch."""

    title: str
    """Its name."""
    end: float
    """When it ended, seconds since the event began."""
    seconds: float
    """Mean of all events of the launch; 0 where the clock did not resolve it."""
    cpu_seconds: float
    """CPU time of all threads, likewise."""
    most: float
    """Most memory that was resident in it, bytes."""
    moved: float
    """Bytes that the last event moved in it, as the program counts them; 0 where it does not."""


class Staged(Struct, frozen=True):
    """One launch of a program with stages."""

    name: str
    """What distinguishes it from the others that are shown."""
    at: tuple[float, ...]
    """When memory was read, seconds since the event began."""
    resident: tuple[float, ...]
    """Bytes then."""
    stages: tuple[Stage, ...]
    """In their order."""


def staged(section: Section) -> tuple[Staged, ...]:
    """The launches of the most work and the most threads, one of each way to do it."""
    if section.declared is None:
        return ()
    shown = [one for one in section.result.shown if one.point.benchmark == section.name]
    amounts = section.declared.amounts
    largest = max((_size(one, amounts) for one in shown), default=())
    found: dict[str, Staged] = {}
    for one in shown:
        if _size(one, amounts) == largest:
            name = _name(one, shown, amounts)
            made = _staged(one, name)
            if made is not None:
                found.setdefault(name, made)
    return tuple(found.values())


def _size(one: ShownPoint, amounts: Sequence[str]) -> tuple[int, ...]:
    works = (one.point.get(name) for name in amounts)
    return (*(work for work in works if isinstance(work, int)), one.point.layout.threads)


def _name(one: ShownPoint, all_shown: Sequence[ShownPoint], amounts: Sequence[str]) -> str:
    """The parameters in which those that are shown differ, but for the amount of work."""
    names = [name for name, _ in one.point.parameters if name not in amounts]
    differ = [n for n in names if len({other.point.get(n) for other in all_shown}) > 1]
    threads = count_text(one.point.layout.threads, "thread", "threads")
    return ", ".join((*(f"{name} {one.point.get(name)}" for name in differ), threads))


def _staged(one: ShownPoint, name: str) -> Staged | None:
    series, quantities = one.record.series, one.record.quantities
    at, resident = series.get("resident_at", ()), series.get("resident", ())
    finite = all(math.isfinite(value) and value >= 0 for value in (*at, *resident))
    if not at or len(at) != len(resident) or not finite or list(at) != sorted(at):
        return None
    ends = {n.removesuffix(_END): end for n, end in quantities.items() if n.endswith(_END)}
    stages = []
    begin = 0
    for stage, end in sorted(ends.items(), key=lambda item: item[1]):
        last = bisect_right(at, end)
        stages.append(
            Stage(
                stage.replace("_", " "),
                end,
                quantities.get(f"{stage}_seconds", 0.0),
                quantities.get(f"{stage}_cpu_seconds", 0.0),
                max(resident[begin:last], default=0.0),
                quantities.get(f"{stage}_bytes", 0.0),
            )
        )
        begin = max(last - 1, 0)
    return Staged(name, tuple(at), tuple(resident), tuple(stages)) if stages else None


def stage_charts(section: Section) -> list[Chart]:
    """Memory over time, a panel for each way, with lines where stages end."""
    found = staged(section)
    if not found:
        return []
    most = max(max(one.resident) for one in found)
    factor, symbol = scale_for(most, BYTES)
    longest = max(max(one.at[-1], one.stages[-1].end) for one in found)
    panels = [_panel(one, factor, symbol, most / factor, longest) for one in found]
    return [
        draw(
            f"{section.slug}-stages",
            f"{section.title}: memory over time",
            f"Resident memory of one launch over the time of an event, a panel for each way; "
            f"lines where a stage ends. Most: {format_value(most, BYTES)}.",
            stack(*panels),
            "Lines: ends of stages; the table has all of them in this order.",
        )
    ]


def _panel(one: Staged, factor: float, symbol: str, top: float, longest: float) -> Panel:
    step = max(1, len(one.at) // _MOST_MARKS)
    places = sorted({*range(0, len(one.at), step), len(one.at) - 1})
    rows: list[Row] = [
        {"x": short(one.at[i]), "value": short(one.resident[i] / factor)} for i in places
    ]
    time = {"domain": [0, short(longest)], "nice": False}
    x = quantitative("x", title="seconds", axis={"grid": False}, scale=time)
    y = quantitative(
        "value",
        title=f"resident, {symbol}",
        scale={"domain": [0, short(1.05 * top)], "nice": False},
        axis={"tickCount": 4, "format": "~r"},
    )
    ends: list[Row] = []
    names: list[Row] = []
    begin = 0.0
    for stage in one.stages:
        ends.append({"x": short(stage.end), "words": stage.title})
        if stage.end - begin >= _NARROWEST * len(stage.title) * longest:
            names.append({"x": short((begin + stage.end) / 2), "words": stage.title})
        begin = stage.end
    tooltip = {"tooltip": [nominal("words", title=" ")]}
    layers = [
        mark("area", data_of(rows), {"x": x, "y": y}, style="accent", opacity=0.25, line=False),
        mark("line", data_of(rows), {"x": x, "y": y}, style="accent", strokeWidth=1.4),
        mark("rule", data_of(ends), {"x": quantitative("x"), **tooltip}, style="guide"),
    ]
    if names:
        place = {"x": quantitative("x"), "y": fixed(_NAME_PLACE), "text": nominal("words")}
        layers.append(mark("text", data_of(names), place, style="note"))
    return layer(*layers).properties(width=WIDTH, height=_HEIGHT, title=one.name)


def stage_tables(section: Section) -> list[Table]:
    """A row for each stage of each way."""
    found = staged(section)
    if not found:
        return []
    rows = tuple(row for one in found for row in _rows(one))
    return [
        Table(
            "Stages",
            (
                "way", "stage", "time", "share", "CPU time", "CPUs busy", "most memory",
                "bytes moved", "rate",
            ),
            rows,
            (2, 3, 4, 5, 6, 7, 8),
            "One launch each: mean of its events. CPU time: of all threads. CPUs busy: CPU time "
            "over time. Most memory: resident in the stage. Bytes moved: as the program counts "
            "them, letters and words read and written, 64 B for each look-up in a table.",
        )
    ]  # fmt: skip


def _rows(one: Staged) -> list[TableRow]:
    whole = sum(stage.seconds for stage in one.stages)
    return [
        (
            one.name,
            stage.title,
            format_value(stage.seconds, SECONDS) if stage.seconds else NOTHING,
            share_text(stage.seconds / whole) if whole else NOTHING,
            format_value(stage.cpu_seconds, SECONDS) if stage.cpu_seconds else NOTHING,
            f"{stage.cpu_seconds / stage.seconds:.2f}" if stage.seconds else NOTHING,
            format_value(stage.most, BYTES),
            format_value(stage.moved, BYTES) if stage.moved else NOTHING,
            _rate_text(stage),
        )
        for stage in one.stages
    ]


def _rate_text(stage: Stage) -> str:
    known = stage.moved and stage.seconds
    return format_value(stage.moved / stage.seconds, COUNTED_BYTES_PER_SECOND) if known else NOTHING
