"""What a column of an IMB table is in machmeter's terms.

Definitions are those of IMB's sources (2021): PingPong prints half the round trip; PingPing sends
by MPI_Isend in both directions; Uniband and Biband keep a window of 256 messages in flight;
collectives print the slowest rank's mean time (t_max) and put a barrier between them unless `-sync
off` is given; buffers are reused unless `-off_cache` is given; megabytes are 10^6 B from 2018 on,
and were 2^20 B before.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from machmeter.importing.contradictions import rate_kind
from machmeter.importing.imb.suite import REDUCING, Suite
from machmeter.importing.meaning import Meaning
from machmeter.importing.placement import group_layout, of_ranks, pair_layout, workload_layout
from machmeter.importing.readings import Place
from machmeter.model.benchmark import Value

_UNROOTED = {"Allreduce": "allreduce", "Allgather": "allgather", "Alltoall": "alltoall"}
_ROOTED = {"Bcast": "bcast", "Reduce": "reduce", "Gather": "gather", "Scatter": "scatter"}
_DATATYPES = {"MPI_FLOAT": "float", "MPI_DOUBLE": "double", "MPI_INT": "int32", "MPI_CHAR": "char"}
_ONE_SIDED = {"Unidir_put": "put", "Unidir_get": "get"}


class ImbRow(Struct, frozen=True):
    """One row of a table with what stands above it: numbers with decimals, by column."""

    name: str
    """Of the benchmark."""
    groups: int
    """How many groups of processes."""
    mode: str
    """As printed above the table."""
    place: Place
    """Where it ran."""
    size: int | None
    """Bytes of a message."""
    numbers: dict[str, tuple[float, int]]
    """Value and decimals by column."""
    group: int | None = None
    """Which of several groups at once, where each has a row of its own."""
    threads: int = 0
    """Of each process; 0 where they are not printed."""


def meaning_of(
    suite: Suite, row: ImbRow, group: str, remarks: list[str]
) -> tuple[list[Meaning], str]:
    """The results of a row, and why they are not machmeter's own: empty where they are.

    What its rows show of its megabytes is in `remarks`.
    """
    why = _other_way(suite, row)
    found = [] if why else _own(suite, row)
    results = found or _as_workload(suite, row)
    results = [_with_megabytes(suite, row, one, group, remarks) for one in results]
    return results, "" if found else why or _why(row)


def _other_way(suite: Suite, row: ImbRow) -> str:
    """Why no result of the row is measured as machmeter does; empty where nothing says so."""
    if suite.own_program or row.threads:
        return _of_program(suite)
    if row.groups > 1:
        return f"{row.groups} groups ran at once"
    if suite.value("warm_up", "on") == "off":
        return "it ran without warm-up"
    if suite.value("contig_type", "base") != "base":
        return "its messages are of a derived datatype"
    if suite.sent not in ("", "MPI_BYTE", "MPI_CHAR") and row.name not in (*REDUCING, "Barrier"):
        return f"its messages are of {suite.sent}, machmeter's of bytes"
    return ""


def _of_program(suite: Suite) -> str:
    if "GPU" in suite.own_program:
        return "its buffers are in a GPU's memory, or where -mem_alloc_type puts them"
    return f"{suite.own_program or 'IMB with threads'} is another program than IMB-MPI1"


def _own(suite: Suite, row: ImbRow) -> list[Meaning]:
    if row.name in ("PingPong", "PingPing"):
        return _message(suite, row)
    if row.name in ("Uniband", "Biband") and row.place.ranks == 2 and suite.window:
        return _window(suite, row, suite.window)
    if row.name in (*_UNROOTED, *_ROOTED, "Barrier"):
        return _collective(suite, row)
    if row.name in _ONE_SIDED and row.mode == "NON-AGGREGATE":
        return _one_sided(row)
    return []


def _message(suite: Suite, row: ImbRow) -> list[Meaning]:
    layout, note = pair_layout(row.place)
    ping_ping = row.name == "PingPing"
    parameters: dict[str, Value] = {
        "size": row.size or 0,
        "pattern": "ping-ping" if ping_ping else "ping-pong",
        "way": "nonblocking" if ping_ping else "blocking",
        "data": "contiguous",
        "buffers": _buffers(suite),
    }
    text = "one exchange" if ping_ping else "half the round trip"
    return [
        Meaning(
            column="t[usec]",
            unit="us",
            benchmark="network.latency",
            metric="latency",
            parameters=parameters,
            layout=layout,
            text=text,
            note=note,
        )
    ]


def _window(suite: Suite, row: ImbRow, window: int) -> list[Meaning]:
    both = row.name == "Biband"
    layout, note = pair_layout(row.place)
    parameters: dict[str, Value] = {
        "size": row.size or 0,
        "direction": "both-ways" if both else "one-way",
        "window": window,
        "buffers": _buffers(suite),
    }
    metrics = {
        "Mbytes/sec": ("MB/s", "bandwidth_both_ways" if both else "bandwidth_one_way"),
        "Msg/sec": ("msg/s", "message_rate"),
    }
    return [
        Meaning(
            column=column,
            unit=unit,
            benchmark="network.bandwidth",
            metric=metric,
            parameters=parameters,
            layout=layout,
            note=note,
        )
        for column, (unit, metric) in metrics.items()
        # Of no bytes there is no bandwidth.
        if column in row.numbers and row.numbers[column][0] > 0
    ]


def _collective(suite: Suite, row: ImbRow) -> list[Meaning]:
    found = group_layout(row.place)
    rooted = row.name in _ROOTED
    # Before 2018 the root went round; later it does so when asked.
    moving_root = rooted and (suite.year < 2018 or suite.has("root_shift", "on"))
    if found is None or suite.has("sync", "off") or moving_root or row.size == 0:
        return []
    layout, note = found
    parameters: dict[str, Value] = {"form": "blocking", "start": "barrier"}
    if row.name != "Barrier":
        operation = (_UNROOTED | _ROOTED)[row.name]
        parameters |= {"size": row.size or 0, "operation": operation}
        if operation in ("reduce", "allreduce"):
            parameters["datatype"] = _DATATYPES.get(suite.datatype, "float")
    return [
        Meaning(
            column="t_max[usec]",
            unit="us",
            benchmark="network.barrier" if row.name == "Barrier" else "network.collective",
            metric="time",
            parameters=parameters,
            layout=layout,
            text="slowest rank's mean",
            note=note,
        )
    ]


def _one_sided(row: ImbRow) -> list[Meaning]:
    layout, note = pair_layout(row.place)
    return [
        Meaning(
            column="t[usec]",
            unit="us",
            benchmark="network.onesided",
            metric="time",
            parameters={
                "size": row.size or 0,
                "operation": _ONE_SIDED[row.name],
                "synchronization": "lock-all",
                "window": "create",
                "outstanding": 1,
                "target": "waiting",
            },
            layout=layout,
            text="until its flush",
            note=note,
        )
    ]


_COLUMNS = {
    "t[usec]": ("us", "time", "lower"),
    "t_max[usec]": ("us", "time of the slowest rank", "lower"),
    "t_pure[usec]": ("us", "pure communication", "lower"),
    "overlap[%]": ("%", "overlap, 0 to 100", "higher"),
    "Mbytes/sec": ("MB/s", "bandwidth", "higher"),
    "Msg/sec": ("msg/s", "message rate", "higher"),
}


def _as_workload(suite: Suite, row: ImbRow) -> list[Meaning]:
    name = f"imb-{row.name.lower().replace('_', '-')}"
    # The tests of IMB-MT have names of their own.
    if suite.own_program and not row.name.endswith("MT"):
        name = f"{suite.own_program.lower()}-{name.removeprefix('imb-')}"
    if row.mode:
        name += f"-{row.mode.lower()}"
    place = of_ranks(row.place, row.place.ranks * row.groups)
    layout, parameters, note = workload_layout(place)
    parameters |= suite.labels(row.name)
    if row.threads and "ranks_per_node" in layout:
        layout["threads_per_rank"] = row.threads
    elif row.threads:
        parameters["threads"] = row.threads
    if row.size is not None:
        parameters["size"] = row.size
    if row.groups > 1:
        parameters["groups"] = row.groups
        parameters |= {} if row.group is None else {"group": row.group}
    return [
        Meaning(
            column=column,
            unit=unit,
            workload=name,
            quantity=quantity,
            better=better,
            parameters=parameters,
            layout=layout,
            note=note,
        )
        for column, (unit, quantity, better) in _COLUMNS.items()
        if column in row.numbers
    ]


def _with_megabytes(
    suite: Suite, row: ImbRow, meaning: Meaning, group: str, remarks: list[str]
) -> Meaning:
    """The result in the megabytes that its own row, or else IMB's version, tells."""
    if meaning.column != "Mbytes/sec":
        return meaning
    kind = _kind(row) or suite.megabyte
    if kind == suite.megabyte == "MB/s":
        return meaning
    if kind != suite.megabyte:
        remarks.append(f"{group}: its Mbytes are {kind.removesuffix('/s')} by its own rows")
    return msgspec.structs.replace(meaning, unit=kind)


def _kind(row: ImbRow) -> str:
    """What `Mbytes` are by the row itself, where its size and rate or time show it."""
    printed, decimals = row.numbers["Mbytes/sec"]
    if not row.size or printed < 10:
        return ""
    if "Msg/sec" in row.numbers:
        return rate_kind(printed, decimals, row.size * row.numbers["Msg/sec"][0] / 1e6)
    if row.name == "PingPong" and row.numbers.get("t[usec]", (0.0, 0))[0] > 0:
        return rate_kind(printed, decimals, row.size / row.numbers["t[usec]"][0])
    return ""


def _buffers(suite: Suite) -> str:
    return "cold" if suite.has("off_cache") else "hot"


def _why(row: ImbRow) -> str:
    if row.place.unknown and row.name in (*_UNROOTED, *_ROOTED, "Barrier"):
        return row.place.unknown
    if row.name in _ROOTED and row.size:
        return "its root goes round, machmeter's stays"
    if row.size == 0 and row.name in (*_UNROOTED, *_ROOTED):
        return "machmeter has no collective of no bytes"
    return "machmeter has no benchmark of the same definition"
