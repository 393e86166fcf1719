"""The catalogue of arithmetic fits what the native program does."""

import re

import pytest

from machmeter.analysis.stats.launch_value import launch_value
from machmeter.benchmarks.compute import COMPUTE, FMA, GEMM
from machmeter.benchmarks.lu import LU
from machmeter.model.benchmark import Benchmark
from machmeter.model.plan.launch import Check, PointRecord
from machmeter.run.measuring.tally import metrics_of
from tests.support.paths import NATIVE

ALL = (*COMPUTE, LU)


def body(benchmark: Benchmark) -> str:
    """Of its kernel, with the headers beside it that this includes."""
    name = benchmark.name.removeprefix("compute.")
    kernel = (NATIVE / "compute" / f"{name}.cpp").read_text(encoding="utf-8")
    beside = re.findall(r'#include "(compute/[^"]+)"', kernel)
    others = (*beside, "core/record/point.cpp")
    return kernel + "".join((NATIVE / one).read_text(encoding="utf-8") for one in others)


@pytest.mark.parametrize("benchmark", ALL, ids=lambda one: one.name)
def test_every_series_and_amount_of_a_metric_is_recorded(benchmark: Benchmark) -> None:
    for metric in benchmark.metrics:
        names = filter(None, (*metric.series, metric.amount))
        assert all(f'"{name}"' in body(benchmark) for name in names), metric.name


@pytest.mark.parametrize("benchmark", ALL, ids=lambda one: one.name)
def test_the_kernel_knows_every_choice(benchmark: Benchmark) -> None:
    text = body(benchmark)
    for parameter in benchmark.parameters:
        assert f'"{parameter.name}"' in text
        known = (
            f'{{"{choice}", ' in text or f'"{choice}")' in text for choice in parameter.choices
        )
        assert all(known), parameter.name


def test_a_product_takes_three_matrices_and_more_threads_larger_ones() -> None:
    order = GEMM.parameter("order")
    assert order is not None
    assert order.power == 2
    assert order.bytes_each == 24
    assert [order.fits_auto(1024, 1), order.fits_auto(2048, 1), order.fits_auto(2048, 2)] == [
        True,
        False,
        True,
    ]
    assert "at least 1" in order.refusal(0)


def test_every_width_has_a_kernel_in_both_precisions() -> None:
    kernels = (NATIVE / "compute" / "fma_kernels.hpp").read_text(encoding="utf-8")
    (width,) = (one for one in FMA.parameters if one.name == "width")
    on_x86 = kernels.split("#elif")[0]
    for choice in width.choices:
        assert len(re.findall(f'{{"{choice}", "v', on_x86)) == 2, choice


def test_rate_and_clock_follow_from_one_launch() -> None:
    quantities = {"flops": 3.2e7, "cycles": 98304.0}
    series = {"seconds": (1e-3,) * 8, "multiply_seconds": (2**-15,) * 8}
    record = PointRecord({}, series, 1, Check(True, "lanes"), quantities)
    flops, clock = (launch_value(metric, record).value for metric in FMA.metrics)
    assert flops == pytest.approx(3.2e10)
    assert clock == pytest.approx(98304 * 2**15)


def test_without_known_cycles_there_is_a_rate_and_no_clock() -> None:
    record = PointRecord({}, {"seconds": (1e-3,) * 8}, 1, Check(True, "lanes"), {"flops": 3.2e7})
    assert [metric.name for metric in metrics_of(FMA, record)] == ["flops"]
    assert "Intel since Nehalem and AMD since Zen" in FMA.summary
