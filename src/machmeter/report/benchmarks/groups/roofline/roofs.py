"""The roofs of a node: the peaks of all its cores, and the bandwidth of its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.benchmarks.compute import FMA
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import BUS_BYTES_PER_SECOND, STREAM_BYTES_PER_SECOND
from machmeter.report.benchmarks.selection import best, of_metric, of_unit, positive
from machmeter.text.results import value_text

DOUBLE = "double"


class Roofs(Struct, frozen=True):
    """What all cores of a node allow."""

    peaks: tuple[Estimate, ...]
    """The highest of each register width in double precision, the widest last."""
    bandwidth: Estimate
    """The most bytes per second to and from memory."""

    @property
    def peak(self) -> Estimate:
        """The highest one in double precision."""
        return max(self.peaks, key=lambda one: one.value)


def roofs_of(estimates: Sequence[Estimate], in_memory: Callable[[Estimate], bool]) -> Roofs | None:
    """The roofs among these results; None without a peak in double precision, or without a sweep
    over arrays in memory on as many threads.

    in_memory: whether the arrays of a sweep are larger than every cache.
    """
    bandwidth = best(_to_memory(estimates, in_memory))
    if bandwidth is None:
        return None
    double = where(peaks_in(estimates, bandwidth), "precision", DOUBLE)
    widths = dict.fromkeys(value_of(e, "width") for e in double)
    peaks = tuple(filter(None, (best(where(double, "width", width)) for width in widths)))
    if not peaks:
        return None
    same = peaks[0].point.layout.threads == bandwidth.point.layout.threads
    return Roofs(peaks, bandwidth) if same else None


def peaks_in(estimates: Iterable[Estimate], bandwidth: Estimate) -> tuple[Estimate, ...]:
    """Peaks of both precisions on all cores, with as many hardware threads of each as took that
    bandwidth."""
    of_peaks = (e for e in of_metric(estimates, "flops") if e.point.benchmark == FMA.name)
    return on_all_cores(of_peaks, bandwidth)


def on_all_cores(estimates: Iterable[Estimate], like: Estimate) -> tuple[Estimate, ...]:
    """Those on the most threads with an interval, with as many hardware threads a core as `like`"""
    smt = like.point.layout.smt
    return extreme(bounded(e for e in estimates if e.point.layout.smt == smt), "threads")


def bounded(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Those above zero with an interval: of one launch nothing is a share of a roof."""
    return tuple(e for e in positive(estimates) if e.is_bounded)


def is_modeled(estimates: Iterable[Estimate], traffic: Estimate) -> bool:
    """Whether a rate of bus bytes holds reads before stores, which are assumed and not measured."""
    return any(
        e.unit == STREAM_BYTES_PER_SECOND and traffic.value > 1.01 * e.value
        for e in estimates
        if e.point == traffic.point
    )


def peak_text(peak: Estimate) -> str:
    """`80.0 Gflop/s (256-bit, double precision)`."""
    return f"{value_text(peak)} ({value_of(peak, 'width')}, double precision)"


def sweep_text(bandwidth: Estimate) -> str:
    """`read, temporal stores`."""
    return f"{value_of(bandwidth, 'kernel')}, {value_of(bandwidth, 'stores')} stores"


def memory_text(bandwidth: Estimate) -> str:
    """`40.0 GB/s (read, temporal stores)`."""
    return f"{value_text(bandwidth)} ({sweep_text(bandwidth)})"


def _to_memory(
    estimates: Sequence[Estimate], in_memory: Callable[[Estimate], bool]
) -> tuple[Estimate, ...]:
    """Rates on the bus of the largest arrays, if beyond every cache, without reads that are only
    assumed where there are others."""
    rates = bounded(of_unit(estimates, BUS_BYTES_PER_SECOND))
    beyond = extreme(extreme(filter(in_memory, rates), "size"), "threads")
    counted = tuple(e for e in beyond if not is_modeled(estimates, e))
    return counted or beyond
