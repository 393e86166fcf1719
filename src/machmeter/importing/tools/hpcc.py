"""HPC Challenge: the summary section of hpccoutf.txt.

`Star` results are the mean of all processes at work at once, `Single` ones those of one process
while the others wait. Rates of STREAM are of the best sweep, unlike machmeter's, and those of rings
are of each process. Latencies and bandwidths of PingPong
are over pairs drawn from all ranks: the same as machmeter's only where there are two.
"""

from __future__ import annotations

import re

import msgspec

from machmeter.importing.placement import (
    labels_in,
    of_ranks,
    pair_layout,
    place_before,
    remark_on,
    workload_layout,
)
from machmeter.importing.readings import ForeignResult, Place, Reading, joined
from machmeter.importing.text import ForeignText, has_no_number
from machmeter.model.benchmark import Value

_BEGIN = "Begin of Summary section."
_END = "End of Summary section."
_PAIR = re.compile(r"^(\w{1,80})=(\S{1,40})\s*$")
_HIGHER, _LOWER = "higher", "lower"
# As machine files name what is the same whoever ran it.
_HPL = "HPL_Tflops"
# Unit, quantity and direction of what the summary holds.
_FIGURES = {
    _HPL: ("TFLOP/s", "floating-point rate", _HIGHER),
    "PTRANS_GBs": ("GB/s", "PTRANS", _HIGHER),
    "MPIRandomAccess_GUPs": ("Gupdates/s", "random access over MPI", _HIGHER),
    "StarRandomAccess_GUPs": ("Gupdates/s", "random access, mean of all processes", _HIGHER),
    "SingleRandomAccess_GUPs": ("Gupdates/s", "random access, one process", _HIGHER),
    "MPIRandomAccess_LCG_GUPs": ("Gupdates/s", "random access over MPI, linear", _HIGHER),
    "StarRandomAccess_LCG_GUPs": (
        "Gupdates/s",
        "random access, linear, mean of all processes",
        _HIGHER,
    ),
    "SingleRandomAccess_LCG_GUPs": ("Gupdates/s", "random access, linear, one process", _HIGHER),
    "MPIFFT_Gflops": ("GFLOP/s", "FFT over MPI", _HIGHER),
    "StarFFT_Gflops": ("GFLOP/s", "FFT, mean of all processes", _HIGHER),
    "SingleFFT_Gflops": ("GFLOP/s", "FFT, one process", _HIGHER),
    "StarDGEMM_Gflops": ("GFLOP/s", "DGEMM, mean of all processes", _HIGHER),
    "SingleDGEMM_Gflops": ("GFLOP/s", "DGEMM, one process", _HIGHER),
    "StarSTREAM_Copy": ("GB/s", "STREAM copy, mean of all processes", _HIGHER),
    "StarSTREAM_Scale": ("GB/s", "STREAM scale, mean of all processes", _HIGHER),
    "StarSTREAM_Add": ("GB/s", "STREAM add, mean of all processes", _HIGHER),
    "StarSTREAM_Triad": ("GB/s", "STREAM triad, mean of all processes", _HIGHER),
    "SingleSTREAM_Copy": ("GB/s", "STREAM copy, one process", _HIGHER),
    "SingleSTREAM_Scale": ("GB/s", "STREAM scale, one process", _HIGHER),
    "SingleSTREAM_Add": ("GB/s", "STREAM add, one process", _HIGHER),
    "SingleSTREAM_Triad": ("GB/s", "STREAM triad, one process", _HIGHER),
    "MinPingPongLatency_usec": ("us", "ping-pong latency, least of pairs", _LOWER),
    "MaxPingPongLatency_usec": ("us", "ping-pong latency, most of pairs", _LOWER),
    "MinPingPongBandwidth_GBytes": ("GB/s", "ping-pong bandwidth, least of pairs", _HIGHER),
    "AvgPingPongBandwidth_GBytes": ("GB/s", "ping-pong bandwidth, mean of pairs", _HIGHER),
    "MaxPingPongBandwidth_GBytes": ("GB/s", "ping-pong bandwidth, most of pairs", _HIGHER),
    "NaturallyOrderedRingLatency_usec": ("us", "latency in the natural ring", _LOWER),
    "NaturallyOrderedRingBandwidth_GBytes": (
        "GB/s",
        "bandwidth of each process in the natural ring",
        _HIGHER,
    ),
    "RandomlyOrderedRingLatency_usec": ("us", "latency in random rings", _LOWER),
    "RandomlyOrderedRingBandwidth_GBytes": (
        "GB/s",
        "bandwidth of each process in random rings",
        _HIGHER,
    ),
}
_MEAN_OF_PAIRS = ("us", "ping-pong latency, mean of pairs", _LOWER)
_AVERAGE_LATENCY = "AvgPingPongLatency_usec"
# What the rate of HPL is of, apart from its size.
_OF_HPL = ("HPL_NB", "HPL_nprow", "HPL_npcol")


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds a summary of HPC Challenge."""
    return _BEGIN in (line.strip() for line in text.lines)


def read_hpcc(text: ForeignText, given: Place) -> Reading:
    """The results of every summary: hpcc adds the next start's to the file, which is a launch.

    Raises MachmeterError for a value that is no number, and where no start came to its end.
    """
    lines = [line.strip() for line in text.lines]
    starts = [number for number, line in enumerate(lines, start=1) if line == _BEGIN]
    remarks: list[str] = []
    readings = []
    for start, until in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        if _END in lines[start : until - 1]:
            readings.append(_read_summary(text, start, lines.index(_END, start), given))
        elif until > len(lines) and not readings:
            raise text.refused(len(lines), f"{_END!r}: hpcc did not come to its end")
        else:
            remarks.append(f"{text.name}, line {start}: a summary without its end; left out")
    return joined([*readings, Reading(remarks=tuple(remarks))])


def _read_summary(text: ForeignText, start: int, end: int, given: Place) -> Reading:
    rows = {
        found.group(1): (number, found.group(2))
        for number in range(start + 1, end + 1)
        if (found := _PAIR.match(text.lines[number - 1].strip()))
    }
    flag = "" if _value(text, rows, "Success") == 1 else "hpcc says that it failed"
    remark = f"{text.name}, line {start}: {flag} (Success is not 1); its results are flagged"
    version = ".".join(rows[f"Version{part}"][1] for part in _VERSION if f"Version{part}" in rows)
    ranks = _count(text, rows, "CommWorldProcs")
    place = place_before(labels_in(text.lines), start, text.name, given, "hpcc")
    place = of_ranks(place, ranks)
    remarks = tuple(
        f"{text.name}, line {number}: {name} is no number; left out"
        for name, (number, word) in rows.items()
        if _is_result(name) and has_no_number([word])
    )
    results = [
        result
        for name, (number, word) in rows.items()
        for result in _results(text, name, (number, word), rows, place)
    ]
    tool = f"HPC Challenge {version}".strip()
    return Reading(
        (tool,),
        tuple(msgspec.structs.replace(result, flag=flag, program=tool) for result in results),
        tuple(filter(None, (remark_on(place, text.name), remark if flag else "", *remarks))),
    )


_VERSION = ("Major", "Minor", "Micro")


def _results(
    text: ForeignText,
    name: str,
    row: tuple[int, str],
    rows: dict[str, tuple[int, str]],
    place: Place,
) -> list[ForeignResult]:
    number, word = row
    if not _is_result(name) or has_no_number([word]):
        return []
    value, decimals = text.number(word, number, f"a number for {name}")
    if value <= 0:
        # hpcc writes -1 or 0 for a test that was left out.
        return []
    unit, quantity, better = _FIGURES.get(name, _MEAN_OF_PAIRS)
    layout, ranks, note = _where(place, _threads(text, rows))
    result = ForeignResult(
        values=(value,),
        unit=unit,
        decimals=decimals,
        group=f"{text.name}: HPC Challenge",
        line=number,
        workload="hpl" if name == _HPL else "hpcc",
        quantity=quantity,
        better=better,
        parameters={**_problem(text, name, rows), **ranks},
        layout=layout,
        text=name,
        note=note,
        started_with={"grid": ", ".join(f"{one} {rows[one][1]}" for one in _OF_HPL if one in rows)}
        if name == _HPL
        else {},
    )
    if name == _AVERAGE_LATENCY and place.ranks == 2:
        return [_as_latency(result, place)]
    return [result]


def _is_result(name: str) -> bool:
    return name in _FIGURES or name == _AVERAGE_LATENCY


def _where(place: Place, threads: int) -> tuple[dict[str, Value], dict[str, Value], str]:
    """As `workload_layout`; threads stand in the layout only beside ranks, without which they would
    say that there was one process.
    """
    layout, parameters, note = workload_layout(place)
    if "ranks_per_node" in layout:
        return {**layout, "threads_per_rank": threads}, parameters, note
    return layout, {**parameters, "threads": threads}, note


def _as_latency(result: ForeignResult, place: Place) -> ForeignResult:
    layout, note = pair_layout(place)
    return msgspec.structs.replace(
        result,
        workload="",
        quantity="",
        better="",
        benchmark="network.latency",
        metric="latency",
        parameters={
            "size": 8,
            "pattern": "ping-pong",
            "way": "blocking",
            "data": "contiguous",
            "buffers": "hot",
        },
        layout=layout,
        note=note,
    )


def _threads(text: ForeignText, rows: dict[str, tuple[int, str]]) -> int:
    return max(_count(text, rows, "omp_get_max_threads"), 1) if "M_OPENMP" in rows else 1


def _problem(text: ForeignText, name: str, rows: dict[str, tuple[int, str]]) -> dict[str, Value]:
    """The problem's size where the summary states it: rates of other sizes are other results."""
    of = {
        _HPL: "HPL_N",
        "PTRANS_GBs": "PTRANS_n",
        "MPIFFT_Gflops": "MPIFFT_N",
        "MPIRandomAccess_GUPs": "MPIRandomAccess_N",
        "MPIRandomAccess_LCG_GUPs": "MPIRandomAccess_LCG_N",
    }
    if "STREAM_" in name:
        of[name] = "STREAM_VectorSize"
    if "DGEMM" in name:
        of[name] = "DGEMM_N"
    if name in ("StarRandomAccess_GUPs", "SingleRandomAccess_GUPs"):
        of[name] = "RandomAccess_N"
    if name in ("StarRandomAccess_LCG_GUPs", "SingleRandomAccess_LCG_GUPs"):
        of[name] = "RandomAccess_LCG_N"
    if name in ("StarFFT_Gflops", "SingleFFT_Gflops"):
        of[name] = "FFT_N"
    size = _count(text, rows, of.get(name, ""))
    return {"n": size} if size else {}


def _value(text: ForeignText, rows: dict[str, tuple[int, str]], name: str) -> float | None:
    number, word = rows.get(name, (0, ""))
    if has_no_number([word]):
        return None
    return text.number(word, number, f"a number for {name}")[0]


def _count(text: ForeignText, rows: dict[str, tuple[int, str]], name: str) -> int:
    """A whole number of the summary; 0 where it is not there or, as of a test left out, below 0."""
    if (_value(text, rows, name) or 0) <= 0:
        return 0
    number, word = rows[name]
    return text.count(word, number, f"a whole number for {name}")
