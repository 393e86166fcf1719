"""Lennard-Jones liquid: molecular dynamics, as LAMMPS and HOOMD do it."""

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
from machmeter.model.units import ATOM_STEPS_PER_SECOND

LJMD = Benchmark(
    name="proxies.ljmd",
    title="Lennard-Jones liquid",
    subject=Subject.APPLICATIONS,
    summary="Molecular dynamics as LAMMPS and HOOMD do it, at the problem of LAMMPS's benchmark "
    "(Plimpton, J. Comp. Phys. 117, 1995): 4 cells^3 atoms at density 0.8442, cutoff 2.5, near "
    "pairs listed every 20 steps; ranks own bricks of space, threads share a brick's atoms. "
    "Energy, momentum, atoms and forces are checked in every launch.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (20,),
            "unit cells of four atoms along each of three edges",
            minimum=2,
            maximum=100_000,
            bytes_each=4000,
            power=3,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (100,),
            "time steps",
            minimum=1,
            maximum=1_000_000,
            role=ParameterRole.WORK,
        ),
        SCALING,
        Parameter(
            "potential",
            ParameterKind.CHOICE,
            ("unshifted",),
            "the energy of a pair as it is, or shifted to 0 at the cutoff; forces are the same",
            choices=("unshifted", "shifted"),
        ),
    ),
    metrics=proxy_metrics(ATOM_STEPS_PER_SECOND, "Rate", "atom_steps"),
    display=proxy_display(
        "Lennard-Jones liquid",
        "ljmd",
        "counted bytes: positions, velocities and forces where they change, the list of pairs",
        ("cells", "steps"),
    ),
    seconds_per_point=0.5,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.ENDS,
)
