"""Pressure solve: conjugate gradients, as flow solvers such as OpenFOAM do them."""

from __future__ import annotations

from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.benchmarks.proxies.shared import SCALING, proxy_display, proxy_metrics
from machmeter.model.benchmark import (
    Benchmark,
    Parameter,
    ParameterKind,
    ParameterRole,
    RankSweep,
    Subject,
    ThreadSweep,
)
from machmeter.model.units import CELL_ITERATIONS_PER_SECOND

OFP = Benchmark(
    name="proxies.ofp",
    title="Pressure solve",
    subject=Subject.APPLICATIONS,
    summary="The pressure equation of a flow solver such as OpenFOAM: a 7-point Laplacian of "
    "variable coefficients on cells^3 cells by conjugate gradients, preconditioned by the diagonal "
    "(Hestenes and Stiefel, J. Res. NBS 49, 1952), for a fixed number of iterations; ranks own "
    "blocks of cells, threads share a block's rows. Symmetry, the balance of every cell and the "
    "error against the known pressure are checked in every launch.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (100,),
            "cells along each of three edges",
            minimum=4,
            maximum=100_000,
            bytes_each=80,
            power=3,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "iterations",
            ParameterKind.COUNT,
            (50,),
            "of the solve",
            minimum=1,
            maximum=1_000_000,
            role=ParameterRole.WORK,
        ),
        SCALING,
    ),
    metrics=proxy_metrics(CELL_ITERATIONS_PER_SECOND, "Rate", "cell_iterations"),
    display=proxy_display(
        "Pressure solve",
        "ofp",
        "counted bytes: every array of an iteration once where it is read or written",
        ("cells", "iterations"),
    ),
    seconds_per_point=0.5,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.ENDS,
)
