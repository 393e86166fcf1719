"""A bunch of charged particles in its own field, as IMPACT-T computes it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import PARTICLE_STEPS_PER_SECOND

BEAMPIC = proxy(
    name="proxies.beampic",
    title="Particle beam",
    summary="A bunch of charged particles in its own field in free space, as IMPACT-T computes it "
    "(Qiang et al., Phys. Rev. ST Accel. Beams 9, 044204, 2006): cloud in cell on cells^3 points, "
    "Poisson's equation with open boundaries by the integrated Green function on the doubled grid, "
    "leapfrog with a linear focusing force. Ranks own domains across two dimensions, particles "
    "migrate between them, transforms exchange all to all within rows and columns of ranks; "
    "threads add up charge in grids of their own. The box is fixed, so the Green function is "
    "transformed once, outside the timed part. Charge, particles, potential, self-force and motion "
    "are checked in every launch.",
    stands_for="beams of particles: IMPACT-T",
    parameters=(
        work(
            "cells",
            32,
            "grid points along each of three edges, an even product of 2, 3 and 5",
            minimum=8,
            maximum=10_000,
            multiple=2,
            bytes_each=150,
            power=3,
        ),
        work(
            "particles",
            200_000,
            "in the bunch",
            minimum=1000,
            maximum=1_000_000_000_000,
            bytes_each=56,
        ),
        work("steps", 80, "time steps"),
        SCALING,
    ),
    unit=PARTICLE_STEPS_PER_SECOND,
    amount="particle_steps",
    counted_bytes="arrays of particles and of the grid where they are read or written",
)
