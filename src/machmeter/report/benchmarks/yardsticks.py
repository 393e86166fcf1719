"""What gives a key result meaning: its relation to another result of the same run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from machmeter.benchmarks.catalogue import known
from machmeter.model.display import Yardstick, YardstickKind
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.roofline.marks import standing_of
from machmeter.report.benchmarks.groups.roofline.roofs import is_modeled
from machmeter.report.benchmarks.groups.roofline.shares import share_in_short
from machmeter.report.benchmarks.hardware_limits import limit_share
from machmeter.report.benchmarks.selection import (
    best,
    estimates_of,
    memory_traffic,
    narrowed,
    select,
    size,
)
from machmeter.text.ratios import percent_text, times_text


def yardstick_text(result: RunResult, estimate: Estimate) -> str:
    """`12x memory access`, by the first yardstick of its benchmark that the run measured.

    Empty where there is none, or where the result is no more than an upper bound.
    """
    declared = known(estimate.point.benchmark)
    if declared is None or not estimate.resolved or estimate.value <= 0:
        return ""
    fitting = (
        one
        for one in declared.display.yardsticks
        if not one.metrics or estimate.metric in one.metrics
    )
    texts = (_BY_KIND[one.kind](result, estimate, one) for one in fitting)
    return next(filter(None, texts), "")


def _other(result: RunResult, yardstick: Yardstick) -> Estimate | None:
    chosen = select(estimates_of(result, yardstick.of), yardstick.select)
    found = best(narrowed(chosen, yardstick.select))
    if found is None or found.value <= 0:
        return None
    return found if not yardstick.in_memory or _is_in_memory(result, found) else None


def _is_in_memory(result: RunResult, one: Estimate) -> bool:
    """Whether a working set is larger than every cache."""
    return size(one) > result.last_cache.size


def _times(result: RunResult, estimate: Estimate, yardstick: Yardstick) -> str:
    other = _other(result, yardstick)
    return f"{times_text(estimate.value / other.value)} {yardstick.name}" if other else ""


def _share(result: RunResult, estimate: Estimate, yardstick: Yardstick) -> str:
    other = _other(result, yardstick)
    if other is None:
        return ""
    return f"{percent_text(estimate.value / other.value)} of {yardstick.name}"


def _peak_traffic(result: RunResult, estimate: Estimate, _yardstick: Yardstick) -> str:
    """Of the same point the traffic on the bus, over the most of any point.

    That is no share of the value itself where stores first read what they overwrite.
    """
    rates = memory_traffic(result.estimates)
    own = next((e for e in rates if e.point == estimate.point), None)
    ceiling = best(rates)
    if own is None or ceiling is None or not own.resolved:
        return ""
    peak = "modeled peak traffic" if is_modeled(result.estimates, ceiling) else "peak traffic"
    if own.point == ceiling.point:
        return f"the {peak} of this run"
    read_first = " with write-allocate" if own.value > 1.01 * estimate.value else ""
    return f"{percent_text(own.value / ceiling.value)} of {peak}{read_first}"


def _roof(result: RunResult, estimate: Estimate, _yardstick: Yardstick) -> str:
    found = standing_of(result, estimate)
    return share_in_short(found) if found else ""


def _first_cache(result: RunResult, estimate: Estimate, _yardstick: Yardstick) -> str:
    """Over the latency of the first cache level under the same pages."""
    first = next(iter(result.knees.get(str(estimate.point.layout.page_bytes), ())), None)
    if first is None or not first.size_bytes or first.latency_seconds <= 0:
        return ""
    return f"{times_text(estimate.value / first.latency_seconds)} first cache level"


def _one_at_a_time(result: RunResult, estimate: Estimate, yardstick: Yardstick) -> str:
    """The rate over that of one message of the same size at a time, under the same layout."""
    latencies = select(estimates_of(result, yardstick.of), yardstick.select)
    fitting: Sequence[Estimate] = [
        e
        for e in latencies
        if size(e) == size(estimate)
        and e.point.layout == estimate.point.layout
        and e.point.variant == estimate.point.variant
    ]
    latency = best(fitting)
    if latency is None or latency.value <= 0:
        return ""
    return f"{times_text(estimate.value * latency.value)} {yardstick.name}"


def _hardware(result: RunResult, estimate: Estimate, yardstick: Yardstick) -> str:
    found = limit_share(result, estimate)
    return f"{percent_text(found.share)} of {yardstick.name}, {found.most}" if found else ""


_BY_KIND: dict[YardstickKind, Callable[[RunResult, Estimate, Yardstick], str]] = {
    YardstickKind.TIMES: _times,
    YardstickKind.SHARE: _share,
    YardstickKind.PEAK_TRAFFIC: _peak_traffic,
    YardstickKind.FIRST_CACHE: _first_cache,
    YardstickKind.ONE_AT_A_TIME: _one_at_a_time,
    YardstickKind.ROOF: _roof,
    YardstickKind.HARDWARE: _hardware,
}
