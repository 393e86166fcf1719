"""What limits a kernel, and how much of that it reaches."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.scaling.roofline import Roof, operations, ridge, standing
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import FLOPS
from tests.support.made_up.estimates import made_up

LAYOUT = Layout(threads_per_rank=2)
GIGA = 1e9


def peak(value: float) -> Estimate:
    return made_up("compute.fma", {"width": "256-bit"}, LAYOUT, "flops", value * GIGA)


def sweep(kernel: str, value: float) -> Estimate:
    return made_up("memory.stream", {"kernel": kernel}, LAYOUT, "bus_bandwidth", value * GIGA)


def product(flops: float, traffic: float) -> tuple[Estimate, Estimate]:
    return (
        made_up("compute.gemm", {"order": 64}, LAYOUT, "flops", flops * GIGA),
        made_up("compute.gemm", {"order": 64}, LAYOUT, "bandwidth", traffic * GIGA),
    )


PEAK, MEMORY = peak(100), sweep("read", 25)


def test_a_kernel_of_few_operations_is_limited_by_memory() -> None:
    traffic = sweep("triad", 20)
    found = standing(operations(traffic, 1 / 16), traffic, PEAK, MEMORY)
    assert found.roof is Roof.MEMORY
    assert found.intensity == pytest.approx(1 / 16)
    assert found.share.ratio == pytest.approx(0.8)
    assert found.share.low < 0.8 < found.share.high


def test_a_kernel_of_many_is_limited_by_the_peak() -> None:
    found = standing(*product(80, 1), PEAK, MEMORY)
    assert found.roof is Roof.PEAK
    assert found.share.ratio == pytest.approx(0.8)


@pytest.mark.parametrize(("intensity", "roof"), [(3.9, Roof.MEMORY), (4.1, Roof.PEAK)])
def test_the_roofs_meet_at_the_ridge(intensity: float, roof: Roof) -> None:
    assert ridge(PEAK, MEMORY) == pytest.approx(4)
    assert standing(*product(10 * intensity, 10), PEAK, MEMORY).roof is roof


def test_operations_follow_from_bytes_with_their_interval() -> None:
    traffic = sweep("triad", 24)
    found = operations(traffic, 2 / 24)
    assert found.unit == FLOPS
    assert found.value == pytest.approx(2 * GIGA)
    assert found.precision == traffic.precision
    assert found.high / found.low == pytest.approx(traffic.high / traffic.low)
    assert found.launch_values == pytest.approx([v / 12 for v in traffic.launch_values])


def test_without_a_rate_there_is_no_roofline() -> None:
    with pytest.raises(ValueError, match="above 0"):
        standing(*product(80, 1), replace(PEAK, value=0.0), MEMORY)
