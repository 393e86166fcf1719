"""STREAM (McCalpin), version 5, in C and Fortran: copy, scale, add and triad of every run.

The best rate is that of the fastest of all sweeps; the mean time is of all but the first. What is
compared with machmeter's bandwidth is the rate of the mean time; the best rate is kept beside it.
Arrays of other elements than those of 8 bytes keep STREAM's own name.
"""

from __future__ import annotations

import math
import re

import msgspec

from machmeter.importing.contradictions import rate_kind
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number, is_nothing
from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

_HEAD = re.compile(r"^ ?STREAM [Vv]ersion \$Revision: ([\d.]{1,10}) \$")
_WIDTH = re.compile(
    r"(?:uses|Assuming) (\d{1,2}) bytes per (?:array element|DOUBLE PRECISION word)"
)
_ELEMENTS = re.compile(r"^ ?Array size = {1,12}(\d{1,15})(?: \(elements\))?")
_THREADS = re.compile(r"^ ?Number of Threads (|requested |counted )= {1,12}(\d{1,6})")
# In Fortran the width of an element stands above the head.
_ABOVE = 4
_DOUBLE = 8
_WIDTH_OF_ELEMENT = "element_bytes"
_ROW = re.compile(r"^(Copy|Scale|Add|Triad):\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$")
_ARRAYS = {"Copy": 2, "Scale": 2, "Add": 3, "Triad": 3}
_TOO_SHORT = "a sweep took less than the clock tells: the arrays are too small"
_EXPECTED = "a best rate in MB/s and the mean, least and most time in s"


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of STREAM."""
    return text.has(_HEAD)


def read_stream(text: ForeignText, given: Place) -> Reading:
    """The results of every run. Raises MachmeterError for a row that is none."""
    del given
    starts = [number for number, line in enumerate(text.lines, 1) if _HEAD.match(line)]
    ends = [*starts[1:], len(text.lines) + 1]
    remarks: list[str] = []
    results: list[ForeignResult] = []
    tools = []
    for start, end in zip(starts, ends, strict=True):
        head = _HEAD.match(text.lines[start - 1])
        tools.append(f"STREAM {head.group(1)}" if head else "STREAM")
        read = _read_run(text, start, end, remarks)
        results += [msgspec.structs.replace(result, program=tools[-1]) for result in read]
    kept = {
        Kept("STREAM", result.workload, f"elements of {width} bytes, machmeter's have {_DOUBLE}")
        for result in results
        if (width := result.parameters.get(_WIDTH_OF_ELEMENT))
    }
    ordered = tuple(sorted(kept, key=lambda one: one.test))
    return Reading(tuple(dict.fromkeys(tools)), tuple(results), tuple(remarks), kept=ordered)


def _read_run(text: ForeignText, start: int, end: int, remarks: list[str]) -> list[ForeignResult]:
    part = ForeignText(text.name, text.lines[start - 1 : end - 1])
    group = f"{text.name}, line {start}: STREAM"
    above = ForeignText(text.name, text.lines[max(0, start - 1 - _ABOVE) : start - 1])
    width, elements = _single(part, _WIDTH) or _single(above, _WIDTH), _single(part, _ELEMENTS)
    if not width or not elements:
        remarks.append(f"{group}: the size of its arrays is not printed; left out")
        return []
    threads = {word.strip(): int(count) for word, count in _found_all(part, _THREADS)}
    if threads.get("requested", 0) != threads.get("counted", 0):
        remarks.append(f"{group}: {threads.get('requested')} threads requested, not obtained")
    counted = threads.get("counted", threads.get("", 1))
    results = []
    flag = ""
    if "Failed Validation" in part.whole:
        flag = "STREAM's own validation failed"
        remarks.append(f"{group}: {flag}; its results are flagged")
    for offset, line in enumerate(part.lines):
        row = _ROW.match(line)
        if row and _has_no_time(row):
            remarks.append(f"{text.name}, line {start + offset}: {_TOO_SHORT}; left out")
        elif row:
            results += _read_row(text, start + offset, row, (width, elements, counted), flag)
    if not results:
        remarks.append(f"{group}: it printed no rate; the run did not come to its end")
    return results


def _has_no_time(row: re.Match[str]) -> bool:
    """Whether a sweep took less than the clock tells: a time of 0, a rate that is none."""
    words = row.groups()[1:]
    return has_no_number(words) or any(map(is_nothing, words))


def _read_row(
    text: ForeignText,
    number: int,
    row: re.Match[str],
    of: tuple[int, int, int],
    flag: str,
) -> list[ForeignResult]:
    width, elements, threads = of
    kernel = row.group(1)
    rate, decimals = text.number(row.group(2), number, _EXPECTED)
    mean, mean_decimals = text.number(row.group(3), number, _EXPECTED)
    least, time_decimals = text.number(row.group(4), number, _EXPECTED)
    swept = _ARRAYS[kernel] * width * elements
    kind = rate_kind(rate, decimals, swept / least / 1e6)
    # A time of fewer steps than that says nothing about the rate.
    if not kind and least * 10.0**time_decimals > 500:
        flag = "; ".join(part for part in (flag, "its rate is not its bytes over its time") if part)
    size: dict[str, Value] = {"size": width * elements}
    other: dict[str, Value] = {} if width == _DOUBLE else {_WIDTH_OF_ELEMENT: width}
    best = ForeignResult(
        values=(rate,),
        unit=kind or "MB/s",
        decimals=decimals,
        group=f"{text.name}: STREAM on {threads} threads",
        line=number,
        workload=f"stream-{kernel.lower()}",
        quantity="rate of the best sweep",
        better="higher",
        parameters={**size, **other},
        layout={"threads_per_rank": threads},
        note="what kind of stores the compiler chose, and where threads ran, is not printed",
        flag=flag,
    )
    return [_of_the_mean(best, swept / mean / 1e6, mean * 10.0**mean_decimals), best]


def _of_the_mean(best: ForeignResult, rate: float, steps: float) -> ForeignResult:
    """The rate of the mean time, which is printed in that many steps, in place of the best one."""
    result = msgspec.structs.replace(
        best,
        values=(rate,),
        unit="MB/s",
        decimals=_decimals(rate, steps),
        quantity="rate of the mean sweep",
        text="bytes over the mean time of all sweeps but the first",
    )
    if _WIDTH_OF_ELEMENT in best.parameters:
        return result
    return msgspec.structs.replace(
        result,
        benchmark="memory.stream",
        metric="stream_bandwidth",
        workload="",
        quantity="",
        better="",
        parameters={"kernel": best.workload.removeprefix("stream-"), **best.parameters},
    )


def _decimals(rate: float, steps: float) -> int:
    """Digits after the point that a rate has whose time is printed in that many steps."""
    return max(min(math.floor(math.log10(steps / rate)), 12), -12)


def _single(part: ForeignText, pattern: re.Pattern[str]) -> int:
    found = next((match for line in part.lines if (match := pattern.search(line))), None)
    return int(found.group(1)) if found else 0


def _found_all(part: ForeignText, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    found = (pattern.match(line) for line in part.lines)
    return [(match.group(1), match.group(2)) for match in found if match]
