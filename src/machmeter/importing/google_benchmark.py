"""Google Benchmark's JSON: `--benchmark_out_format=json`, or `--benchmark_format=json`.

Its repetitions follow one another inside one start of the program, so that they are not launches:
their interquartile mean is one value. Several files of the same program are several launches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.analysis.launch_value import interquartile_mean
from machmeter.importing.figures import ForeignFigure, Place, Reading
from machmeter.importing.text import ForeignText, json_of
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.model.text import readable

_UNITS = ("ns", "us", "ms", "s")


class _Context(Struct):
    num_cpus: int = 0
    host_name: str = ""
    mhz_per_cpu: float = 0.0
    library_build_type: str = ""
    cpu_scaling_enabled: bool = False


class _Measured(Struct):
    name: str
    run_name: str = ""
    run_type: str = "iteration"
    real_time: float | None = None
    time_unit: str = "ns"
    threads: int = 1
    bytes_per_second: float | None = None
    items_per_second: float | None = None
    error_occurred: bool = False
    error_message: str = ""


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


def read_google_benchmark(text: ForeignText, asked: Place) -> Reading:
    """Real time, and the rates that it counts, of every benchmark.

    Raises MachmeterError for a document that is not of its form.
    """
    del asked
    try:
        document = msgspec.json.decode(text.whole, type=_Document)
    except msgspec.DecodeError as error:
        raise MachmeterError(
            f"{text.name} is not of the form of Google Benchmark's JSON: {error}",
            "write it again by `--benchmark_out=FILE --benchmark_out_format=json`",
        ) from error
    remarks = _doubts(text, document.context)
    by_name: dict[tuple[str, int], list[_Measured]] = {}
    for one in document.benchmarks:
        name = one.run_name or one.name
        if one.error_occurred:
            remarks.append(f"{text.name}: {readable(name)[:80]} failed; left out")
        elif one.run_type == "iteration" and one.real_time is not None:
            by_name.setdefault((name, one.threads), []).append(one)
    if not by_name:
        remarks.append(f"{text.name}: it holds no single runs, only aggregates; left out")
    figures = [
        figure
        for (name, threads), ones in by_name.items()
        for figure in _figures(text, readable(name)[:80], threads, ones, document.context)
    ]
    return Reading(("Google Benchmark",), tuple(figures), tuple(remarks))


def _doubts(text: ForeignText, context: _Context) -> list[str]:
    doubts = []
    if context.library_build_type == "debug":
        doubts.append(f"{text.name}: Google Benchmark itself was built without optimization")
    if context.cpu_scaling_enabled:
        doubts.append(f"{text.name}: the clock rate of the CPUs was free to change")
    return doubts


def _figures(
    text: ForeignText, name: str, threads: int, ones: list[_Measured], context: _Context
) -> list[ForeignFigure]:
    unit = ones[0].time_unit
    if unit not in _UNITS or any(one.time_unit != unit for one in ones):
        return []
    columns = (
        ("real time of one iteration", unit, "lower", [one.real_time for one in ones]),
        ("bytes per second", "B/s", "higher", [one.bytes_per_second for one in ones]),
        ("items per second", "op/s", "higher", [one.items_per_second for one in ones]),
    )
    more = threads > context.num_cpus > 0
    flag = f"{threads} threads on {context.num_cpus} CPUs" if more else ""
    note = f"interquartile mean of {len(ones)} repetitions in one start" if len(ones) > 1 else ""
    layout: dict[str, Value] = {"threads_per_rank": threads}
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-") or "benchmark"
    return [
        ForeignFigure(
            values=(interquartile_mean(known),),
            unit=printed,
            decimals=6,
            group=f"{text.name}: {name}",
            workload=slug,
            quantity=quantity,
            better=better,
            layout=layout,
            text=name,
            note=note,
            flag=flag,
        )
        for quantity, printed, better, values in columns
        if (known := _known(values)) and len(known) == len(ones)
    ]


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and value > 0]
