"""Axes of row plots: ratios and values, linear and logarithmic, with ticks that can be read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from machmeter.model.units import SHARE, Unit, scale_for
from machmeter.report.drawing.row_plot import ReferenceLine, RowAxis, Tick

_EVEN_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)
_POWER_STEPS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
# Below it powers of ten and what is between them are 0.
_LEAST_WIDTH = 1e-290
_LEAST_GAP = 0.125
"""Part of the axis from one label to the next: they do not touch on a telephone."""
_FEWEST = 3
_LONGER = 1.6
"""How much longer an axis may become for the sake of a label."""
_IN_NEED = 0.1
"""Part of a ratio's axis from which a side of 1x has to have a label."""
_ROOM = 0.04
"""Part of the axis left free at either end of a ratio's axis."""
_MIDDLE = 0.75
"""Share of all ends, from 1x outwards, that are certain to be on the scale."""
_WIDER = 2.5
"""How much farther from 1x, on logarithms, the scale may reach than that share."""
_LEAST = math.log(1.25)
_RESIDUE = 1e-15
"""Below it a range is what rounding leaves of nothing."""
_LONGEST_SYMBOL = 7
"""Characters of a unit that have room beside the last label; values have it in any case."""


class RatioScale(Struct, frozen=True):
    """An axis of ratios with its places."""

    low: float
    """Left end, above zero."""
    high: float
    """Right end."""
    places: tuple[float, ...]
    """Within the ends; 1 is one of them."""


def ratio_axis(ends: Sequence[float], references: Sequence[ReferenceLine] = ()) -> RowAxis:
    """A logarithmic axis around 1x of ratios and the ends of their intervals.

    A few that are far beyond all others are left off the scale: they would squeeze the others.
    """
    reach = sorted(abs(math.log(end)) for end in ends if end > 0) or [_LEAST]
    most = max(_WIDER * reach[math.ceil(_MIDDLE * len(reach)) - 1], _LEAST)
    kept = [math.log(end) for end in ends if end > 0 and abs(math.log(end)) <= most]
    kept += [math.log(line.value) for line in references]
    least, most = min([*kept, -0.1]), max([*kept, 0.1])
    need, room = _IN_NEED * (most - least), _ROOM * (most - least)
    scale = ratio_scale(
        math.exp(least - room),
        math.exp(most + room),
        below=min(kept, default=0.0) < -need,
        above=max(kept, default=0.0) > need,
    )
    ticks = tuple(Tick(value, f"{value:,.10g}x") for value in scale.places)
    return RowAxis(scale.low, scale.high, ticks, True, (ReferenceLine(1.0), *references))


def value_axis(
    ends: Sequence[float], unit: Unit, references: Sequence[ReferenceLine] = ()
) -> RowAxis:
    """A linear axis from zero (below it where a value is), its ticks in one unit of `unit`."""
    every = [*ends, *(one.value for one in references)]
    every += [one.high for one in references if one.high is not None]
    top, bottom = max([*every, 0.0]), min([*every, 0.0])
    if top - bottom < _RESIDUE:
        top, bottom = 1.0, 0.0
    factor, symbol = (0.01, "%") if unit == SHARE else scale_for(top, unit)
    step = even_step((top - bottom) / factor)
    first, last = math.floor(bottom / factor / step), math.ceil(top / factor / step)
    numbers = [_round(n * step) for n in range(first, last + 1)]
    texts = [f"{number:g}" for number in numbers]
    if len(symbol) <= _LONGEST_SYMBOL:
        texts[-1] = f"{texts[-1]} {symbol}".strip()
    ticks = tuple(Tick(n * factor, text) for n, text in zip(numbers, texts, strict=True))
    return RowAxis(ticks[0].value, ticks[-1].value, ticks, False, tuple(references))


def log_axis(
    ends: Sequence[float], unit: Unit, references: Sequence[ReferenceLine] = ()
) -> RowAxis:
    """A logarithmic axis of values above zero, each tick with its own prefix: `1 µs`."""
    every = [end for end in ends if end > 0] or [1.0]
    room = max((max(every) / min(every)) ** _ROOM, 1.05)
    low, high = min(every) / room, max(every) * room
    ticks = tuple(Tick(value, _short(value, unit)) for value in log_places(low, high))
    return RowAxis(low, high, ticks, True, tuple(references))


def log_places(low: float, high: float) -> list[float]:
    """Round places between two values above zero, the most that can be read.

    Evenly apart where the values are near each other, else some of each power of ten.
    """
    most: list[float] = []
    for grid in _grids(low, high):
        within = [place for place in grid if low <= place <= high]
        if not _readable(within, low, high):
            continue
        if len(within) >= _FEWEST:
            return within
        most = max(most, within, key=len)
    return most


def ratio_scale(low: float, high: float, *, below: bool, above: bool) -> RatioScale:
    """The axis from `low` to `high`, which hold 1, with a label on each side that has to have one.

    below, above: whether that side of 1 has to. The axis is made longer where that takes little.
    """
    length = math.log(high / low)
    for grid in _grids(low, high):
        left = [place for place in grid if place < 1] if below else []
        right = [place for place in grid if place > 1] if above else []
        if 1.0 not in grid or (below and not left) or (above and not right):
            continue
        start, end = min([low, *left[-1:]]), max([high, *right[:1]])
        within = [place for place in grid if start <= place <= end]
        if math.log(end / start) > _LONGER * length or not _readable(within, start, end):
            continue
        if len(within) >= _FEWEST or not (below and above):
            return RatioScale(start, end, tuple(within))
    return RatioScale(low, high, (1.0,))


def even_step(width: float) -> float:
    """The step of 1, 2 or 5 times a power of ten that part a width into 3 to 6."""
    width = max(width, _LEAST_WIDTH)
    power = 10.0 ** math.floor(math.log10(width / 3))
    return max(step * power for step in (1, 2, 5) if 3 * step * power <= width * 1.0001)


def _grids(low: float, high: float) -> Iterator[list[float]]:
    """Places within and one beyond each end, the densest first; none where all are as good as 0."""
    if high - low < _LEAST_WIDTH:
        return
    power = 10.0 ** math.floor(math.log10(high - low))
    if high < 10 * low:
        for step in _EVEN_STEPS:
            first, last = math.floor(low / (step * power)), math.ceil(high / (step * power))
            yield [_round(n * step * power) for n in range(max(first, 1), last + 1)]
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    for steps in _POWER_STEPS:
        yield [_round(step * 10.0**n) for n in range(first, last + 1) for step in steps]
    for every in range(2, last - first + 1):
        yield [_round(10.0**n) for n in range(first, last + 1) if n % every == 0]


def _readable(places: Sequence[float], low: float, high: float) -> bool:
    gap = _LEAST_GAP * math.log(high / low)
    return bool(places) and all(
        math.log(after / before) >= gap for before, after in pairwise(places)
    )


def _round(value: float) -> float:
    return float(f"{value:.12g}")


def _short(value: float, unit: Unit) -> str:
    factor, symbol = (0.01, "%") if unit == SHARE else scale_for(value, unit)
    return f"{value / factor:g} {symbol}".strip()
