"""Protocols that a curve of time over message size shows: regions, switches, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from machmeter.model.results.curves import ProtocolCurve, ProtocolRegion
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    format_bytes,
    format_interval,
    format_value,
    is_unbounded,
)
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row, renamed
from machmeter.report.drawing.panel import (
    Channel,
    Panel,
    data_of,
    fixed,
    layer,
    mark,
    nominal,
    ordinal,
    quantitative,
    until,
)
from machmeter.report.drawing.panels import short
from machmeter.report.table import Table
from machmeter.text.labels import point_columns

_STEPS = 12
_MOST_NAMES = 6
_AXIS = ("size",)

NamedCurves = Mapping[str, ProtocolCurve]


def protocols_of(section: Section) -> tuple[ProtocolCurve, ...]:
    """The curves of a benchmark in which a protocol was found."""
    return tuple(
        c for c in section.result.protocols if c.point.benchmark == section.name and c.regions
    )


def rest_of(curve: ProtocolCurve) -> dict[str, str]:
    """The parameters and layout that all points of a curve share."""
    return {n: t for n, t in point_columns(curve.point).items() if n not in _AXIS}


def switch_bytes(before: ProtocolRegion, after: ProtocolRegion) -> float:
    """Between the last size of one region and the first of the next, midway on logs."""
    return math.sqrt(max(before.last_bytes, 1) * max(after.first_bytes, 1))


def protocol_layers(curves: NamedCurves, x: Channel, factor: float, alone: bool) -> list[Panel]:
    """Fitted lines, dashed, and switches with what they cost; one curve has its regions shaded.

    factor: between seconds and the value axis; alone: nothing else is drawn than one curve.
    """
    lines = [row for name, c in curves.items() for row in line_rows(name, c, factor)]
    if not lines:
        return []
    place = {
        "x": renamed(x, "at"),
        "y": quantitative("value"),
        "detail": [nominal("series"), ordinal("region")],
    }
    fit = mark("line", data_of(lines), place, style="guide", strokeDash=[3, 3])
    return [*_regions(curves, x, alone), layer(fit)]


def line_rows(name: str, curve: ProtocolCurve, factor: float) -> list[Row]:
    """Places of the fitted lines of a curve, those above zero; factor: as in `protocol_layers`."""
    rows = []
    for number, region in enumerate(curve.regions):
        for at in _sizes(region):
            value = (region.startup_seconds + at * region.seconds_per_byte) / factor
            if value > 0:
                rows.append({"at": at, "value": short(value), "series": name, "region": number})
    return rows


def _sizes(region: ProtocolRegion) -> list[float]:
    """From the first to the last size of a region, in even steps of logarithms."""
    first, last = max(region.first_bytes, 1), max(region.last_bytes, 1)
    steps = [short(first * (last / first) ** (n / _STEPS)) for n in range(_STEPS + 1)]
    return [0.0, *steps] if region.first_bytes == 0 else steps


def _regions(curves: NamedCurves, x: Channel, alone: bool) -> list[Panel]:
    """What the time jumps by at each switch; of one curve every other region is shaded."""
    steps = [
        {"at": at, "name": f"{name}switch, {step_text(region)}"}
        for name, curve in _prefixed(curves, alone)
        for at, region in zip(_switches(curve), curve.regions[1:], strict=True)
    ]
    if not steps:
        return []
    layers: list[Panel] = []
    if alone:
        (curve,) = curves.values()
        across = {"x": renamed(x, "first"), "x2": until("last")}
        layers.append(layer(mark("rect", data_of(_shaded(curve)), across, style="region")))
    at_switch = {"x": renamed(x, "at")}
    layers.append(layer(mark("rule", data_of(steps), at_switch, style="guide")))
    # Names stand one below the other: switches may be close, or the same.
    for number, step in enumerate(steps[:_MOST_NAMES]):
        place = {**at_switch, "y": fixed(4 + 14 * number), "text": nominal("name")}
        style: dict[str, Any] = {
            "style": "guide-text",
            "align": "right",
            "baseline": "top",
            "dx": -5,
        }
        layers.append(layer(mark("text", data_of([step]), place, **style)))
    return layers


def _prefixed(curves: NamedCurves, alone: bool) -> list[tuple[str, ProtocolCurve]]:
    return [("" if alone else f"{name}: ", curve) for name, curve in curves.items()]


def _switches(curve: ProtocolCurve) -> list[float]:
    return [switch_bytes(a, b) for a, b in pairwise(curve.regions)]


def _shaded(curve: ProtocolCurve) -> list[Row]:
    regions = curve.regions
    ends = [float(regions[0].first_bytes), *_switches(curve), float(regions[-1].last_bytes)]
    return [{"first": ends[n], "last": ends[n + 1]} for n in range(1, len(regions), 2)]


def step_text(region: ProtocolRegion) -> str:
    """What the time jumps by where a region begins: `+0.900 µs [0.880, 0.920]`."""
    sign = "+" if region.step_seconds >= 0 else "−"
    value = format_value(abs(region.step_seconds), SECONDS)
    if is_unbounded(region.step_low) or is_unbounded(region.step_high):
        return f"{sign}{value}"
    interval = format_interval(region.step_low, region.step_high, region.step_seconds, SECONDS)
    return f"{sign}{value} {interval}"


def protocol_tables(section: Section) -> list[Table]:
    """Regions of every curve: sizes, start-up, bytes per second, and the step to them."""
    curves = protocols_of(section)
    if not curves:
        return []
    names = _varying(curves)
    rows = tuple(
        (
            *(rest_of(curve).get(name, "–") for name in names),
            _range_text(region),
            _bounded(region.startup_seconds, region.startup_low, region.startup_high),
            _bounded(region.seconds_per_byte, region.per_byte_low, region.per_byte_high),
            _asymptote(region),
            step_text(region) if number else "–",
        )
        for curve in curves
        for number, region in enumerate(curve.regions)
    )
    columns = (*names, "sizes", "start-up", "for each byte", "towards", "step to it")
    first = len(names)
    return [
        Table(
            "Protocols, found by fit",
            columns,
            rows,
            tuple(range(first + 1, first + 5)),
            "Over the sizes of a region the time is start-up + size x time for each byte; towards: "
            "the bandwidth that such messages come to as they grow. The step is what the time "
            "jumps by between two sizes, beyond what either line explains. Brackets: 95 % "
            "intervals over launches.",
        )
    ]


def _varying(curves: Sequence[ProtocolCurve]) -> list[str]:
    every = [rest_of(curve) for curve in curves]
    names = dict.fromkeys(name for rest in every for name in rest)
    return [n for n in names if len({rest.get(n) for rest in every}) > 1]


def _range_text(region: ProtocolRegion) -> str:
    return f"{format_bytes(region.first_bytes)} to {format_bytes(region.last_bytes)}"


def _bounded(value: float, low: float, high: float) -> str:
    return f"{format_value(value, SECONDS)} {format_interval(low, high, value, SECONDS)}"


def _asymptote(region: ProtocolRegion) -> str:
    """A slope that is not above zero has no bandwidth to go towards."""
    if region.seconds_per_byte <= 0:
        return "–"
    unit, value = BYTES_PER_SECOND_ONE_WAY, 1 / region.seconds_per_byte
    if region.per_byte_low <= 0 or is_unbounded(region.per_byte_high):
        return format_value(value, unit)
    interval = format_interval(1 / region.per_byte_high, 1 / region.per_byte_low, value, unit)
    return f"{format_value(value, unit)} {interval}"
