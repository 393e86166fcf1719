"""Lennard-Jones liquid: molecular dynamics, as LAMMPS and HOOMD do it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.benchmark import Parameter, ParameterKind
from machmeter.model.units import ATOM_STEPS_PER_SECOND

LJMD = proxy(
    name="proxies.ljmd",
    title="Lennard-Jones liquid",
    summary="Molecular dynamics as LAMMPS and HOOMD do it, at the problem of LAMMPS's benchmark "
    "(Plimpton, J. Comp. Phys. 117, 1995): 4 cells^3 atoms at density 0.8442, cutoff 2.5, near "
    "pairs listed every 20 steps; ranks own bricks of space, threads share a brick's atoms. "
    "Energy, momentum, atoms and forces are checked in every launch.",
    stands_for="molecular dynamics: LAMMPS, HOOMD",
    parameters=(
        work(
            "cells",
            20,
            "unit cells of four atoms along each of three edges",
            minimum=2,
            maximum=100_000,
            bytes_each=4000,
            power=3,
        ),
        work("steps", 100, "time steps"),
        SCALING,
        Parameter(
            "potential",
            ParameterKind.CHOICE,
            ("unshifted",),
            "the energy of a pair as it is, or shifted to 0 at the cutoff; forces are the same",
            choices=("unshifted", "shifted"),
        ),
    ),
    unit=ATOM_STEPS_PER_SECOND,
    amount="atom_steps",
    counted_bytes="positions, velocities and forces where they change, the list of pairs",
)
