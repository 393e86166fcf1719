"""Estimates made up for tests, from launch values with a spread, by the product's own formula."""

from __future__ import annotations

import math
import random
import zlib
from statistics import fmean

from machmeter.analysis.stats.estimates import estimate
from machmeter.analysis.stats.launch_value import LaunchValue
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Value
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate

ROUNDS = tuple(range(1, 11))


def made_up(
    benchmark: str,
    parameters: dict[str, Value],
    layout: Layout,
    metric: str,
    value: float,
    spread: float = 0.004,
    *,
    rounds: tuple[int, ...] = ROUNDS,
    centered: bool = True,
    own: tuple[Benchmark, ...] = (),
) -> Estimate:
    """Launches around `value`, one a round, with a relative spread between them.

    centered: their mean is taken off, so that the estimate is `value`; own: benchmarks that no
    catalogue has.
    """
    point = make_point(benchmark, parameters, layout)
    seed = zlib.crc32(point.key.encode())
    draw = random.Random(seed)
    logs = [draw.gauss(0, spread) for _ in rounds]
    middle = fmean(logs) if centered else 0.0
    values = [value * math.exp(log - middle) for log in logs]
    return estimate(
        point,
        find(benchmark, own).metric(metric),
        [LaunchValue(one, 200, 0, 0) for one in values],
        [1000 * number + seed % 1000 for number in rounds],
        0.02,
        min(len(rounds), 10),
        1,
        {},
        rounds,
    )
