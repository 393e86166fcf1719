"""What a column of an OSU table is in machmeter's terms, by test and version.

Definitions are those of OSU's sources (7.4, and the changes in its CHANGES file): latency is
half a round trip; bandwidth is a window of 64 messages (-W changes it: the launch line says so) and
a short acknowledgment; from 5.9 on every exchange of osu_multi_lat begins with a barrier of all
ranks; from 7.1 on reductions sum MPI_CHAR, before that MPI_FLOAT; osu_mbw_mr divides by the mean
time of the senders; collectives print the mean over ranks of each rank's mean time, and with -f
also the slowest rank's, which alone is what machmeter calls the time of a collective.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from machmeter.importing.meaning import Meaning
from machmeter.importing.osu.buffers import HOSTS
from machmeter.importing.osu.columns import DATATYPE, SLOWEST, TRANSMITTED, OsuRow
from machmeter.importing.osu.windows import WINDOW, window_of
from machmeter.importing.osu.workloads import as_workload
from machmeter.importing.placement import group_layout, pair_layout
from machmeter.model.benchmark import Value

_COLLECTIVES = {
    "Broadcast": "bcast",
    "Gather": "gather",
    "Scatter": "scatter",
    "Allgather": "allgather",
    "Reduce": "reduce",
    "Allreduce": "allreduce",
    "All-to-All Personalized Exchange": "alltoall",
    "All-to-All": "alltoall",
}
_DATATYPES = {"MPI_CHAR": "char", "MPI_FLOAT": "float", "MPI_INT": "int32", "MPI_DOUBLE": "double"}
_WINDOWS = {
    "MPI_Win_allocate": "allocate",
    "MPI_Win_create": "create",
    "MPI_Win_create_dynamic": "dynamic",
}
_SYNCHRONIZATIONS = {"MPI_Win_flush": "lock-all", "MPI_Win_lock/unlock": "lock"}


def meaning_of(printed: OsuRow) -> tuple[list[Meaning], str]:
    """The results of a row, and why they are not machmeter's own: empty where they are."""
    reader = _reader_of(printed.test)
    why = _other_way(printed, reader)
    if reader is not None and not why:
        found = reader(printed)
        if found and (printed.is_of_bytes or "datatype" in found[0].parameters):
            return found, ""
    return as_workload(printed), why or _why(printed.test, printed)


def _other_way(printed: OsuRow, reader: Callable[[OsuRow], list[Meaning]] | None) -> str:
    """Why no result of the row is measured as machmeter does; empty where nothing says so."""
    if not printed.buffers:
        return "in whose memory its buffers are is not printed (`D D` of its launch line says it)"
    if printed.buffers != HOSTS and not (printed.on_devices and reader in (_latency, _bandwidth)):
        return f"its buffers are {printed.buffers}, for which machmeter has no such benchmark"
    if TRANSMITTED in printed.row:
        return "its messages are of a derived datatype"
    # Without a version are only those from 3 on: before, it stood in the sources.
    is_old = printed.is_since(3) is False
    return "how versions before 3 measure is not known here" if is_old else ""


def _reader_of(title: str) -> Callable[[OsuRow], list[Meaning]] | None:
    simple = {
        "Latency": _latency,
        "Latency Persistent": _latency,
        "Bandwidth": _bandwidth,
        "Bi-Directional Bandwidth": _bandwidth,
        "Multiple Bandwidth / Message Rate": _many_pairs,
        "Multi Latency": _multi_latency,
        "Barrier Latency": _collective,
    }
    if title in simple:
        return simple[title]
    if title.removesuffix(" Latency") in _COLLECTIVES and title.endswith(" Latency"):
        return _collective
    if re.fullmatch(r"(Put|Get) (Latency|latency|Bandwidth)", title):
        return _one_sided
    if re.fullmatch(r"(Fetch_and_op|Compare_and_swap) latency", title):
        return _atomic
    return None


def _latency(printed: OsuRow) -> list[Meaning]:
    layout, note = pair_layout(printed.place)
    way = "persistent" if "Persistent" in printed.title else "blocking"
    return [
        Meaning(
            column=printed.latency_column,
            unit="us",
            benchmark="network.latency",
            metric="latency",
            parameters=printed.sized(
                pattern="ping-pong", way=way, data="contiguous", buffers=_place(printed)
            ),
            layout=layout,
            text="half the round trip",
            note=note,
        )
    ]


def _place(printed: OsuRow) -> str:
    return "device" if printed.on_devices else "hot"


def _bandwidth(printed: OsuRow) -> list[Meaning]:
    both = "Bi-Directional" in printed.title
    window, of_window = _window(printed)
    if window is None:
        return []
    layout, note = pair_layout(printed.place)
    return [
        Meaning(
            column="Bandwidth (MB/s)",
            unit="MB/s",
            benchmark="network.bandwidth",
            metric="bandwidth_both_ways" if both else "bandwidth_one_way",
            parameters=printed.sized(
                direction="both-ways" if both else "one-way", window=window, buffers=_place(printed)
            ),
            layout=layout,
            note=_and(note, of_window),
        )
    ]


def _window(printed: OsuRow) -> tuple[int | None, str]:
    """The window of a bandwidth, None where it is not known, and where it is known from."""
    said = printed.settings.get(WINDOW, "")
    window = window_of(said)
    if said:
        return window, f"a window of {said}, as its launch line says"
    return window, f"a window of {window}, unless -W was given: it is not printed"


def _many_pairs(printed: OsuRow) -> list[Meaning]:
    """One pair is osu_bw; of several the mean sender counts here, the slowest in machmeter."""
    window = printed.settings.get(WINDOW, "")
    if printed.settings.get("pairs") != "1" or not window.isdigit():
        return []
    layout, note = pair_layout(printed.place)
    parameters = printed.sized(direction="one-way", window=int(window), buffers="hot")
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
        for column, unit, metric in (
            ("MB/s", "MB/s", "bandwidth_one_way"),
            ("Messages/s", "msg/s", "message_rate"),
        )
        if column in printed.row
    ]


def _multi_latency(printed: OsuRow) -> list[Meaning]:
    found = group_layout(printed.place)
    has_barrier = printed.is_since(5, 9)
    if found is None or printed.place.ranks % 2 or has_barrier is None:
        return []
    layout, note = found
    definition = "barrier" if has_barrier else "classic"
    return [
        Meaning(
            column=printed.latency_column,
            unit="us",
            benchmark="network.pairs",
            metric="mean_latency",
            parameters=printed.sized(definition=definition),
            layout=layout,
            text=f"mean of {printed.place.ranks // 2} pairs",
            note=note,
        )
    ]


def _collective(printed: OsuRow) -> list[Meaning]:
    found = group_layout(printed.place)
    title = printed.test.removesuffix(" Latency")
    if found is None or SLOWEST not in printed.row:
        return []
    layout, note = found
    parameters: dict[str, Value] = {"form": "blocking", "start": "barrier"}
    if title != "Barrier":
        operation = _COLLECTIVES[title]
        parameters = printed.sized(**parameters, operation=operation)
        if operation in ("reduce", "allreduce"):
            datatype = _datatype(printed)
            if datatype is None:
                return []
            parameters["datatype"] = datatype
    return [
        Meaning(
            column=SLOWEST,
            unit="us",
            benchmark="network.barrier" if title == "Barrier" else "network.collective",
            metric="time",
            parameters=parameters,
            layout=layout,
            text="slowest rank's mean",
            note=note,
        )
    ]


def _datatype(printed: OsuRow) -> str | None:
    said = printed.settings.get(DATATYPE)
    if said is not None:
        return _DATATYPES.get(said)
    return {True: "char", False: "float", None: None}[printed.is_since(7, 1)]


def _one_sided(printed: OsuRow) -> list[Meaning]:
    """With a flush after each operation, or each window: fence and post-start time otherwise."""
    window = _WINDOWS.get(printed.settings.get("Window creation", ""))
    synchronization = _SYNCHRONIZATIONS.get(printed.settings.get("Synchronization", ""))
    many = "Bandwidth" in printed.title
    outstanding, of_window = _window(printed) if many else (1, "")
    if window is None or synchronization is None or outstanding is None:
        return []
    if many and synchronization != "lock-all":
        return []
    layout, note = pair_layout(printed.place)
    return [
        Meaning(
            column="Bandwidth (MB/s)" if many else printed.latency_column,
            unit="MB/s" if many else "us",
            benchmark="network.onesided",
            metric="bandwidth" if many else "time",
            parameters=printed.sized(
                operation="put" if "_Put" in printed.title else "get",
                synchronization=synchronization,
                window=window,
                outstanding=outstanding,
                target="waiting",
            ),
            layout=layout,
            note=_and(note, of_window),
        )
    ]


def _atomic(printed: OsuRow) -> list[Meaning]:
    window = _WINDOWS.get(printed.settings.get("Window creation", ""))
    synchronization = _SYNCHRONIZATIONS.get(printed.settings.get("Synchronization", ""))
    if window is None or synchronization is None or printed.size != 8:
        return []
    layout, note = pair_layout(printed.place)
    operation = "fetch-and-op" if "Fetch" in printed.title else "compare-and-swap"
    return [
        Meaning(
            column=printed.latency_column,
            unit="us",
            benchmark="network.atomics",
            metric="time",
            parameters={
                "operation": operation,
                "synchronization": synchronization,
                "window": window,
                "outstanding": 1,
                "target": "waiting",
            },
            layout=layout,
            note=note,
        )
    ]


_RANKS_UNKNOWN = "how many ranks ran is not printed (--used-ranks says it)"
_REASONS = {
    "non-blocking": "its overlap is cut off at 0 and its work overshoots, unlike machmeter's",
    "multiple": "it divides by the mean time of the senders, machmeter by the slowest",
    "all-to-allv": "its parts are of one size, those of machmeter differ",
    "gatherv": "its parts are of one size, those of machmeter differ",
    "scatterv": "its parts are of one size, those of machmeter differ",
    "allgatherv": "its parts are of one size, those of machmeter differ",
    "reduce_scatter": "its size is of all parts together, that of machmeter is of one",
}


# The version with which what is measured changed.
_CHANGED = {"Multi Latency": "5.9", "Reduce Latency": "7.1", "Allreduce Latency": "7.1"}


def _why(title: str, printed: OsuRow) -> str:
    operation = title.removesuffix(" Latency")
    if title == "Multi Latency" or operation in (*_COLLECTIVES, "Barrier"):
        if group_layout(printed.place) is None:
            return _RANKS_UNKNOWN
        if operation != "Multi" and SLOWEST not in printed.row:
            return "it prints the mean of the ranks (-f has the slowest)"
    if not printed.release and title in _CHANGED:
        return f"its version is not printed, and what it measures changed with {_CHANGED[title]}"
    if _reader_of(title) is not None and not printed.is_of_bytes:
        return f"its messages are of {printed.settings[DATATYPE]}, machmeter's of bytes"
    if _reader_of(title) in (_bandwidth, _one_sided) and _window(printed)[0] is None:
        return f"its window is given as {printed.settings[WINDOW]!r}: how many that is is not known"
    other = "machmeter has no benchmark of the same definition"
    return _REASONS.get(title.split(" ", 1)[0].lower(), other)


def _and(first: str, second: str) -> str:
    return "; ".join(part for part in (first, second) if part)
