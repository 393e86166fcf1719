"""Benchmarks of the whole system: its start-up, and whether all of it is alike."""

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
from machmeter.model.units import BYTES, BYTES_PER_SECOND_ONE_WAY, SECONDS

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
        Metric("latency", "One way", SECONDS, Direction.LOWER, Formula.TIME),
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
    seconds_per_point=0.01,
    ranks=RankSweep.NODES,
    least_ranks=2,
)

SYSTEM = (STARTUP, CONSISTENCY)
