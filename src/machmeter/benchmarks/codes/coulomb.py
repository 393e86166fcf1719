"""Ions that repel each other by screened Coulomb forces, every pair in every step."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import PAIRS_PER_SECOND

COULOMB = code(
    name="codes.coulomb",
    title="Screened ions",
    summary="Molecular dynamics of two kinds of ions that repel each other by "
    "(1/r + 1/screening) exp(-r/screening)/r, each by the nearest image of every other, without "
    "lists and without the third law: a pair counts from either side; velocity Verlet (Swope et "
    "al., J. Chem. Phys. 76, 1982). The sum of forces, forces by plain formulas and as slope of "
    "the energy at some ions, and the energy are checked in every launch.",
    stands_for="molecular dynamics with forces between all pairs",
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (12,),
            "unit cells of two ions along each of three edges",
            minimum=8,
            maximum=100,
            bytes_each=160,
            power=3,
            role=ParameterRole.WORK,
            grows=6,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (8,),
            "time steps",
            minimum=1,
            maximum=100_000,
            role=ParameterRole.WORK,
        ),
        SCALED,
    ),
    unit=PAIRS_PER_SECOND,
    amount="pairs",
)
