"""Plane-wave states: the Hamiltonian of density-functional codes and their subspace problems."""

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
from machmeter.model.units import APPLICATIONS_PER_SECOND

PWDFT = Benchmark(
    name="proxies.pwdft",
    title="Plane-wave states",
    subject=Subject.APPLICATIONS,
    summary="The lowest states of a Hamiltonian in plane waves, as PARATEC, MiniDFT and Quantum "
    "ESPRESSO find them (Davidson, J. Comp. Phys. 17, 1975): for each band two three-dimensional "
    "transforms with an exchange between all ranks, products of matrices of bands, and a small "
    "eigenproblem on one rank while the others wait. Transforms and back, the Hamiltonian by its "
    "waves, orthonormal states and falling energies are checked in every launch.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "grid",
            ParameterKind.COUNT,
            (48,),
            "points along each of three edges; plane waves reach a quarter of it",
            minimum=8,
            maximum=1024,
            multiple=4,
            bytes_each=64,
            power=3,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "bands",
            ParameterKind.COUNT,
            (16,),
            "states that are sought",
            minimum=1,
            maximum=256,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "iterations",
            ParameterKind.COUNT,
            (8,),
            "of Davidson's method",
            minimum=1,
            maximum=10_000,
            role=ParameterRole.WORK,
        ),
        SCALING,
    ),
    metrics=proxy_metrics(APPLICATIONS_PER_SECOND, "Rate", "applications"),
    display=proxy_display(
        "Plane-wave states",
        "pwdft",
        "counted bytes: the grid once for each pass over it, bands once for each block of products",
        ("grid", "bands", "iterations"),
    ),
    seconds_per_point=0.5,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.ENDS,
)
