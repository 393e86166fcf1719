"""Benchmarks of messages between pairs of ranks."""

from __future__ import annotations

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
    ThreadSweep,
)
from machmeter.model.units import (
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    MESSAGES_PER_SECOND,
    SECONDS,
)

# One rank's buffers must fit into memory; larger counts than a C int are sent all the same.
LARGEST_MESSAGE = 2**36

BUFFERS = Parameter(
    "buffers",
    ParameterKind.CHOICE,
    ("hot",),
    "the same buffers for every message, or others each time, out of caches",
    choices=("hot", "cold"),
)

LATENCY = Benchmark(
    name="network.latency",
    title="Message latency",
    summary="Half the round trip of one message between two ranks; in ping-ping both send at once, "
    "and the time is that of one such exchange.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (0, 1, 2, 4, 8, *(2**power for power in range(4, 23))),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "pattern",
            ParameterKind.CHOICE,
            ("ping-pong",),
            "one message at a time, or one each way",
            choices=("ping-pong", "ping-ping"),
        ),
        Parameter(
            "way",
            ParameterKind.CHOICE,
            ("blocking",),
            "the calls that move a message",
            choices=("blocking", "nonblocking", "persistent", "partitioned", "matched-probe"),
        ),
        Parameter(
            "data",
            ParameterKind.CHOICE,
            ("contiguous",),
            "where the bytes lie: together, in equal steps, or at listed places",
            choices=("contiguous", "vector", "indexed"),
        ),
        BUFFERS,
    ),
    metrics=(Metric("latency", "One way", SECONDS, Direction.LOWER, Formula.TIME),),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    # Their requests are made once, for one buffer each.
    skips=tuple((("way", way), ("buffers", "cold")) for way in ("persistent", "partitioned")),
)

PAIRS = Benchmark(
    name="network.pairs",
    title="Latency of many pairs at once",
    summary="Ping-pong of every pair at the same time, each rank of the first half with one of the "
    "second: the slowest pair counts. `classic` runs on without stopping, as OSU's did up to 5.8; "
    "with `barrier` all ranks meet before every exchange, as from 5.9 on.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 4096, 1048576),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "definition",
            ParameterKind.CHOICE,
            ("classic", "barrier"),
            "how pairs keep step",
            choices=("classic", "barrier"),
        ),
    ),
    metrics=(
        Metric(
            "latency", "Slowest pair", SECONDS, Direction.LOWER, Formula.TIME, series=("slowest",)
        ),
        Metric(
            "mean_latency",
            "Mean of pairs",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("mean",),
            primary=False,
        ),
    ),
    ranks=RankSweep.POWERS,
    least_ranks=2,
    even_ranks=True,
    sweep_packages=True,
)

BANDWIDTH = Benchmark(
    name="network.bandwidth",
    title="Message bandwidth and rate",
    summary="A window of messages in flight, then a short acknowledgement; one way, or both at "
    "once. Of many pairs the slowest sets the time of all.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
            auto=AutoRule.MESSAGES,
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
        BUFFERS,
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
    ranks=RankSweep.PAIR,
    least_ranks=2,
    even_ranks=True,
)

THREADS = Benchmark(
    name="network.threads",
    title="Messages of several threads at once",
    summary="Each thread of one rank with one of the other (MPI_THREAD_MULTIPLE), each pair with a "
    "communicator of its own: the time and the message rate of the slowest.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 65536),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "window",
            ParameterKind.COUNT,
            (1, 64),
            "messages in flight of each thread; 1 is a ping-pong",
            minimum=1,
            maximum=1024,
        ),
    ),
    metrics=(
        Metric("event_time", "One round or window", SECONDS, Direction.LOWER, Formula.TIME),
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
    threads=ThreadSweep.POWERS,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

NETWORK = (LATENCY, PAIRS, BANDWIDTH, THREADS)
