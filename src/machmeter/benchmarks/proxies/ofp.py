"""Pressure solve: conjugate gradients, as flow solvers such as OpenFOAM do them."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import CELL_ITERATIONS_PER_SECOND

OFP = proxy(
    name="proxies.ofp",
    title="Pressure solve",
    summary="The pressure equation of a flow solver such as OpenFOAM: a 7-point Laplacian of "
    "variable coefficients on cells^3 cells by conjugate gradients, preconditioned by the diagonal "
    "(Hestenes and Stiefel, J. Res. NBS 49, 1952), for a fixed number of iterations; ranks own "
    "blocks of cells, threads share a block's rows. Symmetry, the balance of every cell and the "
    "error against the known pressure are checked in every launch.",
    stands_for="pressure solves: OpenFOAM",
    parameters=(
        work(
            "cells",
            100,
            "cells along each of three edges",
            minimum=4,
            maximum=100_000,
            bytes_each=80,
            most_bytes_each=116,
            power=3,
        ),
        work("iterations", 50, "of the solve"),
        SCALING,
    ),
    unit=CELL_ITERATIONS_PER_SECOND,
    amount="cell_iterations",
    counted_bytes="every array of an iteration once where it is read or written",
)
