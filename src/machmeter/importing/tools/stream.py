"""STREAM (McCalpin), version 5, in C and Fortran: copy, scale, add and triad of every run.

The best rate is that of the fastest of all sweeps; the mean time is of all but the first. What is
compared with machmeter's bandwidth is the rate of the mean time; the best rate is kept beside it.
Arrays of other elements than those of 8 bytes keep STREAM's own name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from machmeter.importing.contradictions import doubt_of_caches, rate_kind
from machmeter.importing.lines.ends import NOT_ENDED, remark_on_abort
from machmeter.importing.lines.labels import PlaceLabel
from machmeter.importing.placement import (
    labels_in,
    of_ranks,
    place_before,
    remark_on,
    workload_layout,
)
from machmeter.importing.readings import ForeignResult, Place, Reading
from machmeter.importing.text import (
    ForeignText,
    decimals_of_rate,
    has_infinity,
    has_no_number,
    is_cut_number,
    is_nothing,
)
from machmeter.importing.unmatched import Kept
from machmeter.model.benchmark import Value

_HEAD = re.compile(r"^ ?STREAM [Vv]ersion \$Revision: ([\d.]{1,10}) \$")
_WIDTH = re.compile(
    r"(?:uses|Assuming) (\d{1,2}) bytes per (?:array element|DOUBLE PRECISION word)"
)
_ELEMENTS = re.compile(r"^ ?Array size = {1,12}(\d{1,15})(?: \(elements\))?")
_THREADS = re.compile(
    r"^ ?Number of Threads (|requested |counted )(?:for each MPI rank |for rank 0 )?"
    r"= {1,12}(\d{1,6})"
)
# What the program over MPI prints: the arrays of all ranks together.
_RANKS = re.compile(r"^ ?Data is distributed across (\d{1,7}) MPI ranks")
_TOTAL = re.compile(r"^ ?Total Aggregate Array size = {1,12}(\d{1,15})")
# What lscpu prints of caches, before or after the run: of all of a kind, or of one by older ones.
_CACHE = re.compile(r"^ *L(\d)d?(?: cache)?: +(\d{1,6}(?:\.\d{1,3})?) ?([KMG])(?:i?B)?(?: \(| *$)")
# In Fortran the width of an element stands above the head.
_ABOVE = 4
_DOUBLE = 8
_WIDTH_OF_ELEMENT = "element_bytes"
_ROW = re.compile(r"^(Copy|Scale|Add|Triad):((?:\s+\S{1,60}){1,20})\s*$")
_ARRAYS = {"Copy": 2, "Scale": 2, "Add": 3, "Triad": 3}
_COLUMNS = 4
_MOST_QUOTED = 4
_OF_MEAN = "rate of the mean sweep"
_NOT_PRINTED = "what kind of stores the compiler chose, and where threads ran, is not printed"
_CONCURRENT = "one rank of several that ran concurrently"
_TOO_SHORT = "a sweep took less than the clock tells: the arrays are too small"
_EXPECTED = "a best rate in MB/s and the mean, least and most time in s"


def recognizes(text: ForeignText) -> bool:
    """Whether the text holds output of STREAM."""
    return text.has(_HEAD)


def read_stream(text: ForeignText, given: Place) -> Reading:
    """The results of every run. Raises MachmeterError for a row that is none."""
    labels = labels_in(text.lines)
    starts = [number for number, line in enumerate(text.lines, 1) if _HEAD.match(line)]
    ends = [*starts[1:], len(text.lines) + 1]
    places = [place_before(labels, start, text.name, given, "STREAM") for start in starts]
    concurrent = _concurrent(labels, starts, places, text.ranks)
    remarks: list[str] = []
    results: list[ForeignResult] = []
    tools = []
    kept = set()
    last_cache = _last_cache(text)
    for start, end, place in zip(starts, ends, places, strict=True):
        head = _HEAD.match(text.lines[start - 1])
        tools.append(f"STREAM {head.group(1)}" if head else "STREAM")
        read = _read_run(text, start, end, remarks)
        ranks = _single(ForeignText(text.name, text.lines[start - 1 : end - 1]), _RANKS)
        if ranks:
            read = [_of_ranks(result, of_ranks(place, ranks), "mpi") for result in read]
            remarks += filter(None, [remark_on(of_ranks(place, ranks), text.name)])
        elif start in concurrent:
            which, one = concurrent[start]
            read = [_of_ranks(result, one, "rank", which) for result in read]
            kept |= {Kept("STREAM", result.workload, _CONCURRENT) for result in read}
        sizes = [size for result in read if isinstance(size := result.parameters["size"], int)]
        if sizes and (doubt := doubt_of_caches(min(sizes), last_cache)):
            remarks.append(f"{text.name}, line {start}: STREAM: {doubt}")
        results += [msgspec.structs.replace(result, program=tools[-1]) for result in read]
    kept |= {
        Kept("STREAM", result.workload, f"elements of {width} bytes, machmeter's have {_DOUBLE}")
        for result in results
        if (width := result.parameters.get(_WIDTH_OF_ELEMENT))
    }
    ordered = tuple(sorted(kept, key=lambda one: (one.why, one.test)))
    return Reading(tuple(tools), tuple(results), tuple(remarks), kept=ordered)


def _concurrent(
    labels: Sequence[PlaceLabel],
    starts: Sequence[int],
    places: Sequence[Place],
    tags: Mapping[int, int],
) -> dict[int, tuple[dict[str, Value], Place]]:
    """The tables, by the line of their head, that several ranks of one start printed one after
    another: which of them each is, and where all of them ran.

    Below one launch line each table is a rank's, unless the line starts one rank; so it is where a
    person or a label says that there were several, and where tags before its lines name them.
    """
    launches = [label.line for label in labels if label.is_launch and label.table < 2]
    plain = {label.line for label in labels if label.is_plain}
    of_launch: dict[int, list[int]] = {}
    for at, start in enumerate(starts):
        of_launch.setdefault(bisect_right(launches, start), []).append(at)
    found: dict[int, tuple[dict[str, Value], Place]] = {}
    for launch, tables in of_launch.items():
        if all(starts[at] in tags for at in tables):
            for heads in _of_each_start([starts[at] for at in tables], tags):
                found |= _tagged(heads, places[tables[0]], tags)
            continue
        place = places[tables[0]]
        is_of_ranks = launch and launches[launch - 1] not in plain
        ranks = place.ranks or (len(tables) if is_of_ranks else 1)
        if len(tables) > 1 and ranks > 1:
            for number, at in enumerate(tables):
                found[starts[at]] = ({"table": number % ranks + 1}, of_ranks(place, ranks))
    return found


def _last_cache(text: ForeignText) -> int:
    """Bytes of the last caches as lscpu prints them; 0 where it does not."""
    found = [match.groups() for line in text.lines if (match := _CACHE.match(line))]
    sizes = (
        (int(level), int(float(number) * 1024 ** ("KMG".index(prefix) + 1)))
        for level, number, prefix in found
    )
    return max(sizes, default=(0, 0))[1]


def _of_each_start(heads: Sequence[int], tags: Mapping[int, int]) -> Iterator[list[int]]:
    """The tables of each start: it has one of a rank."""
    of_rank: dict[int, int] = {}
    for head in heads:
        if tags[head] in of_rank:
            yield list(of_rank.values())
            of_rank = {}
        of_rank[tags[head]] = head
    yield list(of_rank.values())


def _tagged(
    heads: Sequence[int], place: Place, tags: Mapping[int, int]
) -> dict[int, tuple[dict[str, Value], Place]]:
    """The tables of one start whose tags show that it has several ranks."""
    ranks = max(place.ranks, *(tags[head] + 1 for head in heads))
    if ranks == 1 or (place.ranks > 1 and len(heads) == 1 and not tags[heads[0]]):
        return {}
    return {head: ({"rank": tags[head]}, of_ranks(place, ranks)) for head in heads}


def _read_run(text: ForeignText, start: int, end: int, remarks: list[str]) -> list[ForeignResult]:
    part = ForeignText(text.name, text.lines[start - 1 : end - 1])
    group = f"{text.name}, line {start}: STREAM"
    above = ForeignText(text.name, text.lines[max(0, start - 1 - _ABOVE) : start - 1])
    width, elements = _single(part, _WIDTH) or _single(above, _WIDTH), _single(part, _ELEMENTS)
    elements = elements or _single(part, _TOTAL)
    if not width or not elements:
        remarks.append(f"{group}: the size of its arrays is not printed; left out")
        return []
    threads = _threads(part, group, remarks)
    results = []
    flag = ""
    if "Failed Validation" in part.whole:
        flag = "STREAM's own validation failed"
        remarks.append(f"{group}: {flag}; its results are flagged")
    refused = 0
    for offset, line in enumerate(part.lines):
        row = _ROW.match(line)
        why = _why_no_row(text, start + offset, row.group(2).split()) if row else ""
        if why:
            refused += 1
            if refused <= _MOST_QUOTED:
                remarks.append(f"{text.name}, line {start + offset}: {why}; left out")
        elif row:
            results += _read_row(text, start + offset, row, (width, elements, threads), flag)
    if refused > _MOST_QUOTED:
        remarks.append(f"{group}: {refused - _MOST_QUOTED} more lines of its table left out")
    kernels = Counter(row.group(1) for line in part.lines if (row := _ROW.match(line)))
    if max(kernels.values(), default=0) > 1:
        remarks.append(f"{group}: its rows are mixed with those of other processes; left out")
        return []
    if not results:
        remarks.append(f"{group}: it printed no rate; the run did not come to its end")
    last = max((at for at, line in enumerate(part.lines) if _ROW.match(line)), default=0)
    remarks += filter(
        None, [_why_ended(text, start + last, kernels if results else _ARRAYS, group)]
    )
    return results


def _why_ended(text: ForeignText, last: int, kernels: Collection[str], group: str) -> str:
    """Why a table whose last row is line `last` may lack some; empty where nothing shows it."""
    missing = ", ".join(kernel for kernel in _ARRAYS if kernel not in kernels)
    lacking = f"{group}: the table ends without {missing}: {NOT_ENDED}" if missing else ""
    return remark_on_abort(text, last) or lacking


def _of_ranks(
    result: ForeignResult, place: Place, kind: str, which: Mapping[str, Value] | None = None
) -> ForeignResult:
    """The result of all ranks together, or of one of them, under a name of its own."""
    layout, parameters, note = workload_layout(place)
    threads = result.layout.get("threads_per_rank", 0)
    if threads:
        side = layout if "ranks_per_node" in layout else parameters
        side["threads_per_rank" if side is layout else "threads"] = threads
    kernel = result.parameters.get("kernel") or result.workload.removeprefix("stream-")
    others = {name: value for name, value in result.parameters.items() if name != "kernel"}
    which = which or {}
    said = ""
    if "table" in which:
        said = f"printed as table {which['table']} of a start; which rank it is of is not printed"
    elif "rank" in which:
        said = "as many ranks as tags before the lines, or the launch line, tell"
    return msgspec.structs.replace(
        result,
        benchmark="",
        metric="",
        workload=f"stream-{kind}-{kernel}",
        quantity=result.quantity or _OF_MEAN,
        better="higher",
        parameters={**others, **parameters, **which},
        layout=layout,
        note="; ".join(part for part in (result.note, note, said) if part),
    )


def _threads(part: ForeignText, group: str, remarks: list[str]) -> int:
    """How many threads ran; 0 where it is not printed.

    Up to 5.9 those `requested` are what the program counted in a parallel region.
    """
    threads = {word.strip(): int(count) for word, count in _found_all(part, _THREADS)}
    requested = threads.get("requested", 0)
    counted = threads.get("counted", threads.get("", requested))
    if requested and requested != counted:
        remarks.append(f"{group}: {requested} threads requested, not obtained")
    return counted


def _why_no_row(text: ForeignText, number: int, words: Sequence[str]) -> str:
    """Why a line holds no rate and times; empty where it does."""
    if len(words) != _COLUMNS:
        return f"expected {_EXPECTED}, found {' '.join(words)[:60]!r}"
    if has_infinity(words) or any(map(is_nothing, words)):
        return _TOO_SHORT
    if has_no_number(words):
        return "it holds what is no number"
    if text.may_be_cut(number) and is_cut_number(words[-1], words[-2:-1]):
        return f"the file may have been cut within {words[-1]!r}: the line has no end"
    return ""


def _read_row(
    text: ForeignText,
    number: int,
    row: re.Match[str],
    of: tuple[int, int, int],
    flag: str,
) -> list[ForeignResult]:
    width, elements, threads = of
    kernel = row.group(1)
    words = row.group(2).split()
    rate, decimals = text.number(words[0], number, _EXPECTED)
    mean, mean_decimals = text.number(words[1], number, _EXPECTED)
    least, time_decimals = text.number(words[2], number, _EXPECTED)
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
        group=f"{text.name}: STREAM" + (f" on {threads} threads" if threads else ""),
        line=number,
        workload=f"stream-{kernel.lower()}",
        quantity="rate of the best sweep",
        better="higher",
        parameters={**size, **other},
        layout={"threads_per_rank": threads} if threads else {},
        note=_NOT_PRINTED if threads else f"{_NOT_PRINTED}; how many threads ran is not printed",
        flag=flag,
    )
    return [_of_the_mean(best, swept / mean / 1e6, mean * 10.0**mean_decimals), best]


def _of_the_mean(best: ForeignResult, rate: float, steps: float) -> ForeignResult:
    """The rate of the mean time, which is printed in that many steps, in place of the best one."""
    result = msgspec.structs.replace(
        best,
        values=(rate,),
        unit="MB/s",
        decimals=decimals_of_rate(rate, steps),
        quantity=_OF_MEAN,
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


def _single(part: ForeignText, pattern: re.Pattern[str]) -> int:
    found = next((match for line in part.lines if (match := pattern.search(line))), None)
    return int(found.group(1)) if found else 0


def _found_all(part: ForeignText, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    found = (pattern.match(line) for line in part.lines)
    return [(match.group(1), match.group(2)) for match in found if match]
