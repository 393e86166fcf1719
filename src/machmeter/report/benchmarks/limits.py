"""How the results of a run compare with the limits of the machine that the same run measured."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from machmeter.analysis.curves.described_caches import described_caches
from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.display import LimitKind
from machmeter.model.machine import Cache
from machmeter.model.results.curves import Knee
from machmeter.model.results.run import RunResult
from machmeter.model.units import (
    SECONDS,
    STREAM_BYTES_PER_SECOND,
    common_scale,
    format_bytes,
    format_value,
)
from machmeter.report.benchmarks.groups.roofline.shares import roofline_lines
from machmeter.report.benchmarks.hardware_limits import hardware_lines
from machmeter.report.benchmarks.places import by_ancestor
from machmeter.report.benchmarks.selection import (
    SMALL_MESSAGE,
    best,
    estimates_of,
    memory_traffic,
    of_unit,
    plain_choices,
    usual,
)
from machmeter.text.labels import point_label
from machmeter.text.ratios import percent_text, times_text
from machmeter.text.results import (
    cache_text,
    knee_text,
    last_cache_text,
    level_range_text,
    level_texts,
    pages_text,
    value_text,
)
from machmeter.text.runs import library_of


class MachineLimit(Struct, frozen=True):
    """A result compared with a limit that was measured in the same run."""

    title: str
    """What is compared."""
    text: str
    """The values."""
    short: str
    """The same without intervals, for one line."""


def limits(result: RunResult) -> tuple[MachineLimit, ...]:
    """Results compared with the best that the run measured of this machine, as declared, and with
    what its hardware can at most."""
    measured = tuple(
        shown
        for benchmark in BENCHMARKS
        if (declared := benchmark.display.limit)
        for shown in _BY_KIND[declared.kind](result, benchmark.name, declared.of)
    )
    return (*measured, *(_limit(title, text) for title, text in hardware_lines(result)))


def _traffic_limits(result: RunResult, _name: str, _of: str) -> tuple[MachineLimit, ...]:
    rates = memory_traffic(result.estimates)
    ceiling = best(rates)
    if ceiling is None:
        return ()
    kernels = dict.fromkeys(value_of(e, "kernel") for e in rates)
    shares = []
    for kernel in kernels:
        found = best(where(rates, "kernel", kernel))
        if found:
            shares.append(f"{kernel} {percent_text(found.value / ceiling.value)}")
    name = point_label(ceiling, ("size",))
    return (
        _limit("Peak memory traffic, write-allocate assumed", f"{value_text(ceiling)} ({name})"),
        _limit("Fraction of peak, each kernel at its best", ", ".join(shares)),
    )


def _level_limits(result: RunResult, _name: str, _of: str) -> tuple[MachineLimit, ...]:
    if not result.knees:
        return ()
    topology = result.header.machine.topology
    levels = tuple(
        MachineLimit(
            f"Levels, {pages_text(pages)} pages",
            "; ".join(
                ", ".join(filter(None, (f"{name}: {knee_text(knee)}", level_range_text(knee))))
                for name, knee in zip(level_texts(knees, topology), knees, strict=True)
            ),
            ", ".join(map(_level_short, knees, described_caches(knees, topology.caches))),
        )
        for pages, knees in result.knees.items()
    )
    return (*levels, _limit("Last cache", last_cache_text(result.last_cache)))


def _level_short(knee: Knee, cache: Cache | None) -> str:
    name = f"to {format_bytes(knee.size_bytes)}" if knee.size_bytes else "memory"
    name = cache_text(cache) if cache else name
    return f"{name} {format_value(knee.latency_seconds, SECONDS)}"


def _limit(title: str, text: str) -> MachineLimit:
    return MachineLimit(title, text, text)


def _rate_limits(result: RunResult, name: str, of: str) -> tuple[MachineLimit, ...]:
    """Of each MPI library by itself."""
    libraries = dict.fromkeys(e.point.variant.mpi for e in estimates_of(result, name))
    return tuple(one for mpi in libraries for one in _rate_limit(result, name, of, mpi))


def _rate_limit(result: RunResult, name: str, of: str, mpi: str) -> tuple[MachineLimit, ...]:
    latencies = plain_choices(where(estimates_of(result, of), "mpi", mpi))
    by_latency = best(where(latencies, "size", SMALL_MESSAGE))
    if by_latency is None:
        return ()
    rates = where(estimates_of(result, name, "message_rate"), "mpi", mpi)
    same_layout = [e for e in rates if e.point.layout == by_latency.point.layout]
    one_way = where(same_layout, "direction", "one-way") or same_layout
    rate = best(where(one_way, "size", SMALL_MESSAGE))
    if rate is None:
        return ()
    serial = 1 / by_latency.value
    scale = common_scale((rate.value, serial), rate.unit)
    one_by_one = scale.text(serial) if scale else format_value(serial, rate.unit)
    ways = str(value_of(rate, "direction")).replace("-", " ")
    text = (
        f"{value_text(rate, scale)} {ways} with a window of messages, "
        f"{times_text(rate.value / serial)} the {one_by_one} of one message at a time"
    )
    library = library_of(result, rate.point)
    return (_limit(f"Messages of {SMALL_MESSAGE} B{library and f' ({library})'}", text),)


def _domain_limits(result: RunResult, name: str, _of: str) -> tuple[MachineLimit, ...]:
    """The farthest memory over the nearest, each the median of its pairs."""
    parts = []
    for metric in ("latency", "bandwidth"):
        found = usual(estimates_of(result, name, metric))
        kin = by_ancestor(result.header.machine.topology, found)
        if len(kin) > 1:
            ratio = kin[-1].spread.median / kin[0].spread.median
            parts.append(f"{times_text(ratio)} the {metric} of {kin[0].name}")
            farthest = kin[-1].name
    return (_limit(f"Farthest memory ({farthest})", ", ".join(parts)),) if parts else ()


def _product_limits(result: RunResult, name: str, of: str) -> tuple[MachineLimit, ...]:
    """The traffic that a sparse product cannot avoid, over the best bandwidth of a sweep."""
    rates = extreme(of_unit(estimates_of(result, of), STREAM_BYTES_PER_SECOND), "size")
    reads = where(rates, "kernel", "read") or rates
    ceiling, found = best(reads), estimates_of(result, name, "bandwidth")
    if ceiling is None or not found:
        return ()
    shares = []
    for matrix in dict.fromkeys(value_of(e, "matrix") for e in found):
        fastest = best(extreme(where(found, "matrix", matrix), "threads"))
        if fastest:
            shares.append(f"{matrix} {percent_text(fastest.value / ceiling.value)}")
    kernel = value_of(ceiling, "kernel")
    return (_limit(f"Sparse product over {kernel} sweep", ", ".join(shares)),)


def _roofline_limits(result: RunResult, _name: str, _of: str) -> tuple[MachineLimit, ...]:
    return tuple(_limit(title, text) for title, text in roofline_lines(result))


_BY_KIND: dict[LimitKind, Callable[[RunResult, str, str], tuple[MachineLimit, ...]]] = {
    LimitKind.TRAFFIC: _traffic_limits,
    LimitKind.LEVELS: _level_limits,
    LimitKind.FARTHEST: _domain_limits,
    LimitKind.SWEEP: _product_limits,
    LimitKind.PING_PONG: _rate_limits,
    LimitKind.ROOFLINE: _roofline_limits,
}
