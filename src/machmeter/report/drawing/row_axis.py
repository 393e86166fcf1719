"""Axes of row plots: ratios and values, linear and logarithmic, with ticks that can be read."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.model.units import SHARE, Unit, scale_for
from machmeter.report.drawing.row_plot import ReferenceLine, RowAxis, Tick

_MOST_TICKS = 6
_FEWEST_TICKS = 3
_STEPS = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0),
    tuple(round(1 + 0.1 * n, 1) for n in range(90)),
)
_ROOM = 0.04
"""Part of the axis left free at either end of a ratio's axis."""
_MIDDLE = 0.75
"""Share of all ends, from 1x outwards, that are certain to be on the scale."""
_WIDER = 2.5
"""How much farther from 1x, on logarithms, the scale may reach than that share."""
_LEAST = math.log(1.25)


def ratio_axis(ends: Sequence[float], references: Sequence[ReferenceLine] = ()) -> RowAxis:
    """A logarithmic axis around 1x of ratios and the ends of their intervals.

    A few that are far beyond all others are left off the scale: they would squeeze the others.
    """
    reach = sorted(abs(math.log(end)) for end in ends if end > 0) or [_LEAST]
    most = max(_WIDER * reach[math.ceil(_MIDDLE * len(reach)) - 1], _LEAST)
    kept = [math.log(end) for end in ends if end > 0 and abs(math.log(end)) <= most]
    kept += [0.1, -0.1, *(math.log(one.value) for one in references)]
    room = _ROOM * (max(kept) - min(kept))
    low, high = math.exp(min(kept) - room), math.exp(max(kept) + room)
    ticks = tuple(Tick(value, f"{value:g}x") for value in log_places(low, high))
    return RowAxis(low, high, ticks, True, (ReferenceLine(1.0), *references))


def value_axis(
    ends: Sequence[float], unit: Unit, references: Sequence[ReferenceLine] = ()
) -> RowAxis:
    """A linear axis from zero (below it where a value is), its ticks in one unit of `unit`."""
    every = [*ends, *(one.value for one in references)]
    every += [one.high for one in references if one.high is not None]
    top, bottom = max([*every, 0.0]), min([*every, 0.0])
    if top == bottom:
        top = 1.0
    factor, symbol = (0.01, "%") if unit == SHARE else scale_for(top, unit)
    step = even_step((top - bottom) / factor)
    first, last = math.floor(bottom / factor / step), math.ceil(top / factor / step)
    numbers = [round(n * step, 12) for n in range(first, last + 1)]
    texts = [f"{number:g}" for number in numbers]
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
    """Round places between two values above zero: as many as can be read."""
    best: list[float] = []
    for steps in _STEPS:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        every = sorted({float(f"{step:g}e{power}") for power in powers for step in steps})
        within = [place for place in every if low <= place <= high]
        if len(within) > _MOST_TICKS:
            return best if len(best) >= _FEWEST_TICKS else _thinned(within)
        best = within
    return best


def even_step(width: float) -> float:
    """The step of 1, 2 or 5 times a power of ten that part a width into 3 to 6."""
    power = 10.0 ** math.floor(math.log10(width / 3))
    return max(step * power for step in (1, 2, 5) if 3 * step * power <= width * 1.0001)


def _thinned(places: Sequence[float]) -> list[float]:
    """Every nth place, so that few enough are left; 1 stays where it is among them."""
    every = math.ceil(len(places) / _MOST_TICKS)
    first = places.index(1.0) % every if 1.0 in places else 0
    return list(places[first::every])


def _short(value: float, unit: Unit) -> str:
    factor, symbol = (0.01, "%") if unit == SHARE else scale_for(value, unit)
    return f"{value / factor:g} {symbol}".strip()
