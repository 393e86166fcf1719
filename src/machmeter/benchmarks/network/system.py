"""Benchmarks of the whole system: its start-up, and whether all of it performs equally."""

from __future__ import annotations

from machmeter.benchmarks.network.messages import LARGEST_MESSAGE
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
)
from machmeter.model.display import (
    Along,
    ChartKind,
    CurveChart,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    PivotTable,
    Selection,
    TableKind,
)
from machmeter.model.units import BYTES, BYTES_PER_SECOND_ONE_WAY, SECONDS


def _over_ranks(metric: str, title: str, axis: str = "") -> CurveChart:
    return CurveChart(
        name=f"network-startup-{metric}",
        title=title,
        description=f"{title} over the number of ranks, on the slowest or largest rank; below, the "
        "95 % interval in percent of the value.",
        value=axis or f"{title[0].lower()}{title[1:]}",
        select=Selection(metrics=(metric,)),
        along=(Along.RANKS,),
    )


def _by_ranks(metric: str, title: str) -> PivotTable:
    return PivotTable(
        title=f"{title}, by ranks",
        select=Selection(metrics=(metric,)),
        along=(Along.RANKS,),
        growth=metric.startswith("memory"),
    )


STARTUP = Benchmark(
    name="network.startup",
    title="Start-up and memory of MPI",
    summary="Time of MPI_Init on the slowest rank, time of the first message with every peer, and "
    "the memory of the rank that has taken most by then (VmRSS of /proc/self/status).",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8,),
            "bytes of the first message with each peer",
            maximum=LARGEST_MESSAGE,
        ),
    ),
    metrics=(
        Metric("init", "MPI_Init", SECONDS, Direction.LOWER, Formula.TIME, series=("init",)),
        Metric(
            "contact",
            "First message with every peer",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("contact",),
            primary=False,
        ),
        Metric(
            "memory",
            "Memory of a rank",
            BYTES,
            Direction.LOWER,
            Formula.AMOUNT,
            series=(),
            amount="memory_bytes",
        ),
        Metric(
            "memory_before_contact",
            "Memory of a rank before any message",
            BYTES,
            Direction.LOWER,
            Formula.AMOUNT,
            series=(),
            amount="memory_before_contact_bytes",
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="MPI_Init",
                select=Selection(layouts=(LayoutFilter.MOST_RANKS,)),
                hide=("size",),
            ),
            Headline(
                title="Memory of a rank",
                select=Selection(metrics=("memory",), layouts=(LayoutFilter.MOST_RANKS,)),
                hide=("size",),
            ),
        ),
        charts=(
            _over_ranks("init", "Time of MPI_Init", "MPI_Init"),
            _over_ranks("contact", "Time of the first message with every peer"),
            _over_ranks("memory", "Memory of a rank after contact with every peer"),
        ),
        tables=(
            _by_ranks("init", "MPI_Init"),
            _by_ranks("contact", "First message with every peer"),
            _by_ranks("memory", "Memory of a rank"),
            _by_ranks("memory_before_contact", "Memory of a rank before any message"),
        ),
        definitions=(
            Definition(
                "Memory",
                "Resident set of a rank as the kernel reports it, shared memory included: pages "
                "that ranks share count for each of them.",
            ),
        ),
    ),
    ranks=RankSweep.GROWING,
    least_ranks=2,
)

CONSISTENCY = Benchmark(
    name="network.consistency",
    title="Consistency across the system",
    summary="Ping-pong of every pair of nodes, or of a sample that covers them, in rounds in which "
    "no node takes part twice; ranks stand for nodes where there is one machine.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "pair",
            ParameterKind.RANK_PAIR,
            (AUTO,),
            "the two ranks, one on each node",
            auto=AutoRule.RANK_PAIRS,
            phrase="pair {}",
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 1048576),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
    ),
    metrics=(
        Metric("latency", "Latency, one way", SECONDS, Direction.LOWER, Formula.TIME),
        Metric(
            "bandwidth",
            "Bandwidth, one way",
            BYTES_PER_SECOND_ONE_WAY,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes_one_way",
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="{place}",
                select=Selection(small=True),
                pick=Pick.WORST_AND_BEST_PAIR,
            ),
        ),
        charts=(ChartKind.NODE_MATRIX,),
        tables=(TableKind.NODE_PAIRS,),
        definitions=(
            Definition(
                "Outlier",
                "A pair slower than usual by 10 % at least and by more than five deviations, or "
                "by twice. Usual is the middle of the densest half of the pairs without suspect "
                "nodes; of a sample of pairs at several levels of switches, of those of its "
                "level.",
            ),
        ),
    ),
    seconds_per_point=0.01,
    ranks=RankSweep.NODES,
    least_ranks=2,
    modeled={},
)

SYSTEM = (STARTUP, CONSISTENCY)
