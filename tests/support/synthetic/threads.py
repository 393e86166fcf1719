"""Figures made up for tests: OpenMP constructs, sparse products, applications."""

from __future__ import annotations

import math

from machmeter.benchmarks.sparse import MATRICES
from machmeter.benchmarks.sparse import SCHEDULES as SHARED_OUT
from machmeter.benchmarks.threads import ARRAY_CLAUSES, CONSTRUCTS, SCHEDULES
from machmeter.layout.splits import splits
from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.launch import Check, PointRecord
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import ShownPoint
from tests.support.synthetic.maker import Maker, unresolved

RUNTIMES = ("", "libomp")
SIDE = 48


def sync(make: Maker, threads: tuple[int, ...]) -> list[Estimate]:
    """All constructs by threads, wait policy and runtime."""
    found = []
    for runtime in RUNTIMES:
        for position, construct in enumerate(CONSTRUCTS):
            for count in threads:
                for policy in WaitPolicy:
                    seconds = 0.12e-6 * (1 + position) * (0.2 + math.log2(count))
                    seconds *= 11 if policy is WaitPolicy.PASSIVE else 1
                    seconds *= 0.7 if runtime else 1
                    layout = Layout(threads_per_rank=count, wait_policy=policy, openmp=runtime)
                    one = make.estimate(
                        "threads.sync", {"construct": construct}, layout, "overhead", seconds, 0.05
                    )
                    alone = construct == "critical" and count == 1
                    found.append(unresolved(one) if alone else one)
    return found


def arrays(make: Maker, cores: int) -> list[Estimate]:
    """Array clauses by size, on one thread and on all."""
    return [
        make.estimate(
            "threads.arrays",
            {"clause": clause, "size": size},
            Layout(threads_per_rank=count),
            "overhead",
            0.4e-6 * (1 + position) + size * count / 40e9,
            0.04,
        )
        for count in dict.fromkeys((1, cores))
        for position, clause in enumerate(ARRAY_CLAUSES)
        for size in (8, 512, 8192, 131072)
    ]


def schedule(make: Maker, cores: int) -> list[Estimate]:
    """Loop schedules by chunk, on one thread and on all."""
    found = []
    for count in dict.fromkeys((1, cores)):
        for kind in SCHEDULES:
            for chunk in (0,) if kind == "auto" else (0, 1, 8, 64):
                seconds = 2e-9 if kind in {"static", "auto"} else 90e-9 * count**0.5 / max(chunk, 1)
                one = make.estimate(
                    "threads.schedule",
                    {"schedule": kind, "chunk": chunk},
                    Layout(threads_per_rank=count),
                    "overhead",
                    seconds,
                    0.06,
                )
                found.append(unresolved(one) if kind == "auto" else one)
    return found


def nested(make: Maker, cores: int) -> list[Estimate]:
    """Inner regions and barriers of every split, by binding and runtime."""
    return [
        make.estimate(
            "threads.nested",
            {"construct": construct},
            Layout(threads_per_rank=outer, inner_threads=inner, binding=binding, openmp=runtime),
            "overhead",
            (1.1e-6 if runtime else 45e-6)
            * (1 + math.log2(inner))
            * (0.2 if construct == "inner-barrier" else 1.0)
            * (1.6 if binding is Binding.NONE else 1.0),
            0.06,
        )
        for runtime in RUNTIMES
        for construct in ("inner-parallel", "inner-barrier")
        for outer, inner in splits(cores)
        for binding in (Binding.NONE, Binding.OUTER, Binding.SPREAD)
    ]


def spmv(make: Maker, threads: tuple[int, ...]) -> tuple[list[Estimate], tuple[ShownPoint, ...]]:
    """Products by matrix and schedule, with the picture of each matrix."""
    found, shown = [], []
    nonzeros = 8_000_000
    for matrix in MATRICES:
        skew = {"banded": 1.0, "ramp": 1.5, "power-law": 2.6, "random": 1.02}[matrix]
        for kind in SHARED_OUT:
            for count in threads:
                uneven = 1 + (skew - 1) * {"static": 1.0, "guided": 0.3}.get(kind, 0.05)
                uneven = 1 + (uneven - 1) * (1 - 1 / count)
                layout = Layout(threads_per_rank=count)
                parameters: dict[str, Value] = {
                    "matrix": matrix,
                    "schedule": kind,
                    "nonzeros": nonzeros,
                }
                rate = 1.4e9 * count**0.85 / uneven
                values = {"flops": rate, "bandwidth": rate * 6.2, "imbalance": uneven}
                if kind == "balanced":
                    values["partition_time"] = 0.021
                    values["placement_time"] = 0.35
                found += [
                    make.estimate("sparse.spmv", parameters, layout, metric, value, 0.015)
                    for metric, value in values.items()
                ]
        point = make_point("sparse.spmv", parameters, layout)
        record = PointRecord(
            dict(parameters),
            {"seconds": (0.01, 0.01), "pattern": picture(matrix)},
            1,
            Check(True, "against the reference product"),
            {"flops": 2.0 * nonzeros},
        )
        shown.append(ShownPoint(point, 12, record))
    return found, tuple(shown)


def picture(matrix: str) -> tuple[float, ...]:
    """Counts of nonzeros of the 48 x 48 fields of a matrix, row by row."""

    def count(row: int, column: int) -> float:
        if matrix == "banded":
            return 900.0 if abs(row - column) < 2 else 0.0
        if matrix == "ramp":
            return float(2 * column) if column <= row else 0.0
        if matrix == "power-law":
            return float(round(9000 / ((row + 1) * (column + 1))))
        return float(180 + (row * 7 + column * 3) % 11)

    return tuple(count(row, column) for row in range(SIDE) for column in range(SIDE))


def retrieval(make: Maker, cores: int) -> list[Estimate]:
    """Image retrieval by split, bound and not."""
    return [
        _application(make, "apps.retrieval", {"queries": 18, "images": 1000}, layout, 0.9)
        for layout in _layouts(cores, 0)
    ]


def heatflow(make: Maker, cores: int, domain: int) -> list[Estimate]:
    """Heat flow by split, number of derivatives and kind of arrays."""
    found = []
    for derivatives in sorted({1, domain, 2 * cores + 1}):
        for arrays_name, slow in (("inside", 1.0), ("slices", 1.12)):
            for layout in _layouts(cores, domain):
                waves = math.ceil(derivatives / layout.threads_per_rank)
                work = 0.06 * waves * (1 + 0.1 * math.log2(layout.threads)) * slow
                parameters: dict[str, Value] = {
                    "derivatives": derivatives,
                    "arrays": arrays_name,
                    "cells": 48,
                }
                found.append(_application(make, "apps.heatflow", parameters, layout, work))
    return found


def _layouts(cores: int, domain: int) -> list[Layout]:
    alone = [Layout()] + ([Layout(threads_per_rank=domain)] if 1 < domain < cores else [])
    split = [
        Layout(threads_per_rank=outer, inner_threads=inner, binding=binding)
        for outer, inner in splits(cores)
        for binding in (Binding.SPREAD, Binding.NONE)
    ]
    return alone + split


def _application(
    make: Maker, benchmark: str, parameters: dict[str, Value], layout: Layout, work: float
) -> Estimate:
    seconds = work / layout.inner_threads**0.8 * (1.3 if layout.binding is Binding.NONE else 1.0)
    if benchmark == "apps.retrieval":
        seconds /= layout.threads_per_rank**0.92
    return make.estimate(benchmark, parameters, layout, "time", seconds, 0.015)
