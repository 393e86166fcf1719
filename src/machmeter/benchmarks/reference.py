"""The reference kernel: fixed work that every run measures at its start and its end."""

from __future__ import annotations

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
)
from machmeter.model.units import SECONDS

REFERENCE = Benchmark(
    name="machine.reference",
    title="Reference kernel",
    summary="The same work in every run: sums over 128 KiB, which fit in cache, and over 256 MiB "
    "of memory. Shows whether performance drifted. Sizes are fixed, so that any two runs "
    "of a machine compare: where a core has over 256 MiB of cache, both parts fit in cache.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "part",
            ParameterKind.CHOICE,
            ("cache", "memory"),
            "where the work's data are",
            choices=("cache", "memory"),
        ),
    ),
    metrics=(Metric("time", "Time of the fixed work", SECONDS, Direction.LOWER, Formula.TIME),),
    seconds_per_point=0.05,
)
