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
    Subject,
    Value,
)
from machmeter.model.display import (
    Along,
    ChartKind,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    Pick,
    PivotTable,
    Selection,
    TableKind,
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
    "window",
    ParameterKind.CHOICE,
    ("allocate",),
    "how the window was made",
    choices=WINDOWS,
    phrase="{} window",
)
_TARGET = Parameter(
    "target",
    ParameterKind.CHOICE,
    ("waiting",),
    "what the target does meanwhile: wait inside MPI, or compute outside it",
    choices=("waiting", "working"),
    phrase="target {}",
)
_OUTSTANDING = Parameter(
    "outstanding",
    ParameterKind.COUNT,
    (1, 64),
    "operations begun before their completion is waited for",
    minimum=1,
    maximum=4096,
    phrase="{} outstanding",
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

_OUTSTANDING_MEANS = Definition(
    "Outstanding",
    "Operations begun before their completion is waited for. The time is until all are complete, "
    "at the target too; a tool that flushes locally only shows less.",
    "outstanding",
)
_DEFINITIONS = (
    Definition(
        "Window",
        "Allocate: MPI allocated the memory (MPI_Win_allocate) and may choose memory it reaches "
        "fast. Create: the program brought it. Dynamic: it was attached later. Shared: both ranks "
        "map it. Tools differ in which they take, and small puts by several times.",
        "window",
    ),
    _OUTSTANDING_MEANS,
    Definition(
        "Target",
        "Waiting: the target waits inside MPI, where it progresses what others do to its memory. "
        "Working: it computes outside MPI, as programs do.",
        "target",
        ("working",),
    ),
)
# Told in the title, or as a rule the plain ones.
_HIDDEN = ("size", "operation", "outstanding", "synchronization", "window", "target")


def _headlines(who: str, *, sized: bool) -> tuple[Headline, ...]:
    """One small operation by itself, the first two of the run; the best rate."""
    return (
        Headline(
            title=f"{who} {{operation}}" + ", {size}" * sized,
            select=Selection(
                where=(("outstanding", 1),), plain=True, vary=("operation",), small=sized
            ),
            by="operation",
            most=2,
            hide=_HIDDEN,
        ),
        Headline(
            title=f"{who} rate",
            select=Selection(metrics=("rate",)),
            pick=Pick.BEST,
            hide=_HIDDEN[3:],
        ),
    )


def _rates(benchmark: str, *, sized: bool) -> CurveChart:
    """Over the operations outstanding, of the smallest size."""
    return CurveChart(
        name=f"{benchmark}-rate",
        title="Operation rate by operations outstanding",
        description="Operations per second over the number of operations begun before their "
        "completion is waited for, a small panel an operation, with 95 % bands.",
        value="rate",
        select=Selection(
            metrics=("rate",), plain=True, vary=("operation",), smallest=("size",) * sized
        ),
        along=(Along.OUTSTANDING,),
        form=CurveForm.MULTIPLES,
        panels=("operation",),
    )


def _transfers(benchmark: str, who: str, definitions: tuple[Definition, ...]) -> Display:
    bandwidth = CurveChart(
        name=f"{benchmark}-bandwidth",
        title="One-sided bandwidth by size",
        description="Bandwidth over the size of one operation, with the most operations "
        "outstanding, on logarithmic axes; below, half the 95 % interval in percent of "
        "the value.",
        value="bandwidth",
        select=Selection(
            metrics=("bandwidth",), plain=True, vary=("operation",), largest=("outstanding",)
        ),
    )
    return Display(
        headlines=_headlines(who, sized=True),
        charts=(ChartKind.OPERATION_TIME, bandwidth, _rates(benchmark, sized=True)),
        tables=(TableKind.OPERATIONS_IN_FLIGHT,),
        definitions=definitions,
    )


def _atomics(benchmark: str, who: str, definitions: tuple[Definition, ...]) -> Display:
    return Display(
        headlines=_headlines(who, sized=False),
        charts=(ChartKind.OPERATION_TIME, _rates(benchmark, sized=False)),
        tables=(TableKind.OPERATIONS_IN_FLIGHT,),
        definitions=definitions,
    )


_MODELED: dict[str, tuple[Value, ...]] = {
    "nodes": (2,),
    "synchronization": ("lock-all",),
    "window": ("allocate",),
    "target": ("waiting",),
}

ONESIDED = Benchmark(
    name="network.onesided",
    title="One-sided transfers",
    subject=Subject.MPI_ONE_SIDED,
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
    display=_transfers("network-onesided", "One-sided", _DEFINITIONS),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    skips=_ACTIVE_TARGETS_WAIT,
    modeled={"operation": ("put", "get"), **_MODELED},
)

ATOMICS = Benchmark(
    name="network.atomics",
    title="One-sided atomic operations",
    subject=Subject.MPI_ONE_SIDED,
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
    display=_atomics("network-atomics", "One-sided", _DEFINITIONS),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    skips=_ACTIVE_TARGETS_WAIT,
    modeled=_MODELED,
)

SHMEM_TRANSFER = Benchmark(
    name="shmem.transfer",
    title="OpenSHMEM transfers",
    subject=Subject.SHMEM,
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
    display=_transfers("shmem-transfer", "OpenSHMEM", (_OUTSTANDING_MEANS,)),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

_SHMEM_ATOMICS = ("add", "inc", "fetch-add", "fetch-inc", "swap", "compare-swap")

SHMEM_ATOMICS = Benchmark(
    name="shmem.atomics",
    title="OpenSHMEM atomic operations",
    subject=Subject.SHMEM,
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
    display=_atomics("shmem-atomics", "OpenSHMEM", (_OUTSTANDING_MEANS,)),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

SHMEM_ALLTOALL = Benchmark(
    name="shmem.alltoall",
    title="OpenSHMEM all-to-all",
    subject=Subject.SHMEM,
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
    display=Display(
        headlines=(
            Headline(
                title="OpenSHMEM all-to-all, {size}",
                select=Selection(small=True),
                hide=("size",),
            ),
            Headline(
                title="OpenSHMEM, injected by a node",
                select=Selection(metrics=("injection",)),
                pick=Pick.BEST,
            ),
        ),
        charts=(
            CurveChart(
                name="shmem-alltoall",
                title="OpenSHMEM all-to-all by size",
                description="Time of the slowest processing element in an all-to-all over the "
                "bytes for each peer on logarithmic axes; below, half the 95 % interval in percent "
                "of the value.",
                value="slowest",
            ),
            CurveChart(
                name="shmem-alltoall-injection",
                title="OpenSHMEM all-to-all: injected by each node",
                description="Bytes per second that each node injects over the number of processing "
                "elements on logarithmic axes; below, half the 95 % interval in percent of "
                "the value.",
                value="injected by each node",
                select=Selection(metrics=("injection",)),
                along=(Along.RANKS,),
            ),
        ),
        tables=(PivotTable(title="Slowest processing element, by size"),),
    ),
    seconds_per_point=0.03,
    ranks=RankSweep.ALL,
    least_ranks=2,
)

ONE_SIDED = (ONESIDED, ATOMICS)
SHMEM = (SHMEM_TRANSFER, SHMEM_ATOMICS, SHMEM_ALLTOALL)
