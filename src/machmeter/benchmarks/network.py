"""Benchmarks of MPI between ranks."""

from __future__ import annotations

from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Executable,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
)
from machmeter.model.units import (
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    MESSAGES_PER_SECOND,
    SECONDS,
    SHARE,
)

# MPI counts bytes in a C int.
LARGEST_MESSAGE = 2**31 - 1
_POWERS_OF_FOUR = tuple(4**power for power in range(12))

LATENCY = Benchmark(
    name="network.latency",
    title="Ping-pong latency",
    summary="Half the round trip of one message between two ranks, blocking send and receive.",
    executable=Executable.MPI,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (0, 1, 2, 4, 8, *(2**power for power in range(4, 23))),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
    ),
    metrics=(Metric("latency", "Half round trip", SECONDS, Direction.LOWER, Formula.TIME),),
    seconds_per_point=0.02,
    ranks=2,
)

BANDWIDTH = Benchmark(
    name="network.bandwidth",
    title="Message bandwidth and rate",
    summary="A window of messages in flight, then a short acknowledgement; one way, or both at "
    "once.",
    executable=Executable.MPI,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            _POWERS_OF_FOUR,
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "direction",
            ParameterKind.CHOICE,
            ("one-way", "both-ways"),
            "who sends",
            choices=("one-way", "both-ways"),
        ),
        Parameter(
            "window", ParameterKind.COUNT, (64,), "messages in flight", minimum=1, maximum=1024
        ),
    ),
    metrics=(
        Metric(
            "bandwidth_one_way",
            "Bandwidth, one way",
            BYTES_PER_SECOND_ONE_WAY,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes_one_way",
        ),
        Metric(
            "bandwidth_both_ways",
            "Bandwidth, both ways summed",
            BYTES_PER_SECOND_BOTH_WAYS,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes_both_ways",
        ),
        Metric(
            "message_rate",
            "Message rate",
            MESSAGES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="messages",
            primary=False,
        ),
    ),
    seconds_per_point=0.03,
    ranks=2,
)

OVERLAP = Benchmark(
    name="network.overlap",
    title="Overlap of communication and work",
    summary="A non-blocking message against calibrated work: the share of the work hidden (Austin "
    "et al., CUG 2013) and the share of the communication hidden (as OSU and IMB define it).",
    executable=Executable.MPI,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (16384, 65536, 262144, 1048576, 4194304),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "side",
            ParameterKind.CHOICE,
            ("send", "receive"),
            "the side that works",
            choices=("send", "receive"),
        ),
        Parameter(
            "work_percent",
            ParameterKind.COUNT,
            (100,),
            "work as a share of the communication time, percent",
            minimum=1,
            maximum=10_000,
        ),
    ),
    metrics=(
        Metric(
            "work_hidden",
            "Share of work hidden",
            SHARE,
            Direction.HIGHER,
            Formula.WORK_HIDDEN,
            series=("total", "work", "communication"),
        ),
        Metric(
            "communication_hidden",
            "Share of communication hidden",
            SHARE,
            Direction.HIGHER,
            Formula.COMMUNICATION_HIDDEN,
            series=("total", "work", "communication"),
        ),
    ),
    seconds_per_point=0.05,
    ranks=2,
)

NETWORK = (LATENCY, BANDWIDTH, OVERLAP)
