"""Google Benchmark's JSON: `--benchmark_out_format=json`, or `--benchmark_format=json`.

Its repetitions follow one another inside one start of the program, so that they are not launches:
their interquartile mean is one value. Several files of the same executable are several launches.

Rates are of CPU time unless the name of the test ends in real_time or manual_time. Before version
1.9 (pull request 1836 of google/benchmark) the real time of several threads was divided by them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.importing.names import reported_name, slug_of
from machmeter.importing.readings import ForeignResult, Place, Reading, is_plausible
from machmeter.importing.text import ForeignText, decimals_shown, json_of
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.model.written.text import readable

_UNITS = ("ns", "us", "ms", "s")
# What versions before 1.5, which say nothing else of it, put behind the name of an aggregate.
_MEAN = "mean"
_AGGREGATES = ("_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS")
_WALL = re.compile(r"/(real|manual)_time(/|$)")
_UNDIVIDED = (1, 9)
# What a row of a benchmark holds in addition to user counters.
_FIELDS = frozenset(
    (
        *(
            "name",
            "family_index",
            "per_family_instance_index",
            "run_name",
            "run_type",
            "repetitions",
        ),
        *(
            "repetition_index",
            "threads",
            "aggregate_name",
            "aggregate_unit",
            "iterations",
            "real_time",
        ),
        *(
            "cpu_time",
            "time_unit",
            "bytes_per_second",
            "items_per_second",
            "cpu_coefficient",
            "rms",
        ),
        *("real_coefficient", "big_o", "allocs_per_iter", "max_bytes_used"),
    )
)


class _Context(Struct):
    num_cpus: int = 0
    host_name: str = ""
    executable: str = ""
    mhz_per_cpu: float = 0.0
    build_type: str = field(name="library_build_type", default="")
    version: str = field(name="library_version", default="")
    cpu_scaling_enabled: bool = False


class _Measured(Struct):
    name: str
    run_name: str = ""
    run_type: str = ""
    aggregate_name: str = ""
    repetitions: int = 1
    family_index: int = 0
    real_time: float | None = None
    time_unit: str = "ns"
    threads: int = 1
    bytes_per_second: float | None = None
    items_per_second: float | None = None
    error_occurred: bool = False
    skipped: bool = False


class _Document(Struct):
    benchmarks: list[_Measured]
    context: _Context = field(default_factory=_Context)


def recognizes(text: ForeignText) -> bool:
    """Whether the text is Google Benchmark's JSON."""
    found: Any = json_of(text)
    return (
        isinstance(found, dict)
        and isinstance(found.get("benchmarks"), list)
        and isinstance(found.get("context"), dict)
    )


def read_google_benchmark(text: ForeignText, given: Place) -> Reading:
    """Real time, and the rates that it counts, of every benchmark.

    Raises MachmeterError for a document that is not of its form.
    """
    del given
    try:
        document = msgspec.convert(json_of(text), type=_Document)
    except msgspec.ValidationError as error:
        raise MachmeterError(
            f"{text.name} is not of the form of Google Benchmark's JSON: {error}",
            "write it again by `--benchmark_out=FILE --benchmark_out_format=json`",
        ) from error
    remarks = [*_doubts(text, document.context), *_counters(text)]
    by_name = _by_name(text, document, remarks)
    results = [
        result
        for (name, threads), ones in by_name.items()
        for result in _results(text, name, threads, ones, document.context)
    ]
    return Reading(("Google Benchmark",), tuple(results), tuple(remarks))


def _counters(text: ForeignText) -> list[str]:
    """The remark on the counters that a program adds to its rows."""
    rows = [row for row in json_of(text)["benchmarks"] if isinstance(row, dict)]
    counted = {
        readable(name): None
        for row in rows
        for name, value in row.items()
        if name not in _FIELDS and isinstance(value, float)
    }
    if not counted:
        return []
    return [
        f"{text.name}: counters of its own ({', '.join(counted)[:200]}) are left out: neither unit "
        "nor which way is better is stated"
    ]


def _by_name(
    text: ForeignText, document: _Document, remarks: list[str]
) -> dict[tuple[str, int], list[_Measured]]:
    """The repetitions of every benchmark by name and threads; `remarks` say what is left out."""
    found: dict[tuple[str, int], list[_Measured]] = {}
    names = {one.run_name or one.name for one in document.benchmarks}
    means: dict[tuple[str, int], list[_Measured]] = {}
    for one in document.benchmarks:
        name = one.run_name or one.name
        if one.error_occurred or one.skipped:
            remarks.append(f"{text.name}: {reported_name(name)} failed or was skipped; left out")
        elif one.real_time is None:
            continue
        elif _is_single(one, names):
            found.setdefault((name, one.threads), []).append(one)
        elif one.aggregate_name == _MEAN:
            means.setdefault((name, one.threads), []).append(one)
    # Of repetitions that the file does not hold, their mean is there.
    found = means | found
    if not found:
        remarks.append(f"{text.name}: it holds neither single runs nor means; left out")
    for (name, threads), ones in list(found.items()):
        if len({one.family_index for one in ones}) > 1:
            remarks.append(
                f"{text.name}: several benchmarks are called {reported_name(name)}; left out"
            )
            del found[name, threads]
        elif not all(map(is_plausible, _numbers(ones))):
            remarks.append(
                f"{text.name}: {reported_name(name)} has a number that is none; left out"
            )
            del found[name, threads]
    return found


def _is_single(one: _Measured, names: Collection[str]) -> bool:
    """Whether it is one repetition, not an aggregate of several."""
    if one.run_type:
        return one.run_type == "iteration"
    end = next((end for end in _AGGREGATES if one.name.endswith(end)), "")
    of = one.name.removesuffix(end)
    return not (end and any(name == of or name.startswith(f"{of}/") for name in names))


def _numbers(ones: Iterable[_Measured]) -> list[float]:
    found = ((one.real_time, one.bytes_per_second, one.items_per_second) for one in ones)
    return [number for numbers in found for number in numbers if number is not None]


def _doubts(text: ForeignText, context: _Context) -> list[str]:
    doubts = []
    if context.build_type == "debug":
        doubts.append(f"{text.name}: Google Benchmark itself was built without optimization")
    if context.cpu_scaling_enabled:
        doubts.append(f"{text.name}: the clock rate of the CPUs was free to change")
    return doubts


def _results(
    text: ForeignText, name: str, threads: int, ones: list[_Measured], context: _Context
) -> list[ForeignResult]:
    unit = ones[0].time_unit
    if unit not in _UNITS or any(one.time_unit != unit for one in ones):
        return []
    over = "" if _WALL.search(name) else " of CPU time"
    time = "real time of one iteration"
    if threads > 1 and _divides(context.version):
        time += ", divided by the threads"
    columns = (
        (time, unit, "lower", [one.real_time for one in ones]),
        (f"bytes per second{over}", "B/s", "higher", [one.bytes_per_second for one in ones]),
        (f"items per second{over}", "op/s", "higher", [one.items_per_second for one in ones]),
    )
    more = threads > context.num_cpus > 0
    flag = f"{threads} threads on {context.num_cpus} CPUs" if more else ""
    layout: dict[str, Value] = {"threads_per_rank": threads}
    test = reported_name(name)
    return [
        ForeignResult(
            values=(middle,),
            unit=printed,
            decimals=decimals_shown(middle),
            group=f"{text.name}: {test}",
            workload=slug_of(name, "benchmark"),
            quantity=quantity,
            better=better,
            parameters={"test": test},
            layout=layout,
            note=_note(ones),
            flag=flag,
            program=reported_name(context.executable) if context.executable else "",
            started_with={
                what: f"{what} {value}"
                for what, value in (
                    ("host", context.host_name),
                    ("CPUs", context.num_cpus),
                    ("library", context.build_type),
                )
                if value
            },
        )
        for quantity, printed, better, values in columns
        if (known := _known(values)) and len(known) == len(ones)
        for middle in [interquartile_mean(known)]
    ]


def _note(ones: list[_Measured]) -> str:
    if ones[0].run_type == "aggregate":
        return f"mean of {ones[0].repetitions} repetitions in one start, which are not in the file"
    return f"interquartile mean of {len(ones)} repetitions in one start" if len(ones) > 1 else ""


def _divides(version: str) -> bool:
    """Whether that version divides real time by the threads, as all do that do not tell theirs."""
    found = re.match(r"v?(\d{1,4})\.(\d{1,4})", version)
    return not found or (int(found.group(1)), int(found.group(2))) < _UNDIVIDED


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and value > 0]
