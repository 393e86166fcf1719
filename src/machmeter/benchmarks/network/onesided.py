"""Benchmarks of one-sided communication, by MPI and by OpenSHMEM."""

from __future__ import annotations

from machmeter.benchmarks.network.collectives import INJECTION
from machmeter.benchmarks.network.messages import LARGEST_MESSAGE
from machmeter.benchmarks.programs import MPI_PROGRAM, SHMEM_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
)
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    OPERATIONS_PER_SECOND,
    SECONDS,
)

SYNCHRONIZATIONS = ("fence", "post-start", "lock", "lock-all")
WINDOWS = ("allocate", "create", "dynamic", "shared")

_SYNCHRONIZATION = Parameter(
    "synchronization",
    ParameterKind.CHOICE,
    ("lock-all",),
    "how an epoch is opened and closed; lock-all stays open and flushes",
    choices=SYNCHRONIZATIONS,
)
_WINDOW = Parameter(
    "window", ParameterKind.CHOICE, ("allocate",), "how the window was made", choices=WINDOWS
)
_TARGET = Parameter(
    "target",
    ParameterKind.CHOICE,
    ("waiting",),
    "what the target does meanwhile: wait inside MPI, or compute outside it",
    choices=("waiting", "working"),
)
_OUTSTANDING = Parameter(
    "outstanding",
    ParameterKind.COUNT,
    (1, 64),
    "operations begun before their completion is waited for",
    minimum=1,
    maximum=4096,
)
_TIME = Metric("time", "Until completion", SECONDS, Direction.LOWER, Formula.TIME)
_RATE = Metric(
    "rate",
    "Operation rate",
    OPERATIONS_PER_SECOND,
    Direction.HIGHER,
    Formula.RATE,
    amount="operations",
    primary=False,
)
_BANDWIDTH = Metric(
    "bandwidth",
    "Bandwidth",
    BYTES_PER_SECOND_ONE_WAY,
    Direction.HIGHER,
    Formula.RATE,
    amount="bytes_one_way",
    primary=False,
)
_ACTIVE_TARGETS_WAIT = tuple(
    (("synchronization", synchronization), ("target", "working"))
    for synchronization in ("fence", "post-start")
)

ONESIDED = Benchmark(
    name="network.onesided",
    title="One-sided transfers",
    summary="Put, get and accumulate by MPI between two ranks, until they are complete.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "operation",
            ParameterKind.CHOICE,
            ("put", "get"),
            "what is done",
            choices=("put", "get", "accumulate", "get-accumulate"),
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 4096, 1048576),
            "bytes of one operation; accumulates add 8-byte integers",
            minimum=8,
            multiple=8,
            maximum=LARGEST_MESSAGE,
        ),
        _SYNCHRONIZATION,
        _WINDOW,
        _OUTSTANDING,
        _TARGET,
    ),
    metrics=(_TIME, _RATE, _BANDWIDTH),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    skips=_ACTIVE_TARGETS_WAIT,
)

ATOMICS = Benchmark(
    name="network.atomics",
    title="One-sided atomic operations",
    summary="MPI's atomic operations on one 8-byte integer of the other rank.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "operation",
            ParameterKind.CHOICE,
            ("fetch-and-op", "compare-and-swap"),
            "what is done",
            choices=("fetch-and-op", "compare-and-swap"),
        ),
        _SYNCHRONIZATION,
        _WINDOW,
        _OUTSTANDING,
        _TARGET,
    ),
    metrics=(_TIME, _RATE),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    skips=_ACTIVE_TARGETS_WAIT,
)

SHMEM_TRANSFER = Benchmark(
    name="shmem.transfer",
    title="OpenSHMEM transfers",
    summary="shmem_putmem and shmem_getmem between two processing elements, with shmem_quiet.",
    program=SHMEM_PROGRAM,
    parameters=(
        Parameter(
            "operation", ParameterKind.CHOICE, ("put", "get"), "what is done", ("put", "get")
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 4096, 1048576),
            "bytes of one operation",
            minimum=1,
            maximum=2**31 - 1,
        ),
        _OUTSTANDING,
    ),
    metrics=(_TIME, _RATE, _BANDWIDTH),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

_SHMEM_ATOMICS = ("add", "inc", "fetch-add", "fetch-inc", "swap", "compare-swap")

SHMEM_ATOMICS = Benchmark(
    name="shmem.atomics",
    title="OpenSHMEM atomic operations",
    summary="OpenSHMEM's atomic operations on one integer of the other processing element.",
    program=SHMEM_PROGRAM,
    parameters=(
        Parameter(
            "operation", ParameterKind.CHOICE, _SHMEM_ATOMICS, "what is done", _SHMEM_ATOMICS
        ),
        Parameter("integer", ParameterKind.COUNT, (4,), "bytes of the integer", choices=("4", "8")),
        _OUTSTANDING,
    ),
    metrics=(_TIME, _RATE),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

SHMEM_ALLTOALL = Benchmark(
    name="shmem.alltoall",
    title="OpenSHMEM all-to-all",
    summary="shmem_alltoall of all processing elements; the slowest sets the time.",
    program=SHMEM_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 4096, 65536),
            "bytes for each peer",
            minimum=8,
            multiple=8,
            maximum=2**31 - 8,
        ),
    ),
    metrics=(
        _TIME,
        INJECTION,
    ),
    seconds_per_point=0.03,
    ranks=RankSweep.ALL,
    least_ranks=2,
)

ONE_SIDED = (ONESIDED, ATOMICS)
SHMEM = (SHMEM_TRANSFER, SHMEM_ATOMICS, SHMEM_ALLTOALL)
