"""The roofs of devices: of which devices there are some, and how they stand beside the host's."""

from __future__ import annotations

import pytest

from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.groups.roofline.devices import device_roofs
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.runs import charts_in, tables_in
from tests.unit.report.benchmarks.groups.test_roofline import GIGA, MEMORY, PEAKS, run_of

GPU, CPUS = Layout(device="cuda:0"), Layout(threads_per_rank=4, device="opencl:1")


def sweep(layout: Layout, rate: float, size: int = 2**30) -> Estimate:
    return made_up("device.stream", {"size": size}, layout, "triad_bandwidth", rate * GIGA)


def arithmetic(layout: Layout, rate: float, precision: str = "double") -> Estimate:
    return made_up("device.fma", {"precision": precision}, layout, "flops", rate * GIGA)


OF_GPU = [sweep(GPU, 3000), arithmetic(GPU, 60_000), arithmetic(GPU, 120_000, "single")]
OF_CPUS = [sweep(CPUS, 30), sweep(CPUS, 300, 2**20), arithmetic(CPUS, 75)]


def test_every_device_has_its_roofs_and_the_host_stands_first() -> None:
    found = device_roofs(run_of(*MEMORY, *PEAKS, *OF_GPU, *OF_CPUS))
    assert [name for name, _ in found] == ["host, 4 threads", "cuda:0", "opencl:1"]
    peaks = [one.peak.value / GIGA for _, one in found]
    assert peaks == pytest.approx([80, 60_000, 75])
    # Smaller arrays may be in caches.
    bandwidths = [one.bandwidth.value / GIGA for _, one in found]
    assert bandwidths == pytest.approx([40, 3000, 30])


def test_a_device_without_a_peak_or_a_sweep_has_none() -> None:
    assert not device_roofs(run_of(*OF_GPU[:1]))
    assert not device_roofs(run_of(*OF_GPU[1:], sweep(CPUS, 30)))
    assert not charts_in(run_of(*OF_GPU[1:]), "device.fma")
    # The roofline of the host alone is shown elsewhere.
    alone = run_of(*MEMORY, *PEAKS, arithmetic(GPU, 1000))
    assert not charts_in(alone, "device.fma")
    assert not tables_in(alone, "device.fma")


def test_the_table_has_both_precisions_and_where_memory_is_the_limit() -> None:
    (table,) = tables_in(run_of(*MEMORY, *PEAKS, *OF_GPU), "device.fma")
    assert [row[0] for row in table.rows] == ["host, 4 threads", "cuda:0"]
    host, gpu = table.rows
    assert "160 Gflop/s" in str(host[2])
    assert "read, temporal" in str(host[3])
    assert "120 Tflop/s" in str(gpu[2])
    assert gpu[4] == "20 operations per byte"
    (chart,) = charts_in(run_of(*OF_GPU), "device.fma")
    assert chart.name == "device-roofline"
