"""Figures over a count made up for tests: a law, with or without a spread between launches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec.structs import replace

from machmeter.analysis.scaling.series import Series
from machmeter.analysis.stats.student import bounded_exp, mean_and_half_width
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.printed import Printed
from machmeter.model.results.scaling import Problem, ScalingAxis
from machmeter.model.units import FLOPS, SECONDS, UNBOUNDED

LAUNCHES = 10
Rate = Callable[[float], float]


def amdahl(share: float) -> Rate:
    return lambda n: n / (1 + share * (n - 1))


def gustafson(share: float) -> Rate:
    return lambda n: share + (1 - share) * n


def universal(contention: float, coherency: float) -> Rate:
    return lambda n: n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def power(exponent: float) -> Rate:
    return lambda n: n**exponent


def printed(count: int, value: float, *, rate: bool = False) -> Estimate:
    """One value without an interval."""
    return Estimate(
        point=make_point("workload.made-up", {"cores": count}, Layout()),
        metric="rate" if rate else "wall_time",
        title="Rate" if rate else "Wall time",
        unit=FLOPS if rate else SECONDS,
        direction=Direction.HIGHER if rate else Direction.LOWER,
        scale=Scale.LOG,
        value=value,
        low=0.0,
        high=UNBOUNDED,
        launches=1,
        samples=0,
        precision=UNBOUNDED,
        target_precision=0.0,
        reached=False,
        resolved=True,
        launch_values=(value,),
        launch_numbers=(1,),
        warmup_cut=0,
        outliers=0,
        batch=1,
        attributes={},
        origin=Origin.PUBLISHED,
        printed=Printed(
            id=f"made-up-{count}",
            number=f"{value:g}",
            value=value,
            unit="",
            source="a study, page 1",
        ),
    )


def measured(
    count: int, values: Sequence[float], rounds: Sequence[int], *, rate: bool = False
) -> Estimate:
    """One value a launch, with Student's t on logs."""
    center, half = mean_and_half_width([math.log(value) for value in values])
    return replace(
        printed(count, math.exp(center), rate=rate),
        low=bounded_exp(center - half),
        high=bounded_exp(center + half),
        launches=len(values),
        launch_values=tuple(values),
        launch_numbers=tuple(1000 * count + n for n in range(len(values))),
        rounds=tuple(rounds),
        origin=Origin.MEASURED,
        printed=None,
    )


def series(
    counts: Sequence[int],
    rate: Rate,
    *,
    problem: Problem = Problem.FIXED,
    noise: float = 0.0,
    launches: int = LAUNCHES,
    seed: int = 1,
    paired: bool = True,
    rates: bool = False,
) -> Series:
    """`rate` of work at each count; of a COST, what one operation costs.

    noise: relative spread between launches (0: as printed, one value a count); paired: launches
    of all counts have the same rounds; rates: the metric is a rate, else a time.
    """
    draw = np.random.default_rng(seed)
    estimates = []
    for position, count in enumerate(counts):
        of = rate(float(count))
        if problem is not Problem.COST and not rates:
            of = (count if problem is Problem.GROWING else 1.0) / of
        if noise == 0:
            estimates.append(printed(count, of, rate=rates))
            continue
        values = [of * math.exp(noise * draw.standard_normal()) for _ in range(launches)]
        rounds = range(launches) if paired else range(position, position + launches)
        estimates.append(measured(count, values, list(rounds), rate=rates))
    return Series(ScalingAxis.CORES, problem, {}, tuple(counts), tuple(estimates))
