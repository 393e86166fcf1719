"""The command that measures one point again, as a person would type it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import (
    Benchmark,
    Executable,
    Parameter,
    ParameterKind,
    ThreadSweep,
    Value,
)
from machmeter.model.layout import BASE_PAGE, Binding, Layout, ProgressMode
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LINKED, LayoutOptions
from machmeter.model.point import Point
from machmeter.model.results.run import Precision, Request, RunResult
from machmeter.model.units import format_bytes, parse_bytes

_BINDINGS = {
    Binding.CLOSE: "close",
    Binding.SPREAD: "spread",
    Binding.OUTER: "outer",
    Binding.NONE: "none",
}
_PROGRESS = {
    ProgressMode.LIBRARY: "library",
    ProgressMode.THREAD: "thread",
    ProgressMode.RESERVED: "reserved",
}


def command_for(point: Point, asked: Request) -> str:
    """`machmeter run ...` that measures `point` and, but for `also_measured`, nothing else.

    Hosts, MPI, compiler and precision are those of `asked`; what the benchmark does by itself is
    left out. Of one of several MPI libraries, that library is measured alone. Empty for a
    benchmark or a parameter that the catalogue lacks (of another version).
    """
    benchmark = _known(point)
    if benchmark is None:
        return ""
    words = [
        *("machmeter", "run", point.benchmark),
        *_settings(benchmark, point),
        *_ranks(benchmark, point.layout, asked.layout_options),
        *_threads(benchmark, point.layout),
        *_libraries(benchmark, point, asked),
        *_precision(asked.precision),
    ]
    return shlex.join(words)


def also_measured(point: Point, machine: Machine) -> tuple[str, ...]:
    """What that command measures beside the point, in words: no option of `run` picks one."""
    benchmark = _known(point)
    if benchmark is None:
        return ()
    layout = point.layout
    packages = len({cpu.package for cpu in machine.topology.usable})
    ranks = benchmark.executable is not Executable.NODE
    more = {
        "every split of those threads into outer and inner ones": (
            benchmark.threads is ThreadSweep.SPLITS and layout.cpus_per_rank > 1
        ),
        "the cores of each package by itself": (
            benchmark.sweep_packages and ranks and packages > 1
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


def _ranks(benchmark: Benchmark, layout: Layout, wish: LayoutOptions) -> Iterator[str]:
    if benchmark.executable is Executable.NODE:
        return
    yield from ("--ranks", str(layout.ranks))
    if wish.hosts:
        yield from ("--hosts", "slurm" if wish.by_slurm else ",".join(wish.hosts))
        yield from ("--nodes", str(layout.nodes))
        if wish.agent:
            yield from ("--remote-shell", wish.agent)
    by_itself = benchmark.progress if benchmark.executable is Executable.MPI else ()
    if (by_itself or (ProgressMode.LIBRARY,)) != (layout.progress,):
        yield from ("--progress", _PROGRESS[layout.progress])


def _threads(benchmark: Benchmark, layout: Layout) -> Iterator[str]:
    if benchmark.threads is not ThreadSweep.ONE:
        yield from ("--threads", str(layout.cpus_per_rank))
    if layout.smt > 1:
        yield from ("--smt", str(layout.smt))
    if layout.reserved_cores:
        yield from ("--reserve", str(layout.reserved_cores))
    if layout.oversubscribe:
        yield "--oversubscribe"
    if benchmark.bindings != (layout.binding,):
        yield from ("--binding", _BINDINGS[layout.binding])
    if benchmark.wait_policies != (layout.wait_policy,):
        yield from ("--wait", layout.wait_policy.value)
    if benchmark.sweep_pages or layout.page_bytes != BASE_PAGE:
        yield from ("--pages", _bytes_text(layout.page_bytes))


def _libraries(benchmark: Benchmark, point: Point, asked: Request) -> Iterator[str]:
    layout = point.layout
    if layout.openmp or benchmark.sweep_runtimes:
        yield from ("--openmp", layout.openmp or LINKED)
    if layout.allocator or benchmark.sweep_allocators:
        yield from ("--allocator", layout.allocator or LINKED)
    if benchmark.executable is Executable.MPI:
        yield from ("--mpi", point.variant.mpi or asked.mpi.split(",")[0])
    if asked.compiler:
        yield from ("--compiler", asked.compiler)
    if asked.flags:
        yield f"--flags={' '.join(asked.flags)}"


def _precision(asked: Precision) -> Iterator[str]:
    usual = Precision()
    if asked.half_width != usual.half_width:
        yield from ("--precision", f"{100 * asked.half_width:.6g}%")
    if asked.least_launches != usual.least_launches:
        yield from ("--min-launches", str(asked.least_launches))
    if asked.most_launches != usual.most_launches:
        yield from ("--max-launches", str(asked.most_launches))


def ab_command_for(point: Point, result: RunResult) -> str:
    """What measures a point of the candidate again beside that of the old run (`command_for`).

    A size that this machine chose is left for it to choose, once for both sides. What the command
    leaves out is as in the old run, so that what only that one named is named as empty.
    """
    header, against = result.header, result.header.baseline
    known = (p for one in BENCHMARKS if one.name == point.benchmark for p in one.parameters)
    left = {parameter.name for parameter in known if parameter.automatic}
    chosen = result.plan.sizes.get(point.benchmark)
    kept = (one for one in point.parameters if one[0] not in left or one[1] != chosen)
    command = command_for(replace(point, parameters=tuple(kept)), header.request)
    if against is None or not command:
        return command
    asked, old = header.request, against.request
    return " ".join(
        (
            command,
            shlex.join(("--against", against.run)),
            *(("--compiler=",) if old.compiler and not asked.compiler else ()),
            *(("--flags=",) if old.flags and not asked.flags else ()),
            *(("--rebuild",) if "--rebuild" in header.command else ()),
        )
    )
