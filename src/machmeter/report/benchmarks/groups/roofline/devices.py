"""The roofs of devices beside those of the host: a table and a picture."""

from __future__ import annotations

from collections.abc import Iterator

from machmeter.analysis.scaling.roofline import ridge
from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.benchmarks.device.arithmetic import DEVICE_FMA
from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.roofline.marks import roofline_of
from machmeter.report.benchmarks.groups.roofline.picture import compared_chart
from machmeter.report.benchmarks.groups.roofline.roofs import DOUBLE, Roofs, bounded, memory_text
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import best, estimates_of, of_metric
from machmeter.report.drawing.chart import Chart
from machmeter.report.table import Table
from machmeter.text.numbers import count_text
from machmeter.text.results import value_with_interval

_TRIAD = "triad_bandwidth"


def device_roofs(result: RunResult) -> tuple[tuple[str, Roofs], ...]:
    """The host, where its roofs were measured, and every device whose peak in double precision and
    bandwidth were: names and roofs."""
    found = []
    host = roofline_of(result)
    if host is not None:
        threads = host.roofs.bandwidth.point.layout.threads
        found.append((f"host, {count_text(threads, 'thread', 'threads')}", host.roofs))
    peaks = bounded(estimates_of(result, DEVICE_FMA.name, "flops"))
    sweeps = extreme(bounded(estimates_of(result, DEVICE_STREAM.name, _TRIAD)), "size")
    for device in dict.fromkeys(value_of(one, "device") for one in peaks):
        peak = best(where(where(peaks, "device", device), "precision", DOUBLE))
        bandwidth = best(where(sweeps, "device", device))
        if peak is not None and bandwidth is not None:
            found.append((str(device), Roofs((peak,), bandwidth)))
    return tuple(found)


def device_roofline_charts(section: Section) -> list[Chart]:
    """All of them in one picture; none where no device has both."""
    found = device_roofs(section.result)
    if not any(_is_of_device(roofs) for _, roofs in found):
        return []
    return [
        compared_chart(
            "device-roofline",
            "Rooflines of devices in double precision",
            "Rate of operations over operations per byte on logarithmic axes, a line for each "
            "device, and for the host where its roofs were measured: it rises as the memory "
            "allows, up to the peak; with 95 % bands.",
            found,
        )
    ]


def device_roofline_tables(section: Section) -> list[Table]:
    """A row for each of them."""
    found = device_roofs(section.result)
    if not any(_is_of_device(roofs) for _, roofs in found):
        return []
    return [
        Table(
            caption="Roofs of devices",
            columns=("device", "peak, double", "peak, single", "memory", "ridge, double"),
            rows=tuple(_rows(section.result, found)),
            note="With 95 % intervals. The memory of a device by triad, from its launch until the "
            "host knows that it has finished; that of the host by its fastest sweep. A kernel "
            "reaches at most the lower of the peak and its operations per byte times the bandwidth "
            "(Williams et al., CACM 52, 2009): below the ridge memory is the limit.",
        )
    ]


def _rows(
    result: RunResult, found: tuple[tuple[str, Roofs], ...]
) -> Iterator[tuple[str, str, str, str, str]]:
    for name, roofs in found:
        peak = roofs.peak.point
        rates = of_metric(estimates_of(result, peak.benchmark), "flops")
        own = (e for e in rates if e.point.layout == peak.layout)
        single = best(bounded(where(own, "precision", "single")))
        of_device = _is_of_device(roofs)
        yield (
            name,
            value_with_interval(roofs.peak),
            value_with_interval(single),
            value_with_interval(roofs.bandwidth) if of_device else memory_text(roofs.bandwidth),
            f"{ridge(roofs.peak, roofs.bandwidth):.3g} operations per byte",
        )


def _is_of_device(roofs: Roofs) -> bool:
    return roofs.peak.point.benchmark == DEVICE_FMA.name
