"""Results beside what the hardware of the machine can at most, where that is known."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from machmeter.analysis.scaling.hardware import (
    LimitedBy,
    NetworkLimit,
    limited_by,
    memory_limit,
    most_of_adapters,
    network_limit,
    nominal_peak,
    peak_limit,
)
from machmeter.benchmarks.compute import FMA
from machmeter.benchmarks.lu import LU
from machmeter.benchmarks.memory.access import STREAM
from machmeter.benchmarks.network.messages import BANDWIDTH
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_value
from machmeter.report.benchmarks.selection import estimates_of, size
from machmeter.text.hardware.limits import HardwareLimit, limit_text
from machmeter.text.ratios import percent_text

_TITLES = {
    STREAM.name: "Memory",
    FMA.name: "Arithmetic",
    LU.name: LU.title,
    BANDWIDTH.name: "Network",
}


class LimitShare(Struct, frozen=True):
    """A result as a share of what the hardware can at most."""

    limit: HardwareLimit
    """What it is a share of."""
    share: float
    """0 to 1; above 1 one of both is wrong."""
    most: str
    """The limit with its unit."""


def limit_share(result: RunResult, estimate: Estimate) -> LimitShare | None:
    """Where a result stands below its limit; None where it has none, or none is known."""
    limit = _limit_of(result, estimate)
    if limit is None or not estimate.resolved:
        return None
    most, text = limit.value, ""
    if isinstance(limit, NetworkLimit):
        most = most_of_adapters(estimate, limit.link, limit.value)
        of_part = most < most_of_adapters(estimate, limit.value, limit.value)
        text = ", as many adapters as ranks" * of_part
    return LimitShare(limit, estimate.value / most, format_value(most, estimate.unit) + text)


def hardware_lines(result: RunResult) -> Iterator[tuple[str, str]]:
    """Of each kind of limit the result that comes nearest: what it is, and the share with what the
    limit follows from."""
    for name, title in _TITLES.items():
        shares = (limit_share(result, one) for one in estimates_of(result, name))
        found = max(filter(None, shares), key=lambda one: one.share, default=None)
        if found:
            text = f"{percent_text(found.share)} of {found.most}: {limit_text(found.limit)}"
            yield f"{title}, of what the hardware can", text


def _limit_of(result: RunResult, estimate: Estimate) -> HardwareLimit | None:
    machine = result.header.machine
    match limited_by(estimate):
        case LimitedBy.MEMORY:
            in_memory = size(estimate) > result.last_cache.size
            return memory_limit(machine) if in_memory else None
        case LimitedBy.CORES:
            return peak_limit(machine, estimate, result.estimates)
        case LimitedBy.NOMINAL_PEAK:
            return nominal_peak(machine, estimate)
        case LimitedBy.ADAPTERS:
            return network_limit(machine)
    return None
