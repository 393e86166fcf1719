"""One-sided transfers and atomic operations as OSU and IMB print them."""

from __future__ import annotations

from collections.abc import Iterator

from bench.network.quantity import Family, PeerColumn, Quantity, Reduction, osu
from machmeter.benchmarks.network.onesided import ATOMICS, ONESIDED
from machmeter.model.units import BYTES_PER_SECOND_ONE_WAY, SECONDS

_CLOCKED = "two clock readings per operation; ours are timed in batches"


def _transfer(
    name: str,
    operation: str,
    theirs: tuple[PeerColumn, ...],
    *,
    synchronization: str = "lock-all",
    window: str = "create",
    outstanding: int = 1,
) -> Quantity:
    many = outstanding > 1
    return Quantity(
        name,
        Family.ONE_SIDED,
        ONESIDED,
        (
            ("operation", operation),
            ("synchronization", synchronization),
            ("window", window),
            ("outstanding", outstanding),
            ("target", "waiting"),
        ),
        BYTES_PER_SECOND_ONE_WAY if many else SECONDS,
        Reduction.RATE if many else Reduction.MEAN,
        theirs,
        "bytes_one_way" if many else "",
    )


def _unaggregated(benchmark: str, differs: str = "") -> PeerColumn:
    return PeerColumn("IMB-RMA", (benchmark,), "t", "NON-AGGREGATE", differs=differs)


def one_sided() -> Iterator[Quantity]:
    """All by flush unless another epoch is named; OSU's flush is in a shared-lock epoch."""
    for operation in ("put", "get"):
        for window in ("allocate", "create"):
            arguments = ("-w", window, "-s", "flush")
            peers: tuple[PeerColumn, ...] = (
                osu(f"{operation}_latency", "Latency", *arguments, differs=_CLOCKED),
            )
            if window == "create":
                peers += (_unaggregated(f"Unidir_{operation}"),)
            yield _transfer(f"{operation}, {window}", operation, peers, window=window)
        for epoch, word in (("fence", "fence"), ("post-start", "pscw"), ("lock", "lock")):
            arguments = ("-w", "create", "-s", word)
            peers = (osu(f"{operation}_latency", "Latency", *arguments, differs=_CLOCKED),)
            yield _transfer(
                f"{operation}, create, {epoch}", operation, peers, synchronization=epoch
            )
        yield _transfer(
            f"{operation} bandwidth, 64 outstanding",
            operation,
            (osu(f"{operation}_bw", "Bandwidth", "-w", "create", "-s", "flush"),),
            outstanding=64,
        )
    yield from _accumulates()
    yield from _atomics()


def _accumulates() -> Iterator[Quantity]:
    chars = "sums MPI_CHAR; ours 8-byte integers"
    floats = "sums MPI_FLOAT; ours 8-byte integers"
    for operation, name, suite_name in (
        ("accumulate", "acc_latency", "Accumulate"),
        ("get-accumulate", "get_acc_latency", "Get_accumulate"),
    ):
        arguments = ("-w", "create", "-s", "flush")
        peers = (
            osu(name, "Latency", *arguments, differs=chars),
            _unaggregated(suite_name, differs=floats),
        )
        yield _transfer(f"{operation}, create", operation, peers)


def _atomics() -> Iterator[Quantity]:
    narrow = "4-byte integers; ours of 8"
    for operation, name, suite_name in (
        ("fetch-and-op", "fop_latency", "Fetch_and_op"),
        ("compare-and-swap", "cas_latency", "Compare_and_swap"),
    ):
        # With a window of MPI_Win_allocate these two programs of OSU 7.4 crash.
        arguments = ("-w", "create", "-s", "flush", "-T", "mpi_int")
        yield Quantity(
            f"{operation}, create",
            Family.ONE_SIDED,
            ATOMICS,
            (
                ("operation", operation),
                ("synchronization", "lock-all"),
                ("window", "create"),
                ("outstanding", 1),
                ("target", "waiting"),
            ),
            SECONDS,
            Reduction.MEAN,
            (
                osu(name, "Latency", *arguments, differs=narrow),
                _unaggregated(suite_name, differs=narrow),
            ),
            sizes=(),
        )
