"""The few figures of a run that matter, and how they stand against the machine's own limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.estimate import Estimate, Knee
from machmeter.model.layout import HUGE_PAGE
from machmeter.model.run import RunResult
from machmeter.model.units import BUS_BYTES_PER_SECOND, SECONDS, format_bytes, format_value
from machmeter.report.words import (
    knee_text,
    layout_text,
    level_text,
    pages_text,
    parameter_text,
    value_text,
)

SMALL_MESSAGE = 8
LARGE_MESSAGE = 2**20


class Figure(Struct, frozen=True):
    """One figure to show first: what it is, under which circumstances, and its estimate."""

    title: str
    circumstances: str
    estimate: Estimate


class Limit(Struct, frozen=True):
    """How a figure stands against a limit that was measured in the same run.

    short: the same without intervals, for one line.
    """

    title: str
    text: str
    short: str


def estimates_of(result: RunResult, benchmark: str, metric: str = "") -> tuple[Estimate, ...]:
    """The estimates of one benchmark (and metric), in the order of the run."""
    return tuple(
        e for e in result.estimates if e.point.benchmark == benchmark and metric in {"", e.metric}
    )


def parameter(estimate: Estimate, name: str) -> str | int | None:
    """A parameter's value, None where the point has none of that name."""
    return dict(estimate.point.parameters).get(name)


def best(estimates: Iterable[Estimate]) -> Estimate | None:
    """The best one by its metric's direction; unresolved ones do not count."""
    known = [e for e in estimates if e.resolved]
    if not known:
        return None
    higher = known[0].direction is Direction.HIGHER
    return (max if higher else min)(known, key=lambda e: e.value)


def most_threads(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Those that ran on the most threads."""
    every = tuple(estimates)
    most = max((e.point.layout.threads for e in every), default=0)
    return tuple(e for e in every if e.point.layout.threads == most)


def circumstances(estimate: Estimate, without: tuple[str, ...] = ()) -> str:
    """Parameters and layout of an estimate in one phrase: `triad, nontemporal, 2 threads`."""
    parts = [
        _parameter_phrase(name, value)
        for name, value in estimate.point.parameters
        if name not in without
    ]
    return ", ".join([*parts, layout_text(estimate.point.layout)])


def _parameter_phrase(name: str, value: str | int) -> str:
    text = parameter_text(name, value)
    return text if isinstance(value, str) or name == "size" else f"{name} {text}"


def headline_figures(result: RunResult) -> tuple[Figure, ...]:
    """The figures a person asks for first, one to three of each benchmark that ran."""
    chosen: list[Figure] = []
    for benchmark in dict.fromkeys(e.point.benchmark for e in result.estimates):
        choose = _CHOICES.get(benchmark, _first_primary)
        chosen.extend(choose(estimates_of(result, benchmark)))
    return tuple(chosen)


def _figure(title: str, estimate: Estimate | None, without: tuple[str, ...] = ()) -> list[Figure]:
    return [Figure(title, circumstances(estimate, without), estimate)] if estimate else []


def _metric(estimates: Iterable[Estimate], name: str) -> tuple[Estimate, ...]:
    return tuple(e for e in estimates if e.metric == name)


def _where(estimates: Iterable[Estimate], name: str, *values: object) -> tuple[Estimate, ...]:
    return tuple(e for e in estimates if parameter(e, name) in values)


def _first_primary(estimates: tuple[Estimate, ...]) -> list[Figure]:
    """For a benchmark that this room knows nothing of: the best of its first metric."""
    found = best(_metric(estimates, estimates[0].metric))
    return _figure(f"{found.point.benchmark}, {found.title}", found) if found else []


def _stream(estimates: tuple[Estimate, ...]) -> list[Figure]:
    rates = _metric(estimates, "stream_bandwidth")
    triads = _where(rates, "kernel", "triad") or rates
    everywhere = most_threads(triads)
    as_usual = [
        e
        for e in everywhere
        if parameter(e, "stores") == "temporal" and e.point.layout.page_bytes != HUGE_PAGE
    ]
    alone = [e for e in triads if e.point.layout.threads == 1]
    fastest = best(everywhere)
    figures = _figure("Bandwidth, best triad", fastest, ("kernel", "size"))
    if best(as_usual) != fastest:
        figures += _figure("Bandwidth, triad as compiled", best(as_usual), ("kernel", "size"))
    if best(alone) != fastest:
        figures += _figure("Bandwidth, triad, one thread", best(alone), ("kernel", "size"))
    return figures


def _latency(estimates: tuple[Estimate, ...]) -> list[Figure]:
    figures = []
    for pages in sorted({e.point.layout.page_bytes for e in estimates}):
        with_pages = [e for e in estimates if e.point.layout.page_bytes == pages]
        largest = max(with_pages, key=_size)
        title = f"Memory latency, {format_bytes(pages)} pages"
        figures.append(Figure(title, f"{format_bytes(_size(largest))} at random", largest))
    return figures


def _sync(estimates: tuple[Estimate, ...]) -> list[Figure]:
    everywhere = most_threads(estimates)
    barriers = _where(everywhere, "construct", "barrier") or everywhere[:1]
    figures = []
    for one in barriers:
        text = f"{layout_text(one.point.layout)}, {one.point.layout.wait_policy.value} wait"
        construct = parameter(one, "construct") or one.title
        figures.append(Figure(f"{construct} overhead".capitalize(), text, one))
    return figures


def _message_latency(estimates: tuple[Estimate, ...]) -> list[Figure]:
    figures = []
    for wanted in (SMALL_MESSAGE, LARGE_MESSAGE):
        for found in _where(estimates, "size", wanted)[:1]:
            title = f"Message latency, {format_bytes(wanted)}"
            figures += _figure(title, found, ("size",))
    return figures or _figure("Message latency", best(estimates))


def _message_bandwidth(estimates: tuple[Estimate, ...]) -> list[Figure]:
    figures = []
    for direction in dict.fromkeys(parameter(e, "direction") for e in estimates):
        rates = [e for e in _where(estimates, "direction", direction) if e.metric != "message_rate"]
        title = f"Message bandwidth, {str(direction).replace('-', ' ')}"
        figures += _figure(title, best(rates), ("direction", "window"))
    found = best(_metric(estimates, "message_rate"))
    return figures + _figure("Message rate", found, ("window",))


def _overlap(estimates: tuple[Estimate, ...]) -> list[Figure]:
    shares = _metric(estimates, "communication_hidden")
    figures = []
    for side in dict.fromkeys(parameter(e, "side") for e in shares):
        largest = max(_where(shares, "side", side), key=_size)
        figures += _figure(f"Communication hidden, {side}", largest, ("side", "work_percent"))
    return figures


def _size(estimate: Estimate) -> int:
    size = parameter(estimate, "size")
    return size if isinstance(size, int) else 0


_CHOICES: dict[str, Callable[[tuple[Estimate, ...]], list[Figure]]] = {
    "memory.stream": _stream,
    "memory.latency": _latency,
    "threads.sync": _sync,
    "network.latency": _message_latency,
    "network.bandwidth": _message_bandwidth,
    "network.overlap": _overlap,
}


def limits(result: RunResult) -> tuple[Limit, ...]:
    """Figures against the best that this machine itself has shown in the run."""
    return (*_bandwidth_limits(result), *_level_limits(result), *_rate_limits(result))


def _bandwidth_limits(result: RunResult) -> tuple[Limit, ...]:
    rates = [e for e in result.estimates if e.unit == BUS_BYTES_PER_SECOND]
    ceiling = best(rates)
    if ceiling is None:
        return ()
    kernels = dict.fromkeys(parameter(e, "kernel") for e in rates)
    shares = []
    for kernel in kernels:
        found = best(_where(rates, "kernel", kernel))
        if found:
            shares.append(f"{kernel} {100 * found.value / ceiling.value:.0f} %")
    name = circumstances(ceiling, ("size",))
    return (
        _limit("Best seen on the bus, with write-allocate", f"{value_text(ceiling)} ({name})"),
        _limit("Share of it reached by", ", ".join(shares)),
    )


def _level_limits(result: RunResult) -> tuple[Limit, ...]:
    return tuple(
        Limit(
            f"Levels, {pages_text(pages)} pages",
            "; ".join(
                f"{level_text(number, knee)}: {knee_text(knee)}"
                for number, knee in enumerate(knees, 1)
            ),
            ", ".join(_level_short(knee) for knee in knees),
        )
        for pages, knees in result.knees.items()
    )


def _level_short(knee: Knee) -> str:
    name = f"to {format_bytes(knee.size_bytes)}" if knee.size_bytes else "memory"
    return f"{name} {format_value(knee.latency_seconds, SECONDS)}"


def _limit(title: str, text: str) -> Limit:
    return Limit(title, text, text)


def _rate_limits(result: RunResult) -> tuple[Limit, ...]:
    by_latency = best(_where(estimates_of(result, "network.latency"), "size", SMALL_MESSAGE))
    rate = best(_where(estimates_of(result, "network.bandwidth", "message_rate"),
                       "size", SMALL_MESSAGE))  # fmt: skip
    if by_latency is None or rate is None:
        return ()
    serial = 1 / by_latency.value
    text = (
        f"{value_text(rate)} with many in flight, {rate.value / serial:.1f}x the "
        f"{format_value(serial, rate.unit)} of one after the other"
    )
    return (_limit(f"Messages of {SMALL_MESSAGE} B", text),)
