"""The figures of the network benchmarks that matter."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.ancestors import pair_of
from machmeter.report.benchmarks.consistency import node_name
from machmeter.report.benchmarks.figure import Headline, figure
from machmeter.report.benchmarks.selection import (
    best,
    number,
    of_metric,
    parameter,
    plain_choices,
    size,
    usual,
    where,
)

SMALL_MESSAGE = 8
LARGE_MESSAGE = 2**20
_MOST_LIBRARIES = 2
# Choices that are told by the title or are the plain ones.
_PLAIN = ("pattern", "way", "data", "buffers", "form", "start", "datatype", "definition",
          "synchronization", "window", "target")  # fmt: skip


def latency(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """A small message, with each library where there are several, and a large one."""
    plain = plain_choices(usual(estimates))
    small = where(plain, "size", SMALL_MESSAGE)
    figures = _of_libraries(f"Message latency, {SMALL_MESSAGE} B", small)
    for found in where(plain, "size", LARGE_MESSAGE)[:1]:
        figures += _figure(f"Message latency, {format_bytes(LARGE_MESSAGE)}", found)
    return figures or figure("Message latency", best(plain))


def bandwidth(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The best bandwidth of each direction, the best rate."""
    figures = []
    for direction in dict.fromkeys(parameter(e, "direction") for e in estimates):
        rates = [e for e in where(estimates, "direction", direction) if e.metric != "message_rate"]
        title = f"Message bandwidth, {str(direction).replace('-', ' ')}"
        figures += figure(title, best(rates), ("direction", "window", "buffers"))
    found = best(of_metric(estimates, "message_rate"))
    return figures + figure("Message rate", found, ("window", "buffers"))


def pairs(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The slowest of the most pairs, a small message, by each definition."""
    found = usual(of_metric(estimates, "latency"))
    most = max((e.point.layout.ranks for e in found), default=0)
    widest = _smallest([e for e in found if e.point.layout.ranks == most])
    definitions = dict.fromkeys(parameter(e, "definition") for e in widest)
    return [
        shown
        for definition in definitions
        for shown in _figure(
            f"{most // 2} pairs at once, {definition}",
            where(widest, "definition", definition)[0],
            "size",
        )
    ]


def threads(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The best message rate."""
    return figure("Message rate of threads", best(of_metric(estimates, "message_rate")))


def overlap(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The share of the communication hidden, of the largest message, by side."""
    shares = usual(of_metric(estimates, "communication_hidden"))
    figures = []
    for side in dict.fromkeys(parameter(e, "side") for e in shares):
        largest = max(where(shares, "side", side), key=size)
        figures += figure(f"Communication hidden, {side}", largest, ("side", "work_percent"))
    return figures


def availability(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """Of the largest message, by side."""
    figures = []
    for side in dict.fromkeys(parameter(e, "side") for e in estimates):
        largest = max(where(estimates, "side", side), key=size)
        figures += figure(f"Host availability, {side}", largest, ("side",))
    return figures


def collective(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """A small allreduce; what a node injects at most in an all-to-all."""
    times = plain_choices(of_metric(estimates, "time"), "operation")
    reductions = where(times, "operation", "allreduce") or times
    small = _smallest(reductions)[:1]
    figures = []
    for found in small:
        operation = str(parameter(found, "operation")).capitalize()
        figures += _figure(f"{operation}, {format_bytes(size(found))}", found, "operation")
    injected = best(where(of_metric(estimates, "injection"), "operation", "alltoall"))
    return figures + _figure("Injected in all-to-all", injected, "operation", keep="size")


def barrier(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The blocking one, with each library where there are several."""
    return _of_libraries("Barrier", plain_choices(usual(estimates)))


def collective_overlap(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The operation of which the most is hidden."""
    found = best(usual(of_metric(estimates, "communication_hidden")))
    return figure("Collective hidden, best", found, ("work_percent",))


def onesided(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """One small operation by itself, the first two of the run; the best rate."""
    times = of_metric(plain_choices(estimates, "operation"), "time")
    alone = _smallest([e for e in times if number(e, "outstanding") <= 1])
    figures = []
    for operation in list(dict.fromkeys(parameter(e, "operation") for e in alone))[:2]:
        found = where(alone, "operation", operation)[0]
        sized = f", {format_bytes(size(found))}" if size(found) else ""
        title = f"{_called(found)}{str(operation).replace('-', ' ')}{sized}"
        figures += _figure(title, found, "operation", "outstanding")
    rate = best(of_metric(estimates, "rate"))
    return figures + _figure(f"{_called(rate)}rate", rate, keep="size")


def _called(estimate: Estimate | None) -> str:
    shmem = estimate is not None and estimate.point.benchmark.startswith("shmem")
    return "OpenSHMEM " if shmem else "One-sided "


def shmem_alltoall(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """A small one; what a node injects at most."""
    small = _smallest(of_metric(estimates, "time"))[:1]
    figures = []
    for found in small:
        figures += _figure(f"OpenSHMEM all-to-all, {format_bytes(size(found))}", found)
    injected = best(of_metric(estimates, "injection"))
    return figures + _figure("OpenSHMEM, injected by a node", injected, keep="size")


def startup(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """MPI_Init and memory on the most ranks."""
    figures = []
    for metric, title in (("init", "MPI_Init"), ("memory", "Memory of a rank")):
        found = max(of_metric(estimates, metric), key=lambda e: e.point.layout.ranks, default=None)
        figures += _figure(title, found)
    return figures


def consistency(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The slowest and the fastest pair, small message, by the names of their nodes."""
    small = _smallest([e for e in of_metric(estimates, "latency") if e.resolved and pair_of(e)])
    if not small:
        return []
    ordered = sorted(small, key=lambda e: -e.value)
    ends = (("Slowest pair", ordered[0]), ("Fastest pair", ordered[-1]))
    return [Headline(title, _pair_text(result, found), found) for title, found in ends]


def _pair_text(result: RunResult, estimate: Estimate) -> str:
    names = [node_name(result, place) for place in pair_of(estimate) or ()]
    return f"{' – '.join(names)}, {format_bytes(size(estimate))}"


def _smallest(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those of the message size nearest to a small one, from it on where there is one."""
    sizes = {size(e) for e in estimates}
    wanted = min((s for s in sizes if s >= SMALL_MESSAGE), default=max(sizes, default=0))
    return tuple(e for e in estimates if size(e) == wanted)


def _of_libraries(title: str, estimates: Sequence[Estimate]) -> list[Headline]:
    """The first figure of each MPI library, the first few of them."""
    libraries = list(dict.fromkeys(e.point.variant.mpi for e in estimates))[:_MOST_LIBRARIES]
    first = [next(e for e in estimates if e.point.variant.mpi == mpi) for mpi in libraries]
    return [shown for one in first for shown in _figure(title, one)]


def _figure(title: str, estimate: Estimate | None, *without: str, keep: str = "") -> list[Headline]:
    """A figure whose size and plain choices are not named again."""
    hidden = {*_PLAIN, "size", *without} - {keep}
    return figure(title, estimate, tuple(hidden))
