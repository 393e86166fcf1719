"""nccl-tests and rccl-tests: collectives between devices, out of place and in place.

They keep their own names: operations are queued one after another without a barrier before each,
and the time is a mean over iterations, unlike machmeter's. The rate of the algorithm is size over
time; that of the bus counts what each device moves. Gigabytes are 10^9 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from machmeter.importing.contradictions import rate_kind
from machmeter.importing.names import reported_name, slug_of
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number
from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

_HEAD = re.compile(
    r"^#\s+size\s+count\s+type(?:\s+redop)?(?:\s+root)?"
    r"(?:\s+time\s+algbw\s+busbw(?:\s+(?:#wrong|error))?){1,2}\s*$"
)
_TEST = re.compile(r"\b([a-z]{1,20}(?:_[a-z]{1,20}){0,2})_perf(?:_mpi)?\b")
_RANK = re.compile(
    r"^#\s+Rank\s+\d{1,6} .{0,60}? on\s+(\S{1,80}) device\s+\d.{0,30}?\] (\S.{0,80}?)\s*$"
)
_ROW = re.compile(r"^\s*\d{1,18}(?:\s+[\w.+/-]{1,25}){5,12}\s*$")
_QUANTITIES = {
    "time": ("us", "time", "lower"),
    "algbw": ("GB/s", "rate of the algorithm", "higher"),
    "busbw": ("GB/s", "rate of the bus", "higher"),
}
_WRONG = ("#wrong", "error")
_WHY = "operations are queued without a barrier before each, and its time is their mean"


class _Run(Struct, frozen=True):
    """What the lines above a table say: its test, and how many devices and nodes; empty and 0 where
    they do not."""

    test: str
    program: str
    devices: int
    nodes: int


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds a table of nccl-tests or rccl-tests."""
    return text.has(_HEAD)


def read_nccl(text: ForeignText, given: Place) -> Reading:
    """The results of every table. Raises MachmeterError for a number that cannot be one."""
    del given
    heads = [number for number, line in enumerate(text.lines, 1) if _HEAD.match(line)]
    results: list[ForeignResult] = []
    remarks: list[str] = []
    kept: dict[Kept, None] = {}
    for above, head in zip([0, *heads], heads, strict=False):
        run = _run(text, above, head)
        if not run.test:
            remarks.append(
                f"{text.name}, line {head}: nccl-tests: which operation it is of is not printed, "
                "nor in a launch line above it (`all_reduce_perf`); left out"
            )
            continue
        kept[Kept("nccl-tests", run.test, _WHY)] = None
        columns = text.lines[head - 1].removeprefix("#").split()
        for number in range(head + 1, len(text.lines) + 1):
            line = text.lines[number - 1]
            words = line.split()
            if line.startswith("#") and number < head + 4:
                continue
            if not _ROW.match(line):
                break
            if len(words) == len(columns) and not text.may_be_cut(number):
                results += _row(text, number, columns, words, run)
            else:
                remarks.append(
                    f"{text.name}, line {number}: nccl-tests: expected {len(columns)} columns, "
                    f"found {line.strip()[:60]!r}; left out"
                )
    tools = tuple(dict.fromkeys(result.program for result in results)) or ("nccl-tests",)
    return Reading(tools, tuple(results), tuple(remarks), kept=tuple(kept))


def _run(text: ForeignText, above: int, head: int) -> _Run:
    lines = text.lines[above : head - 1]
    ranks = [match.groups() for line in lines if (match := _RANK.match(line))]
    tests = [match.group(1) for line in (text.name, *lines) if (match := _TEST.search(line))]
    names = " and ".join(dict.fromkeys(name for _, name in ranks))
    return _Run(
        test=tests[-1] if tests else "",
        program="nccl-tests" + (f" on {reported_name(names)}" if names else ""),
        devices=len(ranks),
        nodes=len({host for host, _ in ranks}),
    )


def _row(
    text: ForeignText, number: int, columns: Sequence[str], words: Sequence[str], run: _Run
) -> Iterator[ForeignResult]:
    """The results of a row: of the buffers out of place, then of those in place."""
    size = text.count(words[0], number, "bytes")
    of = dict(zip(columns, words, strict=True))
    parameters: dict[str, Value] = {"size": size, "type": of["type"]}
    parameters |= {name: of[name] for name in ("redop",) if name in of}
    if run.devices:
        parameters |= {"devices": run.devices, "nodes": run.nodes}
    starts = [at for at, name in enumerate(columns) if name == "time"]
    for start, end in zip(starts, [*starts[1:], len(columns)], strict=True):
        block = dict(zip(columns[start:end], words[start:end], strict=True))
        if has_no_number([block[name] for name in _QUANTITIES]):
            continue
        time, _ = text.number(block["time"], number, "a time in us")
        rate, decimals = text.number(block["algbw"], number, "a rate in GB/s")
        wrong = next((block[name] for name in _WRONG if name in block), "0")
        flags = ["the tool's own check failed"] if _is_wrong(wrong) else []
        if time > 0 and not rate_kind(rate, decimals, size / time / 1e3):
            flags.append("its rate is not its bytes over its time")
        for name, (unit, quantity, better) in _QUANTITIES.items():
            value, digits = text.number(block[name], number, "a number")
            yield ForeignResult(
                values=(value,),
                unit=unit,
                decimals=digits,
                group=f"{text.name}: nccl-tests {run.test}",
                line=number,
                workload=slug_of(f"nccl-{run.test}", "nccl"),
                quantity=quantity,
                better=better,
                parameters={
                    **parameters,
                    "buffers": "in place" if start != starts[0] else "out of place",
                },
                note="" if run.devices else "how many devices took part is not printed",
                flag="; ".join(flags),
                program=run.program,
            )


def _is_wrong(word: str) -> bool:
    """Of `#wrong`, values that were; of `error`, the greatest, which rounding makes too."""
    return not has_no_number([word]) and float(word) >= 1
