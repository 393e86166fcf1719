"""Flow by the lattice Boltzmann method over a list of fluid cells: streams of loads by a list."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, TOUCH, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import CELL_UPDATES_PER_SECOND

LBM = code(
    name="codes.lbm",
    title="Lattice Boltzmann flow",
    summary="Flow through a channel with balls in it by 19 populations a cell and two relaxation "
    "times (Ginzburg et al., Commun. Comput. Phys. 3, 2008), in double precision and in place "
    "(Bailey et al., ICPP 2009), over a list of the fluid cells: runs of cells whose neighbors "
    "are equally far away. Mass, the last two steps by plain formulas at some cells, the parabola "
    "of a plain channel, and that two runs end identically are checked in every launch.",
    stands_for="lattice Boltzmann codes for flow in complex geometries",
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (96,),
            "cells along each of three edges, solid ones included",
            minimum=16,
            maximum=1290,
            bytes_each=76,
            most_bytes_each=160,
            power=3,
            role=ParameterRole.WORK,
            grows=3,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (12,),
            "time steps, in pairs",
            minimum=2,
            maximum=100_000,
            multiple=2,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "solid",
            ParameterKind.COUNT,
            (10,),
            "percent of the cells that balls fill: more make shorter runs",
            maximum=50,
            phrase="{} % solid",
            role=ParameterRole.WORK,
        ),
        TOUCH,
        SCALED,
    ),
    unit=CELL_UPDATES_PER_SECOND,
    amount="cell_updates",
    counted_bytes="every population once where it is read or written, and the list in every other "
    "step",
)
