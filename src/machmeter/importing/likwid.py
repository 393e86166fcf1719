"""likwid-bench: one loop over a working set, on the hardware threads that it names.

`stream` loops are STREAM's triad (three arrays); likwid's `triad` has four and is kept under its
own name. Loops with `_mem` store past the caches. The working set is of all arrays together; the
rate counts the bytes of the loop, without those that write-allocate adds, which are STREAM's bytes.
"""

from __future__ import annotations

import re

from machmeter.importing.figures import ForeignFigure, Place, Reading
from machmeter.importing.text import ForeignText
from machmeter.model.benchmark import Value

_TEST = re.compile(r"^Test: (\w{1,60})\s*$")
_STREAMS = re.compile(r"^Using (\d{1,3}) (?:streams|arrays)")
_CPU = re.compile(r"Global Thread \d{1,6} running on (?:hwthread|core) (\d{1,6})")
_VALUE = re.compile(r"^(Size \(Byte\)|MByte/s|MFlops/s|Number of streams):\s+(\S{1,40})\s*$")
_KERNELS = {"copy": 2, "stream": 3, "load": 1, "store": 1, "update": 1}
_OURS = {"copy": "copy", "stream": "triad", "load": "read", "store": "write", "update": "update"}
_ISA = ("sse", "avx", "avx512", "neon", "sve", "sve256", "sve512", "fma", "plain")


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of likwid-bench."""
    return text.has(_TEST) and any(line.startswith("MByte/s:") for line in text.lines)


def read_likwid(text: ForeignText, asked: Place) -> Reading:
    """The figures of every run. Raises MachmeterError for a value that is no number."""
    del asked
    starts = [number for number, line in enumerate(text.lines, 1) if _TEST.match(line)]
    ends = [*starts[1:], len(text.lines) + 1]
    figures: list[ForeignFigure] = []
    remarks: list[str] = []
    for start, end in zip(starts, ends, strict=True):
        figures += _read_run(text, start, end, remarks)
    return Reading(("likwid-bench",), tuple(figures), tuple(remarks))


def _read_run(text: ForeignText, start: int, end: int, remarks: list[str]) -> list[ForeignFigure]:
    lines = text.lines[start - 1 : end - 1]
    test = _TEST.match(lines[0])
    loop = test.group(1) if test else ""
    cpus = {match.group(1) for line in lines if (match := _CPU.search(line))}
    values: dict[str, tuple[float, int, int]] = {}
    for offset, line in enumerate(lines):
        found = _VALUE.match(line)
        if found:
            number = start + offset
            expected = f"a number for {found.group(1)}"
            value, decimals = text.number(found.group(2), number, expected)
            if found.group(1) == "Size (Byte)":
                text.count(found.group(2), number, expected)
            values[found.group(1)] = (value, decimals, number)
    group = f"{text.name}, line {start}: likwid-bench {loop}"
    if "MByte/s" not in values or values["MByte/s"][0] <= 0:
        remarks.append(f"{group}: it printed no rate; left out")
        return []
    rate, decimals, number = values["MByte/s"]
    size = int(values["Size (Byte)"][0]) if "Size (Byte)" in values else 0
    meant = _meaning(loop, size)
    layout: dict[str, Value] = {"threads_per_rank": len(cpus)} if cpus else {}
    if meant is None:
        remarks.append(f"{group}: machmeter has no such loop; kept under likwid's name")
        return [
            ForeignFigure(
                values=(rate,),
                unit="MB/s",
                decimals=decimals,
                group=group,
                line=number,
                workload=f"likwid-{loop.lower().replace('_', '-')}",
                quantity="rate",
                better="higher",
                parameters={"loop": loop, **({"size": size} if size else {})},
                layout=layout,
            )
        ]
    return [
        ForeignFigure(
            values=(rate,),
            unit="MB/s",
            decimals=decimals,
            group=group,
            line=number,
            benchmark="memory.stream",
            metric="stream_bandwidth",
            parameters=meant,
            layout={**layout, "binding": "close"},
            text=f"likwid-bench {loop}",
            program=f"likwid-bench {loop}",
            note="threads are bound to the hardware threads that were named",
        )
    ]


def _meaning(loop: str, size: int) -> dict[str, Value] | None:
    """Kernel, stores and bytes of one array of a loop; None where machmeter has none like it."""
    name, *details = loop.lower().split("_")
    if name not in _KERNELS or not size or set(details) - {*_ISA, "mem"}:
        return None
    parameters: dict[str, Value] = {"kernel": _OURS[name], "size": size // _KERNELS[name]}
    if name != "load":
        parameters["stores"] = "nontemporal" if "mem" in details else "temporal"
    return parameters
