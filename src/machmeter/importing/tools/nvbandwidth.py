"""nvbandwidth: matrices of bandwidths and latencies of copies, as text.

Copies by engine between pinned memory of the host and one device at a time are machmeter's own.
All else keeps its name: copies both ways, whose rate is of one of them, copies by kernels and those
between devices. Gigabytes are 10^9 bytes; a rate is the median of three samples of 16 copies, by
the device's clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from machmeter.importing.names import reported_name, slug_of
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number, is_cut_number, is_nothing
from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

_VERSION = re.compile(r"^nvbandwidth Version: v?(\d{1,3}\.\d{1,3})\S{0,20}\s*$")
_DEVICE = re.compile(r"^Device \d{1,4}: (\S.{0,100}?)(?: \([0-9a-fA-F:.]{1,20}\))?\s*$")
_TEST = re.compile(r"^Running (\w{1,80})\.\s*$")
_WHAT = re.compile(r"\((GB/s|us|ns)\)(?: .{0,60})?\s*$")
_COLUMNS = re.compile(r"^\s*0(?:\s+\d{1,4}){0,255}\s*$")
_ROW = re.compile(r"^\s*(\d{1,4})((?:\s+[\w./+-]{1,40}){1,256})\s*$")
_WAYS = {"host_to_device_memcpy_ce": "to-device", "device_to_host_memcpy_ce": "from-device"}
# By default, as far as it is known.
_BLOCK, _SINCE = 512 * 2**20, (0, 8)
_NOTE = "blocks of 512 MiB, unless -b was given: it is not printed"


class _Matrix(Struct, frozen=True):
    """The matrix of a test: where its columns stand, of how many, and what it is in."""

    test: str
    unit: str
    line: int
    columns: int


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of nvbandwidth."""
    return text.has(_VERSION)


def read_nvbandwidth(text: ForeignText, given: Place) -> Reading:
    """The results of every matrix. Raises MachmeterError for a number that cannot be one."""
    del given
    said = [match.group(1) for line in text.lines if (match := _VERSION.match(line))]
    names = [match.group(1) for line in text.lines if (match := _DEVICE.match(line))]
    devices = " and ".join(dict.fromkeys(names))
    program = f"nvbandwidth {said[0]}" + (f" on {reported_name(devices)}" if devices else "")
    is_known = all(tuple(map(int, one.split("."))) >= _SINCE for one in said)
    results: list[ForeignResult] = []
    remarks: list[str] = []
    kept: dict[Kept, None] = {}
    for matrix in _matrices(text):
        why = "machmeter has no such copy"
        if matrix.test in _WAYS:
            why = "" if is_known else "the size of its blocks is not known before version 0.8"
        if why:
            kept[Kept("nvbandwidth", matrix.test, why)] = None
        for result in _cells(text, matrix, remarks):
            own = result if why else _as_ours(result, matrix)
            results.append(msgspec.structs.replace(own, program=program))
    if not results:
        remarks.append(f"{text.name}: nvbandwidth: it printed no matrix; the run did not end")
    return Reading((program,), tuple(results), tuple(remarks), kept=tuple(kept))


def _matrices(text: ForeignText) -> Iterator[_Matrix]:
    """Every matrix: below the name of its test, what it is of, and the numbers of its columns."""
    for at, line in enumerate(text.lines[:-2]):
        test, what = _TEST.match(line), _WHAT.search(text.lines[at + 1])
        columns = text.lines[at + 2]
        if test and what and _COLUMNS.match(columns):
            yield _Matrix(test.group(1), what.group(1), at + 3, len(columns.split()))


def _cells(text: ForeignText, matrix: _Matrix, remarks: list[str]) -> Iterator[ForeignResult]:
    """A result of every number of a matrix, under nvbandwidth's own name; 0 of a pair of its own
    is none."""
    for number in range(matrix.line + 1, len(text.lines) + 1):
        row = _ROW.match(text.lines[number - 1])
        if not row:
            return
        words = row.group(2).split()
        is_cut = text.may_be_cut(number) and is_cut_number(words[-1], ["0.00"])
        if len(words) != matrix.columns or is_cut:
            remarks.append(
                f"{text.name}, line {number}: expected {matrix.columns} numbers of "
                f"{matrix.test}, found {row.group(2).strip()[:60]!r}; left out"
            )
            continue
        for column, word in enumerate(words):
            if has_no_number([word]) or is_nothing(word):
                continue
            value, decimals = text.number(word, number, "a number of a matrix")
            place: dict[str, Value] = {"row": int(row.group(1)), "column": column}
            is_rate = matrix.unit == "GB/s"
            yield ForeignResult(
                values=(value,),
                unit=matrix.unit,
                decimals=decimals,
                group=f"{text.name}, line {matrix.line}: nvbandwidth {matrix.test}",
                line=number,
                workload=slug_of(f"nvbandwidth-{matrix.test}", "nvbandwidth"),
                quantity="bandwidth" if is_rate else "latency",
                better="higher" if is_rate else "lower",
                parameters=place,
            )


def _as_ours(result: ForeignResult, matrix: _Matrix) -> ForeignResult:
    return msgspec.structs.replace(
        result,
        benchmark="device.copy",
        metric="bandwidth",
        workload="",
        quantity="",
        better="",
        parameters={"way": _WAYS[matrix.test], "host_memory": "pinned", "size": _BLOCK},
        # Of one device it is that one, by whatever name.
        layout={"device": f"cuda:{result.parameters['column']}"} if matrix.columns > 1 else {},
        text="median of three samples of 16 copies, by the device's clock",
        note=_NOTE,
    )
