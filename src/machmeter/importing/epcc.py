"""EPCC OpenMP micro-benchmarks 2 to 4: syncbench, schedbench, arraybench and taskbench.

The overhead is the mean test time less the mean reference time, each measured by itself; what is
printed after +/- is 1.96 standard deviations of both, no interval of the overhead. Such a
difference may come out below zero, which proves it to be below what the run could resolve.
"""

from __future__ import annotations

import re

from machmeter.importing.figures import ForeignFigure, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number
from machmeter.model.benchmark import Value

_HEAD = re.compile(r"Running OpenMP benchmark version ([\d.]{1,10})(?: on (\d{1,6}) thread)?")
_THREADS = re.compile(r"^\s+(\d{1,6}) thread\(s\)")
_OVERHEAD = re.compile(r"^(\w[\w /]{0,40}?) overhead\s+= (\S{1,30}) microseconds \+/- (\S{1,30})")
_CONSTRUCTS = {
    "PARALLEL": "parallel",
    "FOR": "for",
    "PARALLEL FOR": "parallel-for",
    "BARRIER": "barrier",
    "SINGLE": "single",
    "CRITICAL": "critical",
    "LOCK/UNLOCK": "lock",
    "LOCK_CONTENDED": "lock",
    "ORDERED": "ordered",
    "ATOMIC": "atomic",
    "REDUCTION": "reduction",
}
_EXPECTED = "an overhead in microseconds"


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of EPCC's OpenMP micro-benchmarks."""
    return text.has(_HEAD)


def read_epcc(text: ForeignText, asked: Place) -> Reading:
    """The overheads of every run. Raises MachmeterError for one that is no number."""
    del asked
    version, threads, start = "", 0, 0
    figures: list[ForeignFigure] = []
    remarks: list[str] = []
    tools = []
    for number, line in enumerate(text.lines, start=1):
        head = _HEAD.search(line)
        if head:
            version, threads, start = head.group(1), int(head.group(2) or 0), number
            tools.append(f"EPCC OpenMP micro-benchmarks {version}")
        found = _THREADS.match(line)
        if found and not threads:
            threads = int(found.group(1))
        overhead = _OVERHEAD.match(line)
        if overhead and start:
            group = f"{text.name}, line {start}: EPCC on {threads} threads"
            figures += _read_overhead(text, number, overhead, (group, threads), remarks)
    if not figures:
        remarks.append(f"{text.name}: EPCC's benchmark printed no overhead above zero")
    return Reading(tuple(tools), tuple(figures), tuple(remarks))


def _read_overhead(
    text: ForeignText,
    number: int,
    found: re.Match[str],
    run: tuple[str, int],
    remarks: list[str],
) -> list[ForeignFigure]:
    group, threads = run
    name = found.group(1).strip()
    if has_no_number(found.groups()):
        remarks.append(f"{text.name}, line {number}: it holds what is no number; left out")
        return []
    value, decimals = text.number(found.group(2), number, _EXPECTED)
    spread, _ = text.number(found.group(3), number, _EXPECTED)
    if value <= 0:
        remarks.append(
            f"{text.name}, line {number}: an overhead of {value:g} us for {name} is no cost: the "
            "difference is below what EPCC resolved here; left out"
        )
        return []
    flag = "its +/- reaches below zero: not resolved" if spread >= value else ""
    layout: dict[str, Value] = {"threads_per_rank": threads} if threads else {}
    note = "neither binding nor wait policy is printed"
    if name in _CONSTRUCTS:
        return [
            ForeignFigure(
                values=(value,),
                unit="us",
                decimals=decimals,
                group=group,
                line=number,
                benchmark="threads.sync",
                metric="overhead",
                parameters={"construct": _CONSTRUCTS[name]},
                layout=layout,
                text=f"mean, +/- {spread:g} us (1.96 standard deviations)",
                note=note,
                flag=flag,
            )
        ]
    workload = re.sub(r"[^a-z0-9]+", "-", f"epcc-{name.lower()}").strip("-")
    return [
        ForeignFigure(
            values=(value,),
            unit="us",
            decimals=decimals,
            group=group,
            line=number,
            workload=workload,
            quantity="overhead",
            better="lower",
            layout=layout,
            text=f"mean, +/- {spread:g} us (1.96 standard deviations)",
            note=f"{note}; of a whole loop or region, as EPCC defines it",
            flag=flag,
        )
    ]
