"""The roofline of a run: its roofs, what stands under them, and how that is shown."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.scaling.roofline import Roof
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Check, PointRecord
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult, ShownPoint
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.groups.roofline.marks import roofline_of
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.benchmarks.limits import limits
from machmeter.report.benchmarks.selection import estimates_of
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.runs import charts_in, run, tables_in

GIGA = 1e9
BEYOND, WITHIN = 2**28, 2**14
CORES = 4
ALL = Layout(threads_per_rank=CORES)


def sweep(
    kernel: str, stores: str, stream: float, bus: float, size: int = BEYOND, layout: Layout = ALL
) -> list[Estimate]:
    point = {"kernel": kernel, "stores": stores, "size": size}
    rates = {"stream_bandwidth": stream, "bus_bandwidth": bus}
    return [made_up("memory.stream", point, layout, m, v * GIGA) for m, v in rates.items()]


def peak(width: str, precision: str, value: float, layout: Layout = ALL) -> Estimate:
    point = {"width": width, "precision": precision}
    return made_up("compute.fma", point, layout, "flops", value * GIGA)


def product(order: int, precision: str, flops: float, traffic: float) -> list[Estimate]:
    point = {"library": "openblas", "order": order, "precision": precision}
    rates = {"flops": flops, "bandwidth": traffic}
    return [made_up("compute.gemm", point, ALL, m, v * GIGA) for m, v in rates.items()]


def sparse(nonzeros: int, matrix: str = "banded") -> list[Estimate]:
    point = {"matrix": matrix, "schedule": "static", "nonzeros": nonzeros}
    rates = {"flops": 5, "bandwidth": 35}
    return [made_up("sparse.spmv", point, ALL, m, v * GIGA) for m, v in rates.items()]


MEMORY = [
    *sweep("read", "temporal", 40, 40),
    *sweep("triad", "temporal", 27, 36),
    *sweep("triad", "nontemporal", 36, 36),
    *sweep("copy", "temporal", 30, 45),
    # In the caches, and on one core: neither is the memory of all cores.
    *sweep("read", "temporal", 400, 400, size=WITHIN),
    *sweep("read", "temporal", 50, 50, layout=Layout()),
]
PEAKS = [
    peak("scalar", "double", 20),
    peak("256-bit", "double", 80),
    peak("256-bit", "single", 160),
    peak("256-bit", "double", 25, layout=Layout()),
]
PRODUCTS = [*product(64, "double", 30, 5), *product(512, "double", 72, 1.5)]
PRODUCTS += product(512, "single", 120, 1)


def run_of(*estimates: Estimate) -> RunResult:
    return replace(run("quick"), estimates=estimates)


WHOLE = run_of(*MEMORY, *PEAKS, *PRODUCTS)


def test_roofs_are_of_all_cores_and_of_memory_and_not_of_assumed_bytes() -> None:
    found = roofline_of(WHOLE)
    assert found is not None
    assert found.roofs.bandwidth.value == pytest.approx(40 * GIGA)
    assert [e.value / GIGA for e in found.roofs.peaks] == pytest.approx([20, 80])
    assert found.roofs.peak.value == pytest.approx(80 * GIGA)


def test_every_kernel_stands_under_its_roof_by_the_bytes_that_are_counted() -> None:
    found = roofline_of(WHOLE)
    assert found is not None
    shares = {one.name: one.standing.share.ratio for one in found.marks}
    assert shares == pytest.approx(
        {
            "read, temporal": 1.0,
            "triad, temporal": 0.9,
            "triad, nontemporal": 0.9,
            "matrix product, double, openblas": 0.9,
            "matrix product, single, openblas": 0.75,
        },
        rel=1e-3,
    )
    intensities = {one.name: one.standing.intensity for one in found.marks}
    assert intensities["triad, temporal"] == pytest.approx(2 / 32)
    assert intensities["triad, nontemporal"] == pytest.approx(2 / 24)


@pytest.mark.parametrize("estimates", [MEMORY, PEAKS, [*PEAKS, *MEMORY[-2:]], MEMORY[-2:]])
def test_without_both_roofs_there_is_none(estimates: list[Estimate]) -> None:
    result = run_of(*estimates)
    assert roofline_of(result) is None
    assert not any(c.name == "compute-roofline" for c in charts_in(result, "compute.fma"))
    assert not tables_in(result, "compute.fma")
    assert not any("limits it" in one.title for one in limits(result))


def test_what_ran_once_or_on_fewer_cores_is_no_mark() -> None:
    narrow = [
        replace(e, point=replace(e.point, layout=Layout(threads_per_rank=2)))
        for e in product(512, "double", 40, 1)
    ]
    once = [replace(e, low=0.0, high=UNBOUNDED, launches=1) for e in sweep("add", "temporal", 9, 9)]
    found = roofline_of(run_of(*MEMORY, *PEAKS, *narrow, *once))
    assert found is not None
    assert {one.name for one in found.marks} == {
        *("read, temporal", "triad, temporal", "triad, nontemporal")
    }


def test_second_hardware_threads_neither_move_the_roofs_nor_hide_a_kernel() -> None:
    both = Layout(threads_per_rank=2 * CORES, smt=2)
    faster = [peak("256-bit", "double", 200, both)]
    faster += [
        replace(e, point=replace(e.point, layout=both)) for e in product(512, "double", 190, 4)
    ]
    assert roofline_of(run_of(*MEMORY, *PEAKS, *PRODUCTS, *faster)) == roofline_of(WHOLE)


@pytest.mark.parametrize(
    ("estimates", "name"),
    [
        (sparse(BEYOND // 12), "sparse product, banded"),
        # Within the caches, where the memory limits nothing; but the peak still may.
        (sparse(WITHIN // 12), ""),
        (product(16, "double", 4, 3), ""),
        (product(16, "double", 30, 1), "matrix product, double, openblas"),
    ],
)
def test_the_memory_limits_only_what_lies_beyond_the_caches(
    estimates: list[Estimate], name: str
) -> None:
    found = roofline_of(run_of(*MEMORY, *PEAKS, *estimates))
    assert found is not None
    assert {one.name for one in found.marks if "product" in one.name} == {name} - {""}


@pytest.mark.parametrize(("data", "roof"), [(WITHIN, Roof.PEAK), (BEYOND, Roof.MEMORY)])
@pytest.mark.parametrize(
    ("benchmark", "point", "layout"),
    [
        (
            "proxies.ljmd",
            {"cells": 20, "steps": 100, "scaling": "strong", "potential": "unshifted"},
            ALL,
        ),
        (
            "apps.heatflow",
            {"derivatives": 4, "arrays": "inside", "cells": 32},
            Layout(threads_per_rank=2, inner_threads=2),
        ),
    ],
)
def test_a_program_in_the_caches_stands_under_the_peak(
    benchmark: str, point: dict[str, Value], layout: Layout, data: int, roof: Roof
) -> None:
    values = {"flops": GIGA, "bandwidth": GIGA, "data": data}
    made = [made_up(benchmark, point, layout, m, v) for m, v in values.items()]
    found = roofline_of(run_of(*MEMORY, *PEAKS, *made))
    assert found is not None
    (mark,) = (one for one in found.marks if one.flops.point.benchmark == benchmark)
    assert mark.standing.roof is roof


@pytest.mark.parametrize(("bytes_a_second", "roof"), [(30, Roof.MEMORY), (60, Roof.PEAK)])
def test_a_program_that_moves_more_than_the_memory_carries_is_not_limited_by_it(
    bytes_a_second: float, roof: Roof
) -> None:
    point: dict[str, Value] = {
        "cells": 20,
        "steps": 100,
        "scaling": "strong",
        "potential": "unshifted",
    }
    values = {"flops": GIGA, "bandwidth": bytes_a_second * GIGA, "data": BEYOND}
    made = [made_up("proxies.ljmd", point, ALL, m, v) for m, v in values.items()]
    found = roofline_of(run_of(*MEMORY, *PEAKS, *made))
    assert found is not None
    (mark,) = (one for one in found.marks if one.flops.point.benchmark == "proxies.ljmd")
    assert mark.standing.roof is roof


@pytest.mark.parametrize(("size", "is_mark"), [(WITHIN, False), (BEYOND, True)])
def test_the_data_of_a_matrix_file_are_as_large_as_was_recorded(
    size: int, *, is_mark: bool
) -> None:
    estimates = sparse(BEYOND // 12, "/data/own.mtx")
    record = PointRecord({}, {}, 1, Check(True, ""), {"bytes": float(size)})
    result = replace(
        run_of(*MEMORY, *PEAKS, *estimates), shown=(ShownPoint(estimates[0].point, 1, record),)
    )
    found = roofline_of(result)
    assert found is not None
    assert ("sparse product, /data/own.mtx" in {one.name for one in found.marks}) == is_mark


def test_without_assumed_bytes_only_assumed_ones_are_a_roof() -> None:
    found = roofline_of(run_of(*PEAKS, *sweep("triad", "temporal", 27, 36)))
    assert found is not None
    assert found.roofs.bandwidth.value == pytest.approx(36 * GIGA)


def test_picture_and_table_hold_the_same_kernels() -> None:
    (chart,) = (c for c in charts_in(WHOLE, "compute.fma") if c.name == "compute-roofline")
    series = {row["series"] for rows in chart.spec["datasets"].values() for row in rows}
    assert {"peak, scalar", "peak, 256-bit", "memory roof, by read"} < series
    (table,) = tables_in(WHOLE, "compute.fma")
    kernels = {row[0] for row in table.rows}
    # Single precision has a peak of its own, and stands in the table alone.
    assert kernels - series == {"matrix product, single, openblas"}
    (row,) = (one for one in table.rows if one[0] == "triad, temporal")
    assert row[4] == "memory roof"
    assert row[5].startswith("90 % [")
    assert "assumed" in row[6]


def test_the_sweep_that_is_the_roof_is_no_share_of_itself() -> None:
    (table,) = tables_in(WHOLE, "compute.fma")
    (row,) = (one for one in table.rows if one[0] == "read, temporal")
    assert "%" not in row[5]
    (shares,) = (one.text for one in limits(WHOLE) if "limits it" in one.title)
    assert "read" not in shares
    assert "triad, temporal 90 % of the memory roof [" in shares


def test_the_key_result_of_a_product_says_its_share_of_the_peak() -> None:
    shown = {one.title: one.against for one in headline_results(WHOLE)}
    assert shown["Matrix product, double precision"] == "90 % of the peak"
    assert shown["Matrix product, single precision"] == "75 % of the peak"
    alone = run_of(*estimates_of(WHOLE, "compute.gemm"))
    assert {one.against for one in headline_results(alone)} == {""}


def test_the_fastest_product_has_its_own_share_where_it_is_not_the_largest() -> None:
    result = run_of(*MEMORY, *PEAKS, *product(64, "double", 76, 12), *product(512, "double", 72, 1))
    (shown,) = (
        e for e in headline_results(result) if e.title == "Matrix product, double precision"
    )
    assert shown.against == "95 % of the peak"
    found = roofline_of(result)
    assert found is not None
    # The roofline keeps the largest.
    assert [m.flops.value / GIGA for m in found.marks if "product" in m.name] == pytest.approx([72])
