"""Turbulence in a tokamak: gyrokinetic particles in cells, as GTC does it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import PARTICLE_STEPS_PER_SECOND

GKPIC = proxy(
    name="proxies.gkpic",
    title="Tokamak turbulence",
    summary="Gyrokinetic particles in a tokamak as GTC simulates them (Lin et al., Science 281, "
    "1998): four-point gyro-averages (Lee, J. Comput. Phys. 72, 1987) on a grid that follows the "
    "field, Poisson's equation on each poloidal plane by a fixed number of iterations, "
    "second-order Runge-Kutta. Ranks own domains around the torus, as many as divide both the "
    "planes and the ranks; ranks of one domain share its particles, threads sum up charge in "
    "grids of their own. With scaling=weak the particles of a cell grow with the ranks. Charge, "
    "particles, field equation, motion and the adjointness of deposit and gather are checked in "
    "every launch.",
    stands_for="plasma turbulence: GTC",
    parameters=(
        work("planes", 8, "poloidal planes around the torus", minimum=2, maximum=4096),
        work("radial", 32, "surfaces of a plane", minimum=8, maximum=100_000),
        work("poloidal", 96, "points of a surface", minimum=8, maximum=10_000),
        work(
            "particles",
            10,
            "in each cell",
            minimum=1,
            maximum=1_000_000,
            # With few surfaces there are fewer cells than points.
            bytes_each=84,
            times=("planes", "radial", "poloidal"),
        ),
        work("steps", 8, "time steps"),
        SCALING,
    ),
    unit=PARTICLE_STEPS_PER_SECOND,
    amount="particle_steps",
    counted_bytes="arrays of particles where they are read or written, the grid once a substep",
)
