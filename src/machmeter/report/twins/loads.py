"""The load of the links of a model by patterns: a chart of bars, and its table."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.twin import Twin
from machmeter.model.units import format_bytes
from machmeter.report.table import Table
from machmeter.simulation.loads import KindLoad, PatternLoad, kind_text

_WIDTH, _STEP, _TOP = 420, 34, 18
_KINDS = 3
_COLUMNS = ("pattern", "links", "how many", "mean", "most loaded", "busy, mean", "busy, most")
_NOTE = (
    "Share of the time of the pattern that a link passes bytes: full the mean of all "
    "links of the kind in the machine, pale the most loaded one. The line is all of the time."
)


class LoadBar(Struct, frozen=True):
    """The load of one kind of link by one pattern."""

    y: float
    """Where it is, down."""
    text: str
    """The pattern and the links."""
    kind: str
    """The class of its color: link-1, link-2 or link-3."""
    mean: float
    """Where the bar of the mean ends."""
    most: float
    """Where that of the most loaded link ends."""


class LoadChart(Struct, frozen=True):
    """Bars, and the same numbers as a table."""

    bars: tuple[LoadBar, ...]
    """From top to bottom."""
    table: Table
    """Every number."""
    description: str
    """The chart as text."""
    height: int
    """Of the chart."""
    note: str = _NOTE
    """What a bar is."""
    width: int = _WIDTH
    """Of the chart: all of the time."""


def load_chart(twin: Twin, loads: Sequence[PatternLoad]) -> LoadChart | None:
    """The chart of these patterns; None of none."""
    found = [(load, at, kind) for load in loads for at, kind in enumerate(load.kinds)]
    if not found:
        return None
    bars = tuple(
        _bar(f"{load.title}: {kind_text(twin, kind.kind)}", place, at, kind.busy(load.seconds))
        for place, (load, at, kind) in enumerate(found)
    )
    rows = tuple(_row(twin, load, kind) for load, _, kind in found)
    said = "; ".join(f"{row[0]}, {row[1]}: {row[5]}, most {row[6]}" for row in rows)
    return LoadChart(
        bars=bars,
        table=Table("Bytes on each kind of link", _COLUMNS, rows, tuple(range(2, len(_COLUMNS)))),
        description=f"Share of the time that links are busy. {said}.",
        height=_TOP + _STEP * len(bars),
    )


def _bar(text: str, place: int, at: int, busy: tuple[float, float]) -> LoadBar:
    mean, most = (round(_WIDTH * min(share, 1.0), 1) for share in busy)
    return LoadBar(_TOP + _STEP * place, text, f"link-{min(at + 1, _KINDS)}", mean, most)


def _row(twin: Twin, load: PatternLoad, kind: KindLoad) -> tuple[str, ...]:
    mean, most = kind.busy(load.seconds)
    return (
        load.title,
        kind_text(twin, kind.kind),
        f"{kind.links:,}",
        format_bytes(round(kind.mean_bytes)),
        format_bytes(round(kind.most_bytes)),
        f"{100 * mean:.1f} %",
        f"{100 * most:.1f} %",
    )
