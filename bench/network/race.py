"""How long it takes until an interval over launches is narrow enough, side by side."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.stats.student import mean_and_half_width

HALF_WIDTH = 0.02
LEAST_LAUNCHES = 10
MOST_LAUNCHES = 60
MOST_SECONDS = 60.0


class Lap(Struct):
    """One side so far: launch values, and the wall time of its launches, seconds."""

    values: list[float]
    seconds: float = 0.0

    @property
    def half_width(self) -> float:
        """Of the 95 % interval, relative; 0.02 is 2 % either way."""
        _, half = mean_and_half_width([math.log(value) for value in self.values])
        return math.expm1(min(half, 10.0))

    @property
    def reached(self) -> bool:
        """Whether the interval is narrow enough, looked at from ten launches on only.

        Looking from the first ones on would stop at intervals that are narrow by chance.
        """
        return len(self.values) >= LEAST_LAUNCHES and self.half_width <= HALF_WIDTH

    @property
    def over(self) -> bool:
        """Whether no more launches are made."""
        spent = len(self.values) >= MOST_LAUNCHES or self.seconds >= MOST_SECONDS
        return self.reached or spent


def race(
    sides: Mapping[str, Callable[[], float]],
    order: random.Random,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Lap]:
    """Launch all sides in turn, in random order, each until its interval is narrow enough.

    Raises what a side raises, and ValueError for a value that is not above zero.
    """
    laps = {name: Lap([]) for name in sides}
    while running := [name for name, lap in laps.items() if not lap.over]:
        for name in _shuffled(running, order):
            began = clock()
            value = sides[name]()
            laps[name].seconds += clock() - began
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} gave {value}, which is not above zero")
            laps[name].values.append(value)
    return laps


def _shuffled(names: Sequence[str], order: random.Random) -> list[str]:
    return order.sample(names, len(names))
