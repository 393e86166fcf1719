"""Wall time until an interval over launches is narrow enough, for several tools in turn."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping

from msgspec import Struct

from machmeter.analysis.stats.student import mean_and_half_width

HALF_WIDTH = 0.02
LEAST_LAUNCHES = 10
MOST_LAUNCHES = 60
MOST_SECONDS = 60.0


class LaunchSeries(Struct):
    """One tool so far: launch values, and the wall time of its launches, seconds."""

    values: list[float]
    seconds: float = 0.0

    @property
    def half_width(self) -> float:
        """Relative half width of the 95 % interval; 0.02 is 2 % either way."""
        _, half = mean_and_half_width([math.log(value) for value in self.values])
        return math.expm1(min(half, 10.0))

    @property
    def reached(self) -> bool:
        """Whether the interval is narrow enough, tested from ten launches on only.

        Testing earlier would stop at intervals that are narrow by chance.
        """
        return len(self.values) >= LEAST_LAUNCHES and self.half_width <= HALF_WIDTH

    @property
    def over(self) -> bool:
        """Whether no more launches are made."""
        spent = len(self.values) >= MOST_LAUNCHES or self.seconds >= MOST_SECONDS
        return self.reached or spent


def launch_until_precise(
    tools: Mapping[str, Callable[[], float]],
    order: random.Random,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, LaunchSeries]:
    """Launch all tools in turn, in random order, each until its interval is narrow enough.

    Raises what a tool raises, and ValueError for a value that is not above zero.
    """
    all_series = {name: LaunchSeries([]) for name in tools}
    while running := [name for name, series in all_series.items() if not series.over]:
        for name in order.sample(running, len(running)):
            began = clock()
            value = tools[name]()
            all_series[name].seconds += clock() - began
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} gave {value}, which is not above zero")
            all_series[name].values.append(value)
    return all_series
