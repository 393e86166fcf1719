"""Axes of charts: bytes, threads, values, linear and logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from machmeter.model.results.estimate import Estimate
from machmeter.report.drawing.panel import Channel, ordinal, quantitative
from machmeter.report.views.axis import SIZE, Axis

Row = dict[str, Any]

_FEWEST_TICKS = 4
BYTES_LABEL = (
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, '~g') + ' GiB' : "
    "datum.value >= 1048576 ? format(datum.value / 1048576, '~g') + ' MiB' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '~g') + ' KiB' : datum.value + ' B'"
)


def size_axis(sizes: Sequence[int], title: str = "size") -> Channel:
    """A binary logarithmic axis of bytes; symmetric around zero where a size is 0."""
    positive = sorted({s for s in sizes if s > 0})
    low, high = (positive[0], positive[-1]) if positive else (1, 2)
    step = max(1, round((math.log2(high) - math.log2(low)) / 9))
    first = math.ceil(math.log2(low))
    ticks = [2**power for power in range(first, math.floor(math.log2(high)) + 1, step)]
    zero = 0 in sizes
    scale = (
        {"type": "symlog", "constant": 1, "domain": [0, high], "nice": False}
        if zero
        else binary_logarithms(low, high)
    )
    values = [0, *ticks] if zero else ticks
    axis = {"values": values, "labelExpr": BYTES_LABEL, "grid": False}
    return quantitative("x", title=title, scale=scale, axis=axis)


def binary_logarithms(low: float, high: float) -> dict[str, Any]:
    """The scale of an axis of counts from `low` to `high`."""
    return {"type": "log", "base": 2, "domain": [low, high], "nice": False}


def thread_axis(counts: Sequence[int]) -> Channel:
    """An axis of threads."""
    return count_axis(counts, "threads")


def count_axis(counts: Sequence[int], title: str) -> Channel:
    """Counts from 1 on: every one where few, powers of two on a logarithmic axis where many."""
    every = sorted(set(counts))
    if len(every) <= 12 and every[-1] <= 16:
        return ordinal("x", title=title, axis={"labelAngle": 0})
    ticks = [2**power for power in range(math.floor(math.log2(every[-1])) + 1)]
    scale = binary_logarithms(every[0], every[-1])
    return quantitative("x", title=title, scale=scale, axis={"values": ticks, "grid": False})


def x_axis(axis: Axis, estimates: Sequence[Estimate], title: str = "") -> Channel:
    """Bytes on binary logarithms; counts one by one, or on logarithms where many."""
    values = [axis.of(e) for e in estimates]
    if axis is SIZE:
        return size_axis(values, title or "message size")
    return count_axis(values, title or axis.name)


def value_axis(title: str, zero: bool = False) -> Channel:
    """A linear axis of values."""
    axis = {"tickCount": 6, "format": "~r"}
    return quantitative("value", title=title, scale={"zero": zero}, axis=axis)


def log_axis(title: str, rows: Sequence[Row]) -> Channel:
    """A logarithmic axis over the intervals of `rows`."""
    ticks = log_ticks(rows)
    scale = {"type": "log", "domain": [ticks[0], ticks[-1]], "nice": False}
    return quantitative("value", title=title, scale=scale, axis={"values": ticks, "format": "~r"})


def linear_x(title: str, zero: bool) -> Channel:
    """A linear axis for dots."""
    scale = {"domainMin": 0, "nice": True} if zero else {"zero": False}
    return quantitative("value", title=title, scale=scale, axis={"tickCount": 8, "format": "~r"})


def log_ticks(rows: Sequence[Row]) -> list[float]:
    """Ticks that hold all intervals: decades where they span many, else 1, 2 and 5 of each."""
    low = min((row["low"] for row in rows if row["low"] > 0), default=1.0)
    high = max((row["high"] for row in rows if row["high"] > 0), default=10.0)
    high = max(high, 1.01 * low)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1,) if last - first > 3 else (1, 2, 5)
    every = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
    start = max((t for t in every if t <= low), default=every[0])
    end = min((t for t in every if t >= high), default=every[-1])
    return [tick for tick in every if start <= tick <= end]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis from `low` to `high`, both above 0: four at least.

    Decades where there are many, else some steps of each; of less than that, even steps. Of no
    range at all its one value.
    """
    if high <= low:
        return [low]
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in (("1",), ("1", "2", "5"), ("1", "1.2", "1.5", "2", "3", "4", "5", "7")):
        every = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
        within = [tick for tick in every if low <= tick <= high]
        if len(within) >= _FEWEST_TICKS:
            return within
    # A little less, as the logarithm of what is just below a power of ten is rounded up to it.
    power = math.floor(math.log10((high - low) / _FEWEST_TICKS) - 1e-9)
    step = max(s for s in (1, 2, 5) if s * 10**power * _FEWEST_TICKS <= high - low)
    digits = max(-power, 0)
    ends = (math.ceil(low / (step * 10**power)), math.floor(high / (step * 10**power)))
    return [round(n * step * 10**power, digits) for n in range(ends[0], ends[1] + 1)]


def renamed(axis: Channel, field: str) -> Channel:
    """The same axis over another field."""
    return {**axis, "field": field}
