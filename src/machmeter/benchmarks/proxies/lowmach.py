"""Low-Mach-number flow: advection and a projection by multigrid, as MAESTRO does them on AMReX."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.benchmark import Parameter, ParameterKind
from machmeter.model.units import CELL_UPDATES_PER_SECOND

LOWMACH = proxy(
    name="proxies.lowmach",
    title="Low-Mach-number flow",
    summary="A light bubble in a stratified atmosphere, as MAESTRO computes such flows on AMReX "
    "(Almgren et al., ApJ 637, 2006): upwind prediction of velocities, their projection so that "
    "div(beta0 U) = 0, and upwind advection of density, on cells^3 cells. The projection solves a "
    "7-point equation of variable coefficients to 1e-11 (times (edge / 256)^2 on larger cubes, for "
    "rounding) by multigrid V-cycles with red-black Gauss-Seidel sweeps, overrelaxed by 1.15 as "
    "AMReX's, down to boxes of 2 cells an edge, where conjugate gradients take over. "
    "Boxes have a layer of their neighbors' cells each and follow a space-filling curve over the "
    "ranks; threads share a rank's boxes. Divergence, correction, prediction, density and mass are "
    "checked in every launch.",
    parameters=(
        work(
            "cells",
            96,
            "cells along each of three edges, a multiple of `box`",
            minimum=4,
            maximum=100_000,
            bytes_each=130,
            power=3,
        ),
        work("steps", 1, "of the flow"),
        Parameter(
            "box",
            ParameterKind.COUNT,
            (16,),
            "cells along an edge of a box, a power of two; each rank needs one box at least",
            minimum=4,
            maximum=256,
        ),
        SCALING,
    ),
    stands_for="low-Mach-number flow: MAESTRO on AMReX",
    unit=CELL_UPDATES_PER_SECOND,
    amount="cell_updates",
    counted_bytes="every array of a sweep, a residual or a step once where it is read or written",
)
