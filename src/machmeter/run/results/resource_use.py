"""Where the time of programs that are not ours went: CPU use, memory, switches, storage. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from msgspec import Struct

from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.observation import LEAST_SAMPLES, TEN_TICKS_SECONDS, ObservedRank
from machmeter.model.results.run import ResourceUse


class LaunchUse(Struct, frozen=True):
    """What one launch used: the sum over its ranks."""

    cpu_share: float
    """CPU time over the wall time of the CPUs of the layout."""
    system_share: float | None
    """Share of the CPU time in the system; None where that is too short to tell."""
    peak_bytes: int
    """Most resident memory, each rank at its own peak, bytes."""
    voluntary_switches: int
    """Context switches to wait."""
    involuntary_switches: int
    """Context switches for the sake of others."""
    storage: tuple[int, int] | None
    """Read and written bytes; None where there were too few samples to see them."""


def launch_use(layout: Layout, ranks: Sequence[ObservedRank]) -> LaunchUse | None:
    """What a launch used; None without the totals of every rank."""
    wall = max((one.wall_seconds for one in ranks), default=0.0)
    cpus = _cpus(layout, ranks)
    if len(ranks) != layout.ranks or not all(one.ended for one in ranks) or not wall or not cpus:
        return None
    system = sum(one.system_seconds for one in ranks)
    spent = system + sum(one.user_seconds for one in ranks)
    trees = [one.tree for one in ranks]
    sampled = all(one.samples >= LEAST_SAMPLES for one in trees)
    return LaunchUse(
        spent / (wall * cpus),
        system / spent if spent >= TEN_TICKS_SECONDS else None,
        sum(max(one.peak_bytes, one.tree.most_memory_bytes) for one in ranks),
        sum(one.voluntary_switches for one in ranks),
        sum(one.involuntary_switches for one in ranks),
        (sum(t.read_bytes for t in trees), sum(t.written_bytes for t in trees))
        if sampled
        else None,
    )


def resource_use(spec: str, uses: Sequence[LaunchUse]) -> ResourceUse:
    """The medians over the launches of a spec, of which there is one at least."""
    stored = [one.storage for one in uses if one.storage is not None]
    return ResourceUse(
        spec=spec,
        launches=len(uses),
        sampled=len(stored),
        cpu_share=median(one.cpu_share for one in uses),
        peak_bytes=_median(uses, lambda one: one.peak_bytes),
        voluntary_switches=_median(uses, lambda one: one.voluntary_switches),
        involuntary_switches=_median(uses, lambda one: one.involuntary_switches),
        system_share=_median_of_known(one.system_share for one in uses),
        read_bytes=_median_of_known(read for read, _ in stored),
        written_bytes=_median_of_known(written for _, written in stored),
    )


def _cpus(layout: Layout, ranks: Sequence[ObservedRank]) -> int:
    """How many CPUs the layout has: no more than its ranks may use, of which some may be shared."""
    usable = len({(one.host, cpu) for one in ranks for cpu in one.cpus})
    return usable if layout.binding is Binding.DEFAULT else min(layout.threads, usable)


def _median(uses: Sequence[LaunchUse], of: Callable[[LaunchUse], int]) -> float:
    return float(median(map(of, uses)))


def _median_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(median(known)) if known else None
