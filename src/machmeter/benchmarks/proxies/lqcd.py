"""Lattice fermions: conjugate gradients with links of one step and of three, as MILC does it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import FLOPS

LQCD = proxy(
    name="proxies.lqcd",
    title="Lattice fermions",
    summary="Staggered fermions on a lattice of four dimensions, on which MILC spends its time: "
    "the improved difference of one step and of three (Naik, Nucl. Phys. B 316, 1989) along links "
    "that are random matrices of SU(3), and conjugate gradients on the even sites (Hestenes and "
    "Stiefel, J. Res. NBS 49, 1952) for a fixed number of iterations; ranks own blocks, threads "
    "share a block's rows. Links, symmetry and residual are checked in every launch. The rate "
    "counts 1187 operations for each site and iteration, as MILC prints it.",
    stands_for="lattice field theory: MILC",
    parameters=(
        work(
            "extent",
            16,
            "sites along each of four edges",
            minimum=4,
            maximum=10_000,
            multiple=2,
            bytes_each=2400,
            power=4,
        ),
        work("iterations", 30, "of the solve"),
        SCALING,
    ),
    unit=FLOPS,
    amount="flops",
    counted_bytes="every link once an iteration, vectors once where they are read or written",
)
