"""EPCC OpenMP micro-benchmarks 2 to 4: syncbench, schedbench, arraybench and taskbench.

The overhead is the mean test time less the mean reference time, each measured by itself; what is
printed after +/- is 1.96 standard deviations of both, no interval of the overhead. Such a
difference may come out below zero, which proves it to be below what the run could resolve.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct, field

from machmeter.importing.lines.ends import NOT_ENDED, remark_on_abort
from machmeter.importing.names import slug_of
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import ForeignText, has_no_number, is_cut_number
from machmeter.model.benchmark import Value

_HEAD = re.compile(
    r"Running OpenMP benchmark (?:version ([\d.]{1,10})(?: on (\d{1,6}) thread)?"
    r"|on {1,20}(\d{1,6}) {1,3}thread)"
)
_BEFORE_3 = "2.0"
_THREADS = re.compile(r"^\s+(\d{1,6}) thread\(s\)")
# What changes the cost of a whole loop or region; a single construct does not depend on it.
_SETTING = re.compile(
    r"^\s+(\d{1,9}(?:\.\d{1,9})?) (delay time \(microseconds\)|iterations per thread)"
)
_SETTINGS = {"delay time (microseconds)": "delay_us", "iterations per thread": "iterations"}
_OVERHEAD = re.compile(
    r"^(\w[\w /]{0,40}?) overhead\s+= {1,40}(\S{1,30}) microseconds \+/- (\S{1,30})"
)
_BEGUN = re.compile(r"\w[\w /]{0,40}? overhead\s{0,40}=")
_CUT = re.compile(r"\w[\w /]{0,40}? (?:overhead|o(?:v(?:e(?:r(?:h(?:e(?:a)?)?)?)?)?)?$)")
_COMPUTING = re.compile(r"Computing (?!reference)(\S.{0,40}?) (?:time|using)")
_RULE = re.compile(r"-{20,}\s*")
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


class _Run(Struct):
    """One start of a benchmark, as far as its lines were read."""

    version: str
    line: int
    threads: int
    settings: dict[str, Value] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    until: int = 0
    """The line of the last overhead, or of what began."""
    open: str = ""
    """What it began to measure, and printed no overhead of so far."""
    is_ruled: bool = False
    """Whether its last line so far is a rule, which begins something."""

    @property
    def tool(self) -> str:
        """The suite with its version."""
        return f"EPCC OpenMP micro-benchmarks {self.version}"


def read_epcc(text: ForeignText, given: Place) -> Reading:
    """The overheads of every run. Raises MachmeterError for one that is no number."""
    del given
    run: _Run | None = None
    results: list[ForeignResult] = []
    remarks: list[str] = []
    tools = []
    for number, line in enumerate(text.lines, start=1):
        head = _HEAD.search(line)
        if head:
            remarks += _remarks_on_end(text, run)
            version, of_3, of_2 = head.groups()
            run = _Run(version or _BEFORE_3, number, int(of_3 or of_2 or 0), until=number)
            tools.append(run.tool)
        elif run is not None:
            remarks += _begun(text, number, run)
            _take(run, line)
            overhead = _OVERHEAD.match(line)
            results += _read_overhead(text, number, overhead, run, remarks) if overhead else ()
            if not overhead and (why := _why_no_overhead(text, number)):
                remarks.append(f"{text.name}, line {number}: {why}; left out")
    remarks += _remarks_on_end(text, run)
    if not results:
        remarks.append(f"{text.name}: EPCC's benchmark printed no overhead above zero")
    return Reading(tuple(tools), tuple(results), tuple(remarks))


def _why_no_overhead(text: ForeignText, number: int) -> str:
    """Why a line that begins like an overhead is none; empty of other lines."""
    line = text.lines[number - 1]
    if text.may_be_cut(number) and _CUT.match(line):
        return "the file may have been cut in it"
    return f"expected {_EXPECTED}, found {line.strip()[:60]!r}" if _BEGUN.match(line) else ""


def _begun(text: ForeignText, number: int, run: _Run) -> list[str]:
    """Takes what a line begins or ends; a remark where what was begun before has no overhead."""
    line = text.lines[number - 1]
    begun, ends = _COMPUTING.match(line), _BEGUN.match(line) or _CUT.match(line)
    remarks = [_lacking(text, run)] if begun and run.open else []
    if begun or ends:
        run.open, run.until = begun.group(1) if begun else "", number
    if line.strip():
        run.is_ruled = bool(_RULE.fullmatch(line))
    return remarks


def _remarks_on_end(text: ForeignText, run: _Run | None) -> list[str]:
    """Why a run may lack overheads; none where nothing shows it."""
    if run is None:
        return []
    if abort := remark_on_abort(text, run.until):
        return [abort]
    return [_lacking(text, run)] if run.open or run.is_ruled else []


def _lacking(text: ForeignText, run: _Run) -> str:
    what = f"an overhead of {run.open}" if run.open else "what its last rule begins"
    return f"{text.name}, line {run.until}: the table ends without {what}: {NOT_ENDED}"


def _take(run: _Run, line: str) -> None:
    threads, setting = _THREADS.match(line), _SETTING.match(line)
    if threads and not run.threads:
        run.threads = int(threads.group(1))
    elif setting:
        run.settings[_SETTINGS[setting.group(2)]] = setting.group(1)


def _read_overhead(
    text: ForeignText,
    number: int,
    found: re.Match[str],
    run: _Run,
    remarks: list[str],
) -> list[ForeignResult]:
    name = found.group(1).strip()
    if has_no_number(found.groups()[1:]):
        remarks.append(f"{text.name}, line {number}: it holds what is no number; left out")
        return []
    if text.may_be_cut(number) and is_cut_number(found.group(3), [found.group(2)]):
        remarks.append(f"{text.name}, line {number}: the file may have been cut in it; left out")
        return []
    if name in run.names:
        remarks.append(
            f"{text.name}, line {number}: {name} again in one start is no second launch; left out"
        )
        return []
    run.names.add(name)
    value, decimals = text.number(found.group(2), number, _EXPECTED)
    spread, _ = text.number(found.group(3), number, _EXPECTED)
    if value <= 0:
        remarks.append(
            f"{text.name}, line {number}: an overhead of {value:g} us for {name} is no cost: the "
            "difference is below what EPCC resolved here; left out"
        )
        return []
    result = ForeignResult(
        values=(value,),
        unit="us",
        decimals=decimals,
        group=f"{text.name}, line {run.line}: EPCC on {run.threads} threads",
        line=number,
        layout={"threads_per_rank": run.threads} if run.threads else {},
        text=f"mean, +/- {spread:g} us (1.96 standard deviations)",
        note="neither binding nor wait policy is printed",
        flag="its +/- reaches below zero: below resolution" if spread >= value else "",
        program=run.tool,
    )
    return [_named(result, name, run)]


def _named(result: ForeignResult, name: str, run: _Run) -> ForeignResult:
    """The result of a construct of machmeter's, or under EPCC's own name."""
    if name in _CONSTRUCTS:
        return msgspec.structs.replace(
            result,
            benchmark="threads.sync",
            metric="overhead",
            parameters={"construct": _CONSTRUCTS[name]},
        )
    return msgspec.structs.replace(
        result,
        workload=slug_of(f"epcc-{name}", "epcc"),
        quantity="overhead",
        better="lower",
        parameters={"version": run.version, **run.settings},
        note=f"{result.note}; of a whole loop or region, as EPCC defines it",
    )
