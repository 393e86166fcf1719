"""The samples of a launch reduced as OSU and IMB do, or as machmeter does. Pure."""

from __future__ import annotations

import re
import statistics

from bench.network.quantity import Quantity, Reduction
from machmeter.analysis.stats.launch_value import launch_value
from machmeter.model.plan.launch import PointRecord

_OF_A_RANK = re.compile(r"^rank[ _]\d{1,9}$")


def peer_reduction(quantity: Quantity, point: PointRecord) -> float:
    """The launch reduced as the peers do, in the base of the quantity's unit.

    Raises ValueError where the record lacks a series or a quantity, or has no sample.
    """
    match quantity.reduction:
        case Reduction.RATE:
            return _recorded(point, quantity.amount) / _mean(point, "seconds")
        case Reduction.MEAN_OF_PAIRS:
            return _mean(point, "mean")
        case Reduction.HALF:
            return _mean(point, "seconds") / 2
        case Reduction.SLOWEST_RANK:
            return _slowest_rank(point)
        case Reduction.HIDDEN:
            total, work, communication = (
                _mean(point, name) for name in ("total", "work", "communication")
            )
            return 1 - (total - work) / communication
        case _:
            return _mean(point, "seconds")


def launch_result(quantity: Quantity, point: PointRecord) -> float:
    """The launch reduced as machmeter does: interquartile mean after the warm-up.

    Raises ValueError as `launch_value` does, or where no metric has the quantity's unit.
    """
    for metric in quantity.benchmark.metrics:
        if metric.unit == quantity.unit:
            return launch_value(metric, point).value
    raise ValueError(f"{quantity.benchmark.name} has no metric in {quantity.unit.name}")


def _slowest_rank(point: PointRecord) -> float:
    """The largest of the ranks' own means: OSU's `Max Latency`, IMB's `t_max`."""
    ranks = [name for name in point.series if _OF_A_RANK.match(name)]
    if not ranks:
        raise ValueError(f"the record has no series of each rank, only {', '.join(point.series)}")
    return max(_mean(point, name) for name in ranks)


def _mean(point: PointRecord, series: str) -> float:
    samples = point.series.get(series)
    if not samples:
        raise ValueError(f"the record has no samples of the series {series!r}")
    return statistics.fmean(samples)


def _recorded(point: PointRecord, name: str) -> float:
    if name not in point.quantities:
        raise ValueError(f"the record lacks the quantity {name!r}")
    return point.quantities[name]
