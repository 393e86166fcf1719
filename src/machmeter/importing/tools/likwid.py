"""likwid-bench: one loop over a working set, on the hardware threads that it names.

`stream` loops are STREAM's triad (three arrays); likwid's `triad` has four and is kept under its
own name. Loops with `_mem` store past the caches. The working set is of all arrays together; the
rate counts the bytes of the loop, without those that write-allocate adds, which are STREAM's bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from machmeter.importing.names import slug_of
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number
from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

_TEST = re.compile(r"^Test: (\w{1,60})\s*$")
_GROUPS = re.compile(r"^Using (\d{1,6}) work groups")
_THREADS = re.compile(r"^Using (\d{1,6}) threads")
_CPU = re.compile(r"Global Thread \d{1,6} running on (?:hwthread|core) (\d{1,6})")
_VALUE = re.compile(r"^(Size \(Byte\)|MByte/s|MFlops/s|Number of streams):\s+(\S{1,40})\s*$")
_KERNELS = {"copy": 2, "stream": 3, "load": 1, "store": 1, "update": 1}
_OURS = {"copy": "copy", "stream": "triad", "load": "read", "store": "write", "update": "update"}
_MOST_NAMED = 16
_ISA = ("sse", "avx", "avx512", "neon", "sve", "sve256", "sve512", "fma", "plain")


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of likwid-bench."""
    return text.has(_TEST) and any(line.startswith("MByte/s:") for line in text.lines)


def read_likwid(text: ForeignText, given: Place) -> Reading:
    """The results of every run. Raises MachmeterError for a value that is no number."""
    del given
    starts = [number for number, line in enumerate(text.lines, 1) if _TEST.match(line)]
    ends = [*starts[1:], len(text.lines) + 1]
    results: list[ForeignResult] = []
    remarks: list[str] = []
    kept: list[Kept] = []
    for start, end in zip(starts, ends, strict=True):
        results += _read_run(text, start, end, remarks, kept)
    return Reading(("likwid-bench",), tuple(results), tuple(remarks), kept=tuple(kept))


def _read_run(
    text: ForeignText, start: int, end: int, remarks: list[str], kept: list[Kept]
) -> list[ForeignResult]:
    lines = text.lines[start - 1 : end - 1]
    test = _TEST.match(lines[0])
    loop = test.group(1) if test else ""
    cpus = [match.group(1) for line in lines if (match := _CPU.search(line))]
    values = _values(text, start, lines)
    group = f"{text.name}, line {start}: likwid-bench {loop}"
    if "MByte/s" not in values or values["MByte/s"][0] <= 0:
        remarks.append(f"{group}: it printed no rate; left out")
        return []
    rate, decimals, number = values["MByte/s"]
    size = int(values["Size (Byte)"][0]) if "Size (Byte)" in values else 0
    threads = _count(lines, _THREADS) or len(cpus)
    result = ForeignResult(
        values=(rate,),
        unit="MB/s",
        decimals=decimals,
        group=group,
        line=number,
        layout={"threads_per_rank": threads} if threads else {},
        note=_bound(cpus),
        started_with={"binding": f"hardware threads {', '.join(sorted(cpus))}"} if cpus else {},
    )
    return [_named(result, loop, size, _count(lines, _GROUPS), kept)]


def _named(
    result: ForeignResult, loop: str, size: int, groups: int, kept: list[Kept]
) -> ForeignResult:
    """The result of a loop of machmeter's, or under likwid's own name."""
    meant = _meaning(loop, size) if groups <= 1 else None
    if meant is not None:
        name = f"likwid-bench {loop}"
        return msgspec.structs.replace(
            result,
            benchmark="memory.stream",
            metric="stream_bandwidth",
            parameters=meant,
            text=name,
            program=name,
        )
    why = f"{groups} work groups at once" if groups > 1 else "machmeter has no such loop"
    kept.append(Kept("likwid-bench", loop, why))
    labels = {"size": size, "groups": groups if groups > 1 else 0}
    return msgspec.structs.replace(
        result,
        workload=slug_of(f"likwid-{loop}", "likwid"),
        quantity="rate",
        better="higher",
        parameters={"loop": loop, **{name: count for name, count in labels.items() if count}},
    )


def _values(
    text: ForeignText, start: int, lines: Iterable[str]
) -> dict[str, tuple[float, int, int]]:
    """What a run prints by name: number, digits after the point, line."""
    values = {}
    for number, line in enumerate(lines, start):
        found = _VALUE.match(line)
        # More lines follow each of these: one without an end was cut.
        if found and not has_no_number([found.group(2)]) and not text.may_be_cut(number):
            expected = f"a number for {found.group(1)}"
            value, decimals = text.number(found.group(2), number, expected)
            if found.group(1) == "Size (Byte)":
                text.count(found.group(2), number, expected)
            values[found.group(1)] = (value, decimals, number)
    return values


def _count(lines: Iterable[str], pattern: re.Pattern[str]) -> int:
    found = next((match for line in lines if (match := pattern.match(line))), None)
    return int(found.group(1)) if found else 0


def _bound(cpus: Sequence[str]) -> str:
    """Where the threads ran, as likwid names it; a long list is cut."""
    if not cpus:
        return ""
    named = ", ".join(cpus[:_MOST_NAMED]) + (", ..." if len(cpus) > _MOST_NAMED else "")
    return f"threads bound to hardware threads {named}"


def _meaning(loop: str, size: int) -> dict[str, Value] | None:
    """Kernel, stores and bytes of one array of a loop; None where machmeter has none like it."""
    name, *details = loop.lower().split("_")
    if name not in _KERNELS or not size or set(details) - {*_ISA, "mem"}:
        return None
    parameters: dict[str, Value] = {"kernel": _OURS[name], "size": size // _KERNELS[name]}
    if name == "load":
        return None if "mem" in details else parameters
    return {**parameters, "stores": "nontemporal" if "mem" in details else "temporal"}
