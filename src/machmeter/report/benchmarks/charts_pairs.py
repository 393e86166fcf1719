"""Charts of many messages: bandwidth and rate, by size, pairs, windows and threads."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.curve_charts import Words, curve_chart, panel_chart
from machmeter.report.benchmarks.selection import (
    fewest_ranks,
    number,
    of_metric,
    parameter,
    plain_choices,
    size,
    size_phrase,
)
from machmeter.report.drawing.chart import Chart
from machmeter.text.labels import PAIRS, SIZE, THREADS, WINDOW

_FIGURES = (("bandwidth", "Bandwidth"), ("message_rate", "Message rate"))
_SLOWEST = "Of several pairs the slowest sets the time of all."


def bandwidth_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Bandwidth and message rate over the size; over pairs and windows where there are several."""
    charts = []
    for metric, title in _FIGURES:
        found = [e for e in estimates if e.metric.startswith(metric)]
        words = Words(
            f"network-{metric.replace('_', '-')}",
            f"{title} by message size",
            f"{title} over the message size on logarithmic axes, one way and both ways; below, "
            "the 95 % interval in percent of the value.",
            title.lower(),
            "Both ways: the sum of both directions.",
        )
        two = fewest_ranks(_widest(found))
        charts += curve_chart(words, plain_choices(two, "direction"), SIZE)
    return [*charts, *_over_pairs(estimates), *_over_windows(estimates)]


def _widest(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Those with the most messages in flight."""
    most = max((number(e, "window") for e in estimates), default=0)
    return [e for e in estimates if number(e, "window") == most]


def _ends(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Rates of the smallest, bandwidths of the largest message that ran on several pairs."""
    several = {e.point.layout.ranks for e in estimates}
    sizes = {s for s in map(size, estimates) if len(several) == len(_ranks_of(estimates, s))}
    sizes = sizes or set(map(size, estimates))
    return tuple(
        e
        for e in estimates
        if size(e) == (min(sizes - {0} or sizes) if e.metric == "message_rate" else max(sizes))
    )


def _ranks_of(estimates: Sequence[Estimate], at: int) -> set[int]:
    return {e.point.layout.ranks for e in estimates if size(e) == at}


def _over_pairs(estimates: Sequence[Estimate]) -> list[Chart]:
    charts = []
    for metric, title in _FIGURES:
        found = [e for e in _ends(estimates) if e.metric.startswith(metric)]
        if len({PAIRS.of(e) for e in found}) > 1:
            at = format_bytes(size(found[0]))
            words = Words(
                f"network-{metric.replace('_', '-')}-pairs",
                f"{title} of many pairs, {at}",
                f"{title} of messages of {at} over the number of pairs, all at once, on "
                "logarithmic axes; below, the 95 % interval in percent of the value.",
                title.lower(),
                _SLOWEST,
            )
            charts += curve_chart(words, plain_choices(found, "direction"), PAIRS)
    return charts


def _over_windows(estimates: Sequence[Estimate]) -> list[Chart]:
    rates = of_metric(estimates, "message_rate")
    several = [s for s in sorted(set(map(size, rates))) if len(_windows_of(rates, s)) > 1]
    if not several:
        return []
    at = next((s for s in several if s), several[0])
    words = Words(
        "network-message-rate-windows",
        f"Message rate by messages in flight, {format_bytes(at)}",
        f"Message rate of messages of {format_bytes(at)} over the window of messages in flight on "
        "logarithmic axes; below, the 95 % interval in percent of the value.",
        "message rate",
    )
    found = [e for e in rates if size(e) == at]
    return curve_chart(words, plain_choices(found, "direction"), WINDOW)


def _windows_of(estimates: Sequence[Estimate], at: int) -> set[int]:
    return {number(e, "window") for e in estimates if size(e) == at}


def pair_latency_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Latency of the slowest pair over the number of pairs, one panel a size."""
    words = Words(
        "network-pairs",
        "Latency of many pairs at once",
        "Time of one message of the slowest pair over the number of pairs, a panel for each size "
        "and definition, one curve a package, with 95 % bands.",
        "slowest pair",
        "Classic: pairs run on without stopping. Barrier: all ranks meet before every exchange. "
        "Panels of one size have the same axes.",
    )
    found = of_metric(estimates, "latency")
    sized = ("size", "definition")
    return panel_chart(words, found, PAIRS, _size_and_definition, size_phrase, sized)


def _size_and_definition(estimate: Estimate) -> str:
    return f"{size_phrase(estimate)}, {parameter(estimate, 'definition')}"


def thread_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Message rate over the threads of a rank, one panel a size and window."""
    words = Words(
        "network-threads",
        "Message rate of several threads at once",
        "Message rate over the number of threads that send at once, a panel for each size and "
        "window, with 95 % bands.",
        "message rate",
        "MPI_THREAD_MULTIPLE, one communicator a pair of threads; the slowest pair counts. "
        "Panels of one size have the same axes.",
    )
    rates = of_metric(estimates, "message_rate")
    return panel_chart(words, rates, THREADS, _message, size_phrase, ("size", "window"))


def _message(estimate: Estimate) -> str:
    return f"{size_phrase(estimate)}, window {number(estimate, 'window')}"
