"""Benchmarks of collective operations."""

from __future__ import annotations

from itertools import product

from machmeter.benchmarks.network.messages import LARGEST_MESSAGE
from machmeter.benchmarks.network.overlap import (
    HIDDEN,
    HIDDEN_MEANS,
    WORK_PERCENT,
    share_tables,
)
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
    Statistic,
    Subject,
)
from machmeter.model.display import (
    Along,
    ChartKind,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    PivotTable,
    RatiosToDefault,
    Selection,
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
    phrase="start by {}",
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

_STARTED = Definition(
    "Start",
    "By time: all ranks begin at one moment on synchronized clocks, and rounds with a late start "
    "do not count. By barrier: as OSU and IMB do; ranks leave a barrier one after the other, "
    "and the result contains that skew.",
    "start",
)


def _variants(parameter: str, title: str, than: str) -> RatiosToDefault:
    """Other values of one parameter, a line an operation, a panel a size."""
    return RatiosToDefault(
        name=f"network-collective-{parameter}",
        title=f"{title}, over {than}",
        names=(parameter,),
        select=Selection(plain=True, vary=(parameter, "operation")),
        category="operation",
        description=f"Ratio of the time of {than} to that of others, for each operation and size, "
        "with 95 % intervals.",
        note="Above 1x: faster. Paired by launch.",
    )


_VARIANTS = (
    _variants("form", "Non-blocking and persistent forms", "the blocking form"),
    _variants("start", "Started after a barrier", "started by time on synchronized clocks"),
    _variants("datatype", "Other elements of reductions", "float"),
)
_INJECTION_ALONG = (Along.NODES, Along.RANKS, Along.SIZE)

COLLECTIVE = Benchmark(
    name="network.collective",
    title="Collective operations",
    subject=Subject.MPI_COLLECTIVES,
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
        Metric(
            "time",
            "Slowest rank",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            statistic=Statistic.SLOWEST_RANK,
        ),
        INJECTION,
    ),
    display=Display(
        headlines=(
            Headline(
                title="{operation}, {size}",
                select=Selection(
                    prefer=(("operation", "allreduce"),),
                    plain=True,
                    vary=("operation",),
                    small=True,
                ),
                hide=("size", "operation"),
            ),
            Headline(
                title="Injected in all-to-all",
                select=Selection(metrics=("injection",), where=(("operation", "alltoall"),)),
                pick=Pick.BEST,
                hide=("operation", "form", "start", "datatype"),
            ),
        ),
        charts=(
            CurveChart(
                name="network-collective",
                title="Time of collective operations by size",
                description="Time of the slowest rank over the size on logarithmic axes with 95 % "
                "bands, a small panel an operation.",
                value="slowest rank",
                select=Selection(plain=True, vary=("operation",)),
                form=CurveForm.MULTIPLES,
                panels=("operation",),
                note="Ranks begin together; the last one to end sets the time.",
            ),
            *_VARIANTS,
            CurveChart(
                name="network-injection",
                title="All-to-all: injected by each node, by {along}",
                description="Bytes per second that each node injects in an all-to-all over the "
                "{along}, on logarithmic axes; below, half the 95 % interval in "
                "percent of the value.",
                value="injected by each node",
                select=Selection(
                    metrics=("injection",),
                    where=(("operation", "alltoall"),),
                    plain=True,
                    vary=("operation",),
                ),
                along=_INJECTION_ALONG,
            ),
        ),
        tables=(
            PivotTable(
                title="Slowest rank, operation by size",
                select=Selection(plain=True, vary=("operation",)),
            ),
            *_VARIANTS,
            PivotTable(
                title="Bytes injected by each node, by {along}",
                select=Selection(metrics=("injection",), plain=True, vary=("operation",)),
                along=_INJECTION_ALONG[:2],
            ),
        ),
        definitions=(
            _STARTED,
            Definition(
                "Elements",
                "What a reduction sums; OSU up to 7.0 summed floats, from 7.1 on chars, which are "
                "slower for as many bytes.",
                "datatype",
            ),
            Definition(
                "Injected",
                "Bytes that the ranks of one node send to others in an all-to-all, over its time.",
                "operation",
                ("alltoall", "alltoallv"),
            ),
        ),
    ),
    seconds_per_point=0.03,
    ranks=RankSweep.ALL,
    least_ranks=2,
    skips=tuple(
        (("operation", operation), ("datatype", datatype))
        for operation, datatype in product(OPERATIONS, DATATYPES[1:])
        if operation not in REDUCTIONS
    ),
    modeled={
        "operation": (
            *("bcast", "gather", "scatter", "allgather", "reduce", "allreduce", "alltoall"),
        ),
        "form": FORMS[:1],
        "start": STARTS[:1],
        "datatype": DATATYPES[:1],
    },
)

BARRIER = Benchmark(
    name="network.barrier",
    title="Barrier",
    subject=Subject.MPI_COLLECTIVES,
    summary="MPI_Barrier of all ranks, begun together; the last rank to leave sets the time.",
    program=MPI_PROGRAM,
    parameters=(_FORM, _START),
    metrics=(
        Metric(
            "time",
            "Slowest rank",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            statistic=Statistic.SLOWEST_RANK,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="MPI barrier",
                select=Selection(plain=True, layouts=(LayoutFilter.USUAL,)),
            ),
        ),
        charts=(ChartKind.BARRIER,),
        definitions=(_STARTED,),
    ),
    seconds_per_point=0.03,
    ranks=RankSweep.ALL,
    least_ranks=2,
    modeled={"form": FORMS[:1], "start": STARTS[:1]},
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
    display=Display(
        headlines=(
            Headline(
                title="Collective hidden, best",
                select=Selection(metrics=("communication_hidden",), layouts=(LayoutFilter.USUAL,)),
                pick=Pick.BEST,
                hide=("work_percent",),
            ),
        ),
        charts=(ChartKind.COLLECTIVE_OVERLAP,),
        tables=share_tables(),
        definitions=(HIDDEN_MEANS,),
    ),
    seconds_per_point=0.05,
    ranks=RankSweep.ALL,
    least_ranks=2,
)

COLLECTIVES = (COLLECTIVE, BARRIER, COLLECTIVE_OVERLAP)
