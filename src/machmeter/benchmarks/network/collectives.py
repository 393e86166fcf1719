"""Benchmarks of collective operations."""

from __future__ import annotations

from itertools import product

from machmeter.benchmarks.network.messages import LARGEST_MESSAGE
from machmeter.benchmarks.network.overlap import HIDDEN, WORK_PERCENT
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
)
from machmeter.model.units import INJECTED_BYTES_PER_SECOND, SECONDS

REDUCTIONS = ("reduce", "allreduce", "reduce-scatter", "scan")
OPERATIONS = (
    "bcast",
    "gather",
    "scatter",
    "allgather",
    *REDUCTIONS,
    "alltoall",
    "gatherv",
    "scatterv",
    "allgatherv",
    "alltoallv",
    "neighbor-allgather",
    "neighbor-alltoall",
)
FORMS = ("blocking", "nonblocking", "persistent")
STARTS = ("time", "barrier")
DATATYPES = ("float", "double", "int32", "char")

_FORM = Parameter(
    "form", ParameterKind.CHOICE, ("blocking",), "the calls of the operation", choices=FORMS
)
_START = Parameter(
    "start",
    ParameterKind.CHOICE,
    ("time",),
    "ranks begin at a time on synchronized clocks, or after a barrier",
    choices=STARTS,
)

INJECTION = Metric(
    "injection",
    "Injected by each node",
    INJECTED_BYTES_PER_SECOND,
    Direction.HIGHER,
    Formula.RATE,
    amount="bytes_per_node",
    primary=False,
)

COLLECTIVE = Benchmark(
    name="network.collective",
    title="Collective operations",
    summary="One operation of all ranks, begun together; the last rank to end sets the time.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter("operation", ParameterKind.CHOICE, OPERATIONS, "what is done", OPERATIONS),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 1024, 65536),
            "bytes that one rank has for each peer, for the root, or to reduce",
            minimum=1,
            maximum=LARGEST_MESSAGE,
        ),
        _FORM,
        _START,
        Parameter(
            "datatype",
            ParameterKind.CHOICE,
            ("float",),
            "the elements that a reduction sums; of the others it says nothing",
            choices=DATATYPES,
        ),
    ),
    metrics=(
        Metric("time", "Slowest rank", SECONDS, Direction.LOWER, Formula.TIME),
        INJECTION,
    ),
    seconds_per_point=0.03,
    ranks=RankSweep.ALL,
    least_ranks=2,
    skips=tuple(
        (("operation", operation), ("datatype", datatype))
        for operation, datatype in product(OPERATIONS, DATATYPES[1:])
        if operation not in REDUCTIONS
    ),
)

BARRIER = Benchmark(
    name="network.barrier",
    title="Barrier",
    summary="MPI_Barrier of all ranks, begun together; the last rank to leave sets the time.",
    program=MPI_PROGRAM,
    parameters=(_FORM, _START),
    metrics=(Metric("time", "Slowest rank", SECONDS, Direction.LOWER, Formula.TIME),),
    seconds_per_point=0.03,
    ranks=RankSweep.ALL,
    least_ranks=2,
)

COLLECTIVE_OVERLAP = Benchmark(
    name="network.collective-overlap",
    title="Overlap of collective operations and work",
    summary="A non-blocking collective against calibrated work on every rank: the share of the "
    "work hidden and the share of the communication hidden, as in network.overlap.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "operation",
            ParameterKind.CHOICE,
            ("bcast", "allreduce", "allgather", "alltoall"),
            "what is done",
            choices=OPERATIONS,
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (65536, 1048576),
            "bytes that one rank has for each peer, for the root, or to reduce",
            minimum=1,
            maximum=LARGEST_MESSAGE,
        ),
        WORK_PERCENT,
    ),
    metrics=HIDDEN,
    seconds_per_point=0.05,
    ranks=RankSweep.ALL,
    least_ranks=2,
)

COLLECTIVES = (COLLECTIVE, BARRIER, COLLECTIVE_OVERLAP)
