"""LU factorization of a sparse matrix of dense blocks: tasks that wait for each other's blocks."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, TOUCH, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import FLOPS

BLOCKLU = code(
    name="codes.blocklu",
    title="Sparse LU of dense blocks",
    summary="LU factorization without pivoting of a sparse, diagonally dominant matrix of dense "
    "blocks in single precision: tasks factor the diagonal block of a step, solve its row and "
    "column and update the rest, whose fill-in they allocate. L (U v) = A v for random v "
    "(Freivalds 1977) and the blocks of a symbolic factorization are checked in every launch.",
    stands_for="direct solvers for sparse systems: structures, circuits, implicit time steps",
    parameters=(
        Parameter(
            "blocks",
            ParameterKind.COUNT,
            (40,),
            "blocks along an edge of the matrix",
            minimum=2,
            maximum=1024,
            bytes_each=3,
            most_bytes_each=5,
            power=2,
            times=("block", "block"),
            counted=("block", "blocks"),
            role=ParameterRole.WORK,
            grows=3,
        ),
        Parameter(
            "block",
            ParameterKind.COUNT,
            (96,),
            "rows and columns of a block",
            minimum=8,
            maximum=4096,
            phrase="blocks of {}",
            role=ParameterRole.WORK,
        ),
        Parameter(
            "tasks",
            ParameterKind.CHOICE,
            ("depend",),
            "a task waits for the blocks that it needs, or all tasks of a part of a step for those "
            "of the part before",
            choices=("depend", "taskwait"),
            phrase="{} tasks",
        ),
        TOUCH,
        SCALED,
    ),
    unit=FLOPS,
    amount="flops",
    shares=(
        ("product_share", "Block products"),
        ("solve_share", "Solving rows and columns"),
        ("diagonal_share", "Diagonal blocks"),
    ),
)
