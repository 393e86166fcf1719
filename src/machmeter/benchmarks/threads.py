"""Benchmarks of OpenMP threads."""

from __future__ import annotations

from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Executable,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
)
from machmeter.model.units import SECONDS

CONSTRUCTS = ("parallel", "for", "barrier", "reduction", "single", "critical")

SYNC = Benchmark(
    name="threads.sync",
    title="Cost of OpenMP constructs",
    summary="Overhead of one construct: the same work with and without it, paired in turn "
    "(after Bull, EWOMP 1999, with pairs in place of one reference).",
    executable=Executable.NODE,
    parameters=(
        Parameter(
            "construct",
            ParameterKind.CHOICE,
            CONSTRUCTS,
            "the OpenMP construct",
            choices=CONSTRUCTS,
        ),
    ),
    metrics=(
        Metric(
            "overhead",
            "Overhead",
            SECONDS,
            Direction.LOWER,
            Formula.OVERHEAD,
            series=("test", "reference"),
        ),
    ),
    seconds_per_point=0.04,
    sweep_threads=True,
    sweep_wait_policies=True,
)

THREADS = (SYNC,)
