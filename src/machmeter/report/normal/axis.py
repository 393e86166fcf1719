"""A key result and those of other machines on one line: of its limit, or by their values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from msgspec import Struct

from machmeter.analysis.normal.position import Other, Position
from machmeter.model.units import format_value
from machmeter.text.ratios import percent_text

LEGEND = (
    "On the lines N is this machine and what is like it, === its interval, s a machine with "
    "processors of the same generation, o another one, t a threshold, 2 to 8 so many at one place, "
    "9 more."
)
_OWN, _WITHIN, _KIN, _OTHER, _THRESHOLD, _NOTHING = "N", "=", "s", "o", "t", "."
_LEAST = 20
_FARTHEST = 100
"""An interval of two launches that reaches so many times beyond its value says nothing, and would
leave no room for anything else."""


class Spot(Struct, frozen=True):
    """Where another machine stands on the line."""

    value: float
    """A share of the limit, 0 to 1; else in the unit of the key result."""
    other: Other
    """The machine."""


class Spots(Struct, frozen=True):
    """All that stand on one line."""

    own: float
    """The key result."""
    low: float
    """Lower end of its interval; itself where it has none that can be drawn."""
    high: float
    """Upper end."""
    others: tuple[Spot, ...]
    """The other machines."""
    of_limit: bool
    """Whether they are shares of what the hardware of each can at most."""

    @property
    def has_interval(self) -> bool:
        """Whether the key result has one that can be drawn."""
        return self.low < self.high


def spots_of(position: Position) -> Spots:
    """Where the key result and the others stand: as shares, where its own is known."""
    one, share = position.estimate, position.share
    scale = share / one.value if share else 1.0
    known = one.is_bounded and one.value < one.low * _FARTHEST and one.high < one.value * _FARTHEST
    low, high = (one.low, one.high) if known else (one.value, one.value)
    return Spots(
        scale * one.value,
        scale * low,
        scale * high,
        tuple(Spot(scale * other.value, other) for other in position.others),
        bool(share),
    )


def axis_line(position: Position, generation: str, columns: int) -> str:
    """One line of at most `columns` characters: shares from 0 to 100 %, values by their ratios."""
    spots = spots_of(position)
    every = [spots.own, spots.low, spots.high, *(one.value for one in spots.others)]
    if spots.of_limit:
        least, most = 0.0, max(1.0, *every)
        ends = ("0 %", percent_text(most))
    else:
        above = [one for one in every if one > 0]
        least, most = min(above), max(above)
        unit = position.estimate.unit
        ends = (format_value(least, unit), format_value(most, unit))
    width = max(columns - sum(map(len, ends)) - 4, _LEAST)
    cells = _cells(spots, generation, _placing(least, most, width, even=spots.of_limit), width)
    return f"{ends[0]} |{''.join(cells)}| {ends[1]}"


def is_kin(other: Other, generation: str) -> bool:
    """Whether its processors are of that generation."""
    return bool(generation) and other.generation == generation


def _placing(least: float, most: float, width: int, *, even: bool) -> Callable[[float], int]:
    def place(value: float) -> int:
        if even or most <= least:
            share = (value - least) / (most - least) if most > least else 0.5
        else:
            share = math.log(max(value, least) / least) / math.log(most / least)
        return min(max(round(share * (width - 1)), 0), width - 1)

    return place


def _cells(spots: Spots, generation: str, place: Callable[[float], int], width: int) -> list[str]:
    cells = [_NOTHING] * width
    for cell in range(place(spots.low), place(spots.high) + 1):
        cells[cell] = _WITHIN
    counts = Counter(place(one.value) for one in spots.others)
    for one in spots.others:
        at = place(one.value)
        cells[at] = _letter(one.other, generation) if counts[at] == 1 else str(min(counts[at], 9))
    cells[place(spots.own)] = _OWN
    return cells


def _letter(other: Other, generation: str) -> str:
    if other.is_threshold:
        return _THRESHOLD
    return _KIN if is_kin(other, generation) else _OTHER
