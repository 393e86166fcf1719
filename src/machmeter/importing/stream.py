"""STREAM (McCalpin), version 5: copy, scale, add and triad of each thread count that was run.

The best rate is that of the fastest of all sweeps; the mean time is of all but the first. What is
compared with machmeter's bandwidth is the rate of the mean time; the best rate is kept beside it.
"""

from __future__ import annotations

import re

from machmeter.importing.figures import ForeignFigure, Place, Reading
from machmeter.importing.proofs import rate_kind
from machmeter.importing.text import ForeignText
from machmeter.model.benchmark import Value

_HEAD = re.compile(r"^STREAM version \$Revision: ([\d.]{1,10}) \$")
_WIDTH = re.compile(r"uses (\d{1,2}) bytes per array element")
_ELEMENTS = re.compile(r"^Array size = (\d{1,15})(?: \(elements\))?")
_THREADS = re.compile(r"^Number of Threads (requested|counted) = (\d{1,6})")
_ROW = re.compile(r"^(Copy|Scale|Add|Triad):\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$")
_ARRAYS = {"Copy": 2, "Scale": 2, "Add": 3, "Triad": 3}
_EXPECTED = "a best rate in MB/s and the mean, least and most time in s"


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of STREAM."""
    return text.has(_HEAD)


def read_stream(text: ForeignText, asked: Place) -> Reading:
    """The figures of every run. Raises MachmeterError for a row that is none."""
    del asked
    starts = [number for number, line in enumerate(text.lines, 1) if _HEAD.match(line)]
    ends = [*starts[1:], len(text.lines) + 1]
    remarks: list[str] = []
    figures: list[ForeignFigure] = []
    tools = []
    for start, end in zip(starts, ends, strict=True):
        head = _HEAD.match(text.lines[start - 1])
        tools.append(f"STREAM {head.group(1)}" if head else "STREAM")
        figures += _read_run(text, start, end, remarks)
    return Reading(tuple(dict.fromkeys(tools)), tuple(figures), tuple(remarks))


def _read_run(text: ForeignText, start: int, end: int, remarks: list[str]) -> list[ForeignFigure]:
    part = ForeignText(text.name, text.lines[start - 1 : end - 1])
    group = f"{text.name}, line {start}: STREAM"
    width, elements = _single(part, _WIDTH), _single(part, _ELEMENTS)
    if not width or not elements:
        remarks.append(f"{group}: the size of its arrays is not printed; left out")
        return []
    threads = {word: int(count) for word, count in _found_all(part, _THREADS)}
    if threads.get("requested", 0) != threads.get("counted", 0):
        remarks.append(f"{group}: asked for {threads.get('requested')} threads, not given them")
    counted = threads.get("counted", 1)
    figures = []
    flag = ""
    if "Failed Validation" in part.whole:
        flag = "STREAM's own validation failed"
        remarks.append(f"{group}: {flag}; its figures are flagged")
    for offset, line in enumerate(part.lines):
        row = _ROW.match(line)
        if row:
            figures += _read_row(text, start + offset, row, (width * elements, counted), flag)
    if not figures:
        remarks.append(f"{group}: it printed no rate; the run did not come to its end")
    return figures


def _read_row(
    text: ForeignText,
    number: int,
    row: re.Match[str],
    of: tuple[int, int],
    flag: str,
) -> list[ForeignFigure]:
    array_bytes, threads = of
    kernel = row.group(1)
    rate, decimals = text.number(row.group(2), number, _EXPECTED)
    mean, _ = text.number(row.group(3), number, _EXPECTED)
    least, time_decimals = text.number(row.group(4), number, _EXPECTED)
    if min(rate, mean, least) <= 0:
        raise text.refused(number, "numbers above 0")
    swept = _ARRAYS[kernel] * array_bytes
    kind = rate_kind(rate, decimals, swept / least / 1e6)
    # A time of fewer steps than that says nothing about the rate.
    if not kind and least * 10.0**time_decimals > 500:
        flag = "; ".join(part for part in (flag, "its rate is not its bytes over its time") if part)
    group = f"{text.name}: STREAM on {threads} threads"
    layout: dict[str, Value] = {"threads_per_rank": threads}
    note = "what kind of stores the compiler chose, and where threads ran, is not printed"
    size: dict[str, Value] = {"size": array_bytes}
    return [
        ForeignFigure(
            values=(swept / mean / 1e6,),
            unit="MB/s",
            decimals=1,
            group=group,
            line=number,
            benchmark="memory.stream",
            metric="stream_bandwidth",
            parameters={"kernel": kernel.lower(), **size},
            layout=layout,
            text="bytes over the mean time of all sweeps but the first",
            note=note,
            flag=flag,
        ),
        ForeignFigure(
            values=(rate,),
            unit=kind or "MB/s",
            decimals=decimals,
            group=group,
            line=number,
            workload=f"stream-{kernel.lower()}",
            quantity="rate of the best sweep",
            better="higher",
            parameters=size,
            layout=layout,
            note=note,
            flag=flag,
        ),
    ]


def _single(part: ForeignText, pattern: re.Pattern[str]) -> int:
    found = next((match for line in part.lines if (match := pattern.search(line))), None)
    return int(found.group(1)) if found else 0


def _found_all(part: ForeignText, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    found = (pattern.match(line) for line in part.lines)
    return [(match.group(1), match.group(2)) for match in found if match]
