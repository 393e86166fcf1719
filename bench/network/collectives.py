"""Collective operations of two ranks as OSU and IMB print them.

In all tools each operation starts after a barrier; the value is the largest of the ranks' means.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bench.network.quantity import RANKS, SIZES, Family, PeerColumn, Quantity, Reduction, imb, osu
from machmeter.benchmarks.network.collectives import (
    BARRIER,
    COLLECTIVE,
    COLLECTIVE_OVERLAP,
    REDUCTIONS,
)
from machmeter.model.units import SECONDS, SHARE

# By our name, that of OSU's programs; IMB's is capitalized.
_OPERATIONS = {
    "bcast": "bcast",
    "gather": "gather",
    "scatter": "scatter",
    "allgather": "allgather",
    "reduce": "reduce",
    "allreduce": "allreduce",
    "reduce-scatter": "reduce_scatter_block",
    "alltoall": "alltoall",
    "gatherv": "gatherv",
    "scatterv": "scatterv",
    "allgatherv": "allgatherv",
    "alltoallv": "alltoallv",
}
_HIDING_SIZES = (65536, 524288)
_FLOATS = ("-T", "mpi_float")
_EQUAL_PARTS = "parts of one size; ours are unequal, of the same mean"
_PARTS_NAMED = "MPI_Reduce_scatter; ours is MPI_Reduce_scatter_block"
_OF_THE_LATEST = "of the rank whose overlapped time is longest"
_CLAMPED = "clamped at 0, of means over ranks"
_CLAMPED_OF_LONGER = "clamped, over the longer of work and communication"


def blocking() -> Iterator[Quantity]:
    """The blocking calls; for reductions also OSU's default of MPI_CHAR."""
    yield _barrier(
        "blocking",
        Family.BLOCKING,
        (osu("barrier", "Max Latency", "-f"), imb("MPI1", "Barrier", "t_max")),
    )
    for operation, name in _OPERATIONS.items():
        theirs = (
            _osu(operation, name, "Max Latency", _arguments(operation)),
            _vectors(operation, imb("MPI1", name.capitalize(), "t_max")),
        )
        yield _collective(operation, "blocking", Family.BLOCKING, theirs)
    for operation, name in _OPERATIONS.items():
        if operation in REDUCTIONS:
            of_chars = (_osu(operation, name, "Max Latency", ("-f",)),)
            yield _collective(operation, "blocking", Family.BLOCKING, of_chars, "char")


def nonblocking() -> Iterator[Quantity]:
    """The time of start and wait alone and the share hidden, from one table of the peer."""
    yield _barrier(
        "nonblocking",
        Family.NONBLOCKING,
        (
            osu("ibarrier", "Max Comm.", "-f"),
            imb("NBC", "Ibarrier", "t_pure", differs=_OF_THE_LATEST),
        ),
    )
    for operation, name in _OPERATIONS.items():
        arguments = _arguments(operation)
        alone = _osu(operation, f"i{name}", "Max Comm.", arguments)
        hidden = _osu(operation, f"i{name}", "Overlap", arguments, differs=_CLAMPED)
        times: tuple[PeerColumn, ...] = (alone,)
        shares: tuple[PeerColumn, ...] = (hidden,)
        # IMB has no Ireduce_scatter_block.
        if operation != "reduce-scatter":
            suite = f"I{name}"
            theirs = imb("NBC", suite, "t_pure", differs=_OF_THE_LATEST)
            times += (_vectors(operation, theirs),)
            theirs = imb("NBC", suite, "overlap", differs=_CLAMPED_OF_LONGER)
            shares += (_vectors(operation, theirs),)
        yield _collective(operation, "nonblocking", Family.NONBLOCKING, times)
        yield _share_hidden(operation, shares)


def persistent() -> Iterator[Quantity]:
    """Requests prepared once, started and waited for; IMB has them in another suite."""
    yield _barrier(
        "persistent", Family.PERSISTENT, (osu("barrier_persistent", "Max Latency", "-f"),)
    )
    for operation, name in _OPERATIONS.items():
        program, differs = name, ""
        if operation == "reduce-scatter":
            program, differs = "reduce_scatter", _PARTS_NAMED
        arguments = _arguments(operation)
        theirs = _osu(operation, f"{program}_persistent", "Max Latency", arguments, differs=differs)
        yield _collective(operation, "persistent", Family.PERSISTENT, (theirs,))


def _arguments(operation: str) -> tuple[str, ...]:
    return ("-f", *(_FLOATS if operation in REDUCTIONS else ()))


def _osu(
    operation: str, program: str, column: str, arguments: tuple[str, ...], differs: str = ""
) -> PeerColumn:
    """OSU's size of a reduce-scatter is that of all parts."""
    scale = RANKS if operation == "reduce-scatter" else 1
    return _vectors(operation, osu(program, column, *arguments, scale=scale, differs=differs))


def _vectors(operation: str, theirs: PeerColumn) -> PeerColumn:
    if not operation.endswith("v"):
        return theirs
    differs = "; ".join(text for text in (theirs.differs, _EQUAL_PARTS) if text)
    return replace(theirs, differs=differs)


def _barrier(form: str, family: Family, theirs: tuple[PeerColumn, ...]) -> Quantity:
    return Quantity(
        "barrier" if form == "blocking" else f"barrier, {form}",
        family,
        BARRIER,
        (("form", form), ("start", "barrier")),
        SECONDS,
        Reduction.SLOWEST_RANK,
        theirs,
        sizes=(),
    )


def _collective(
    operation: str,
    form: str,
    family: Family,
    theirs: tuple[PeerColumn, ...],
    datatype: str = "float",
) -> Quantity:
    shown = "" if form == "blocking" else f", {form}"
    kind = f", {datatype}" if operation in REDUCTIONS else ""
    parameters = {
        "operation": operation,
        "form": form,
        "start": "barrier",
        "datatype": datatype,
    }
    return Quantity(
        f"{operation}{kind}{shown}",
        family,
        COLLECTIVE,
        tuple(parameters.items()),
        SECONDS,
        Reduction.SLOWEST_RANK,
        theirs,
        sizes=SIZES[:-1] if operation == "reduce-scatter" else SIZES,
    )


def _share_hidden(operation: str, theirs: tuple[PeerColumn, ...]) -> Quantity:
    return Quantity(
        f"{operation}, share hidden",
        Family.NONBLOCKING,
        COLLECTIVE_OVERLAP,
        (("operation", operation), ("work_percent", 100)),
        SHARE,
        Reduction.HIDDEN,
        theirs,
        sizes=_HIDING_SIZES,
    )
