"""Shallow water on a periodic grid: whole arrays through memory in every loop of a step."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, TOUCH, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import CELL_UPDATES_PER_SECOND

SHALLOW = code(
    name="codes.shallow",
    title="Shallow water",
    summary="The shallow-water equations with rotation on a doubly periodic, staggered grid "
    "(Sadourny, J. Atmos. Sci. 32, 1975), by the leapfrog with a time filter: a step is three "
    "loops over all cells, for fluxes, vorticity and heights, for the new level, and for the "
    "filter. Mass, energy, potential enstrophy, the last step by plain formulas at every cell, and "
    "that two runs end identically are checked in every launch.",
    stands_for="ocean and weather models of one layer: explicit steps on a grid",
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (1000,),
            "cells along each of two edges",
            minimum=64,
            maximum=100_000,
            bytes_each=104,
            power=2,
            role=ParameterRole.WORK,
            grows=2,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (24,),
            "time steps of 90 s",
            minimum=2,
            maximum=100_000,
            role=ParameterRole.WORK,
        ),
        TOUCH,
        SCALED,
    ),
    unit=CELL_UPDATES_PER_SECOND,
    amount="cell_updates",
    counted_bytes="every array of a loop once where it is read or written, as STREAM counts",
)
