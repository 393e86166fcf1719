"""The command that measures one point again, as a person would type it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import (
    Benchmark,
    Parameter,
    ParameterKind,
    ThreadSweep,
    Value,
)
from machmeter.model.layout import LaunchMode, Layout
from machmeter.model.layout_fields import LAYOUT_FIELDS, LayoutOption, OptionKind
from machmeter.model.machine import Machine
from machmeter.model.origin import Origin
from machmeter.model.plan.study import SSH
from machmeter.model.point import Point
from machmeter.model.results.request_words import precision_words, twin_words
from machmeter.model.results.run import Request, RunResult
from machmeter.model.units import format_bytes, parse_bytes
from machmeter.model.written.text import shell_text

# Options of fields that the mode in which nothing is set has the values of.
_OF_DEFAULT = frozenset({"threads", "binding", "wait", "smt", "reserve"})


def command_for(point: Point, request: Request) -> str:
    """`machmeter run ...` that measures `point` and, but for `also_measured`, nothing else.

    Hosts, MPI, compiler and precision are those of `request`; what the benchmark does by itself is
    left out. Of one of several MPI libraries, that library is measured alone. Empty for a
    benchmark or a parameter that the catalogue lacks (of another version).
    """
    benchmark = _known(point)
    if benchmark is None:
        return ""
    words = [
        *("machmeter", "run", point.benchmark),
        *_settings(benchmark, point),
        *_layout(benchmark, point.layout),
        *_hosts(benchmark, point.layout, request),
        *_build(benchmark, point, request),
        *precision_words(request),
    ]
    return shell_text(words)


def also_measured(point: Point, machine: Machine) -> tuple[str, ...]:
    """What that command measures in addition to the point: no option of `run` picks one."""
    benchmark = _known(point)
    if benchmark is None:
        return ()
    layout = point.layout
    packages = len({cpu.package for cpu in machine.topology.usable})
    swept = benchmark.program.has_ranks or machine.has_separate_devices
    more = {
        "every split of those threads into outer and inner ones": (
            benchmark.threads is ThreadSweep.SPLITS and layout.cpus_per_rank > 1
        ),
        "the cores of each package by itself": (
            benchmark.sweep_packages and swept and packages > 1
        ),
    }
    return tuple(words for words, is_so in more.items() if is_so)


def _known(point: Point) -> Benchmark | None:
    """The benchmark, where it still has every parameter of the point."""
    for benchmark in BENCHMARKS:
        names = {parameter.name for parameter in benchmark.parameters}
        if benchmark.name == point.benchmark and names >= dict(point.parameters).keys():
            return benchmark
    return None


def _settings(benchmark: Benchmark, point: Point) -> Iterator[str]:
    values = dict(point.parameters)
    for parameter in benchmark.parameters:
        value = values.get(parameter.name)
        if value is not None and parameter.values != (value,):
            yield from ("--set", f"{parameter.name}={_value_text(parameter, value)}")


def _value_text(parameter: Parameter, value: Value) -> str:
    if parameter.kind is ParameterKind.SIZE and isinstance(value, int):
        return _bytes_text(value)
    return str(value)


def _bytes_text(count: int) -> str:
    """`64KiB` where that is the very number, else the number."""
    short = format_bytes(count).replace(" ", "")
    return short if count >= 1024 and _size_in(short) == count else str(count)


def _size_in(text: str) -> int | None:
    """The size in `text`, bytes; None where it is no whole number of them (`77.1GiB`)."""
    try:
        return parse_bytes(text)
    except ValueError:
        return None


def _layout(benchmark: Benchmark, layout: Layout) -> Iterator[str]:
    """The options that set what the benchmark alone would not have."""
    said = {"nodes"}
    if not layout.is_placed:
        yield from ("--modes", LaunchMode.DEFAULT.value)
        said |= _OF_DEFAULT
    for field in LAYOUT_FIELDS:
        option = field.option
        if option is None or option.name in said:
            continue
        value = field.of(layout) if field.of else getattr(layout, field.name)
        if field.swept(benchmark) == (value,):
            continue
        yield f"--{option.name}"
        if option.kind is not OptionKind.SWITCH:
            yield _option_text(option, value)


def _option_text(option: LayoutOption, value: Any) -> str:
    if option.kind is OptionKind.SIZES:
        return _bytes_text(value)
    return next((word for word, one in option.choices.items() if one == value), str(value))


def _hosts(benchmark: Benchmark, layout: Layout, request: Request) -> Iterator[str]:
    options = request.layout_options
    if request.origin is Origin.SIMULATED:
        yield from (*twin_words(request), "--nodes", str(layout.nodes))
        return
    if not (options.hosts and benchmark.program.has_ranks):
        return
    named = options.launcher == SSH
    yield from ("--hosts", ",".join(options.hosts) if named else options.launcher)
    yield from ("--nodes", str(layout.nodes))
    if options.remote_shell:
        yield from ("--remote-shell", options.remote_shell)
    if options.one_machine:
        yield "--one-machine"


def _build(benchmark: Benchmark, point: Point, request: Request) -> Iterator[str]:
    if benchmark.program.chooses_mpi:
        yield from ("--mpi", point.variant.mpi or request.mpi.split(",")[0])
    if request.compiler:
        yield from ("--compiler", request.compiler)
    if request.flags:
        yield f"--flags={' '.join(request.flags)}"


def ab_command_for(point: Point, result: RunResult) -> str:
    """What measures a point of the candidate again beside that of the old run (`command_for`).

    A size that this machine chose is left for it to choose, once for baseline and candidate. What
    the command leaves out is as in the old run, so that what only that one named is named as empty.
    """
    header, against = result.header, result.header.baseline
    known = (p for one in BENCHMARKS if one.name == point.benchmark for p in one.parameters)
    left = {parameter.name for parameter in known if parameter.automatic}
    chosen = result.plan.sizes.get(point.benchmark)
    kept = (one for one in point.parameters if one[0] not in left or one[1] != chosen)
    command = command_for(replace(point, parameters=tuple(kept)), header.request)
    if against is None or not command:
        return command
    request, old = header.request, against.request
    return " ".join(
        (
            command,
            shell_text(("--against", against.run)),
            *(("--compiler=",) if old.compiler and not request.compiler else ()),
            *(("--flags=",) if old.flags and not request.flags else ()),
            *(("--rebuild",) if against.rebuilt else ()),
        )
    )
