"""Estimates made from plain launch values."""

from collections.abc import Sequence

from machmeter.analysis.stats.estimates import estimate
from machmeter.analysis.stats.launch_value import LaunchValue
from machmeter.model.benchmark import Direction, Formula, Metric
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import BYTES, BYTES_PER_SECOND_ONE_WAY, RATIO, SECONDS, SHARE

UNIT_OF = {
    Formula.TIME: SECONDS,
    Formula.RATE: BYTES_PER_SECOND_ONE_WAY,
    Formula.QUOTIENT: RATIO,
    Formula.OVERHEAD: SECONDS,
    Formula.WORK_HIDDEN: SHARE,
    Formula.COMMUNICATION_HIDDEN: SHARE,
    Formula.AMOUNT: BYTES,
    Formula.AVAILABILITY: SHARE,
}


def make_estimate(
    values: Sequence[float],
    formula: Formula = Formula.TIME,
    target_precision: float = 0.02,
    least: int = 10,
    numbers: Sequence[int] = (),
    rounds: Sequence[int] = (),
) -> Estimate:
    lower = formula in (Formula.TIME, Formula.OVERHEAD)
    direction = Direction.LOWER if lower else Direction.HIGHER
    metric = Metric("m", "M", UNIT_OF[formula], direction, formula)
    return estimate(
        make_point("network.latency", {"size": 8}, Layout()),
        metric,
        [LaunchValue(value, 200, 5, 1) for value in values],
        numbers or range(len(values)),
        target_precision,
        least,
        1,
        {"protocol": "eager"},
        rounds,
    )
