"""Messages between two ranks as OSU and IMB print them."""

from __future__ import annotations

from collections.abc import Iterator

from bench.network.quantity import Family, PeerColumn, Quantity, Reduction, imb, osu
from machmeter.benchmarks.network.messages import BANDWIDTH, LATENCY, PAIRS, THREADS
from machmeter.model.benchmark import Value
from machmeter.model.units import (
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    MESSAGES_PER_SECOND,
    SECONDS,
    Unit,
)


def point_to_point() -> Iterator[Quantity]:
    """Latencies, bandwidths and message rates."""
    yield from _latencies()
    yield from _bandwidths()


def _latency(name: str, pattern: str, way: str, theirs: tuple[PeerColumn, ...]) -> Quantity:
    parameters = {"pattern": pattern, "way": way, "data": "contiguous", "buffers": "hot"}
    return Quantity(
        name,
        Family.POINT_TO_POINT,
        LATENCY,
        tuple(parameters.items()),
        SECONDS,
        Reduction.MEAN,
        theirs,
    )


def _latencies() -> Iterator[Quantity]:
    half_trips = (osu("latency", "Avg Latency"), imb("MPI1", "PingPong", "t"))
    yield _latency("ping-pong", "ping-pong", "blocking", half_trips)
    persistent = (osu("latency_persistent", "Avg Latency"),)
    yield _latency("ping-pong, persistent", "ping-pong", "persistent", persistent)
    yield _latency("exchange", "ping-ping", "blocking", (imb("MPI1", "Sendrecv", "t_max"),))
    mixed = "a blocking receive between MPI_Isend and MPI_Wait; ours is non-blocking throughout"
    pingping = (imb("MPI1", "PingPing", "t", differs=mixed),)
    yield _latency("ping-ping", "ping-ping", "nonblocking", pingping)
    yield Quantity(
        "pairs, barrier",
        Family.POINT_TO_POINT,
        PAIRS,
        (("definition", "barrier"),),
        SECONDS,
        Reduction.MEAN_OF_PAIRS,
        (osu("multi_lat", "Avg Latency"),),
    )
    yield Quantity(
        "one thread of MPI_THREAD_MULTIPLE",
        Family.POINT_TO_POINT,
        THREADS,
        (("window", 1),),
        SECONDS,
        Reduction.HALF,
        (osu("latency_mt", "Avg Latency", "-t", "1:1"),),
        sizes=(8, 65536),
    )


def _bandwidth(
    name: str, direction: str, window: int, unit: Unit, amount: str, theirs: tuple[PeerColumn, ...]
) -> Quantity:
    parameters: dict[str, Value] = {
        "direction": direction,
        "window": window,
        "buffers": "hot",
    }
    return Quantity(
        name,
        Family.POINT_TO_POINT,
        BANDWIDTH,
        tuple(parameters.items()),
        unit,
        Reduction.RATE,
        theirs,
        amount,
    )


def _bandwidths() -> Iterator[Quantity]:
    both = BYTES_PER_SECOND_BOTH_WAYS
    answered = "one acknowledgment; ours and OSU's have one each way"
    for window in (64, 256):
        narrow = window == 64
        arguments = ("-window_size", "64") if narrow else ()
        one = imb("MPI1", "Uniband", "Mbytes/sec", *arguments)
        two = imb("MPI1", "Biband", "Mbytes/sec", *arguments, differs=answered)
        yield _bandwidth(
            f"bandwidth, window {window}",
            "one-way",
            window,
            BYTES_PER_SECOND_ONE_WAY,
            "bytes_one_way",
            (*((osu("bw", "Bandwidth"),) if narrow else ()), one),
        )
        yield _bandwidth(
            f"both ways, window {window}",
            "both-ways",
            window,
            both,
            "bytes_both_ways",
            (*((osu("bibw", "Bandwidth"),) if narrow else ()), two),
        )
    barrier = "a barrier before every window"
    yield _bandwidth(
        "message rate, window 64",
        "one-way",
        64,
        MESSAGES_PER_SECOND,
        "messages",
        (
            osu("mbw_mr", "Messages/s", differs=barrier),
            imb("MPI1", "Uniband", "Msg/sec", "-window_size", "64"),
        ),
    )
