"""BabelStream (Deakin et al. 2018): its kernels on a device, as text or CSV.

The rate that it prints is that of the fastest launch; its mean time is of all but the first. What
is compared with machmeter's bandwidth is the rate of the mean time; the best rate is kept beside
it. Programs that name no device, elements of other than 8 bytes and its kernel of four arrays keep
BabelStream's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from machmeter.importing.contradictions import is_in_order, rate_kind
from machmeter.importing.names import reported_name
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import (
    ForeignText,
    decimals_of_rate,
    has_no_number,
    is_cut_number,
    is_nothing,
)
from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

_NAME = re.compile(r"^BabelStream\s*$")
_HEAD = re.compile(
    r"^(?:Function +(MBytes|MiBytes|MB|MiB)/s(?:ec)? +Min \(sec\) +Max +Average"
    r"|function,num_times,n_elements,sizeof,max_(mbytes|mibytes|MB|MiB)_per_sec,min_runtime"
    r",max_runtime"
    r",avg_runtime)\s*$"
)
_ROW = re.compile(r"^(Copy|Mul|Add|Triad|Dot|Nstream)((?:[ ,]+[^\s,]{1,40}){1,10})\s*$")
_VERSION = re.compile(r"^Version: ([\w.-]{1,20})\s*$")
_DEVICE = re.compile(r"^Using (CUDA|HIP|OpenCL|SYCL) device (\S.{0,120}?)\s*$")
_ARRAY = re.compile(r"^Array size: (\d{1,12}\.\d) (MB|MiB)\b")
_PRECISION = re.compile(r"^Precision: (float|double)\s*$")
# One loop around all launches, of which none has an end of its own.
_ALONE = re.compile(r"^(?:Bandwidth \(Gi?B/s\): |function,.{1,60},gi?bytes_per_sec,)")
_MEMORY = re.compile(r"^Memory: (\w{1,20})\s*$")
_INVALID = re.compile(r"^Validation failed on ")
_MEGABYTE = {"MB": 1e6, "MiB": 2.0**20}
_WIDTHS = {"float": 4, "double": 8}
_DOUBLE = 8
_ARRAYS = {"Copy": 2, "Mul": 2, "Add": 3, "Triad": 3, "Dot": 2, "Nstream": 4}
_OURS = ("Copy", "Mul", "Add", "Triad", "Dot")
_COLUMNS, _OF_CSV = 4, 7
_EXPECTED = "a best rate, and the least, most and mean time in s"
# A time of fewer steps says nothing about the rate, nor does a size that text prints of few digits.
_STEPS, _BYTES = 500, 50e6

_UNORDERED = "its minimum, mean and maximum are not in that order"


class _Run(Struct, frozen=True):
    """What a run says above its table: bytes of an array and of an element are 0 where it does
    not, as in CSV, whose rows have them."""

    has_device: bool
    memory: str
    program: str
    size: int
    width: int
    unit: str
    flag: str


class _Row(Struct, frozen=True):
    """A line of a table: bytes of an array and of an element, and the words after them."""

    line: int
    kernel: str
    size: int
    width: int
    words: Sequence[str]


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of BabelStream."""
    return text.has(_NAME) or text.has(_HEAD)


def read_babelstream(text: ForeignText, given: Place) -> Reading:
    """The results of every table. Raises MachmeterError for a number that cannot be one."""
    del given
    heads = [number for number, line in enumerate(text.lines, 1) if _HEAD.match(line)]
    remarks = [
        f"{text.name}, line {number}: BabelStream: triad alone, in a loop that times all launches "
        "at once; left out"
        for number, line in enumerate(text.lines, 1)
        if _ALONE.match(line)
    ]
    results: list[ForeignResult] = []
    kept: dict[Kept, None] = {}
    for above, head in zip([0, *heads], heads, strict=False):
        run = _run(text, above, head)
        for row in _rows(text, head, run, remarks):
            mean, best = _results(text, row, run)
            why = _why_own(run, row)
            if why:
                kept[Kept("BabelStream", row.kernel, why)] = None
            results += [mean if why else _as_ours(mean, row), best]
    if not heads and not remarks:
        remarks.append(f"{text.name}: BabelStream: it printed no rate; the run did not end")
    tools = tuple(dict.fromkeys(result.program for result in results)) or ("BabelStream",)
    return Reading(tools, tuple(results), tuple(remarks), kept=tuple(kept))


def _run(text: ForeignText, above: int, head: int) -> _Run:
    """What the lines between the last table and the head of this one say of it."""
    said = {
        pattern: match.groups()
        for line in text.lines[above : head - 1]
        for pattern in (_VERSION, _DEVICE, _ARRAY, _PRECISION, _MEMORY, _INVALID)
        if (match := pattern.match(line))
    }
    version = " ".join(("BabelStream", *said.get(_VERSION, ())))
    api, device = said.get(_DEVICE, ("", ""))
    width = _WIDTHS[said[_PRECISION][0]] if _PRECISION in said else 0
    number, unit = said.get(_ARRAY, ("0", "MB"))
    found = _HEAD.match(text.lines[head - 1])
    of_table = "MiB/s" if found and (found.group(1) or found.group(2)).lower()[1] == "i" else "MB/s"
    return _Run(
        has_device=bool(device),
        memory=said.get(_MEMORY, ("DEFAULT",))[0],
        program=f"{version} by {api} on {reported_name(device)}" if device else version,
        size=_array_bytes(float(number), _MEGABYTE[unit], width),
        width=width,
        unit=of_table,
        flag="its own validation failed" if _INVALID in said else "",
    )


def _array_bytes(number: float, megabyte: float, width: int) -> int:
    """Bytes of an array of which one digit after the point is printed: of a power of two of
    elements, as by default, where that prints the same."""
    if not width or number <= 0:
        return 0
    elements = round(number * megabyte / width)
    power = 1 << max(elements.bit_length() - 1, 0)
    whole = [one for one in (power, 2 * power) if round(one * width / megabyte, 1) == number]
    return (whole[0] if whole else elements) * width


def _rows(text: ForeignText, head: int, run: _Run, remarks: list[str]) -> Iterator[_Row]:
    """The rows of the table with that head, up to a line that is none."""
    for number in range(head + 1, len(text.lines) + 1):
        found = _ROW.match(text.lines[number - 1])
        if not found:
            return
        kernel, words = found.group(1), re.findall(r"[^\s,]+", found.group(2))
        size, width = run.size, run.width
        if len(words) == _OF_CSV and not has_no_number(words):
            width = text.count(words[2], number, "bytes of an element")
            size = text.count(words[1], number, "elements of an array") * width
            words = words[3:]
        why = _why_no_row(text, number, words)
        if not why and not size:
            why = "the size of its arrays is not printed"
        if why:
            remarks.append(f"{text.name}, line {number}: BabelStream: {why}; left out")
        else:
            yield _Row(number, kernel, size, width, words)


def _why_no_row(text: ForeignText, number: int, words: Sequence[str]) -> str:
    """Why a line holds no rate and times; empty where it does."""
    if len(words) != _COLUMNS:
        return f"expected {_EXPECTED}, found {' '.join(words)[:60]!r}"
    if has_no_number(words):
        return "it holds what is no number"
    if any(map(is_nothing, words)):
        return "a launch took less than the times show: the arrays are too small"
    if text.may_be_cut(number) and is_cut_number(words[-1], words[-2:-1]):
        return f"the file may have been cut within {words[-1]!r}: the line has no end"
    return ""


def _results(text: ForeignText, row: _Row, run: _Run) -> tuple[ForeignResult, ForeignResult]:
    """The rate of the mean time, and the best one, under BabelStream's own name."""
    read = [text.number(word, row.line, _EXPECTED) for word in row.words]
    (rate, decimals), (least, least_decimals), (most, _), (mean, mean_decimals) = read
    swept = _ARRAYS[row.kernel] * row.size
    flags = [run.flag, "" if is_in_order((least, mean, most)) else _UNORDERED]
    if least * 10.0**least_decimals > _STEPS and row.size > _BYTES:
        of_row = rate_kind(rate, decimals, swept / least / 1e6)
        flags.append("" if of_row == run.unit else "its rate is not its bytes over its time")
    size: dict[str, Value] = {"size": row.size}
    best = ForeignResult(
        values=(rate,),
        unit=run.unit,
        decimals=decimals,
        group=f"{text.name}: {run.program}",
        line=row.line,
        workload=f"babelstream-{row.kernel.lower()}",
        quantity="rate of the best launch",
        better="higher",
        parameters=size if row.width == _DOUBLE else {**size, "element_bytes": row.width},
        flag="; ".join(filter(None, flags)),
        program=run.program,
    )
    of_mean = swept / mean / 1e6
    return msgspec.structs.replace(
        best,
        values=(of_mean,),
        unit="MB/s",
        decimals=decimals_of_rate(of_mean, mean * 10.0**mean_decimals),
        quantity="rate of the mean launch",
        text="bytes over the mean time of all launches but the first",
    ), best


def _as_ours(mean: ForeignResult, row: _Row) -> ForeignResult:
    return msgspec.structs.replace(
        mean,
        benchmark="device.stream",
        metric=f"{row.kernel.lower()}_bandwidth",
        workload="",
        quantity="",
        better="",
    )


def _why_own(run: _Run, row: _Row) -> str:
    """Why a row is no result of machmeter's own; empty where it is one."""
    if not run.has_device:
        return "it names no device: how machmeter measures CPUs is memory.stream"
    if run.memory != "DEFAULT":
        return f"memory of kind {run.memory}, machmeter's is the device's own"
    if row.width != _DOUBLE:
        return f"elements of {row.width} bytes, machmeter's have {_DOUBLE}"
    return "" if row.kernel in _OURS else "machmeter has no such kernel"
