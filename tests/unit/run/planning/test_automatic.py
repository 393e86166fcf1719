"""Values of `auto` that come from topology, memory and budget."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import AUTO, Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Binding
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Plan, Request
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.planning.automatic import (
    LU_ORDERS,
    MOST_PAIRS,
    MOST_PAIRS_OF_PAGES,
    automatic_values,
    lu_orders,
    order_of_node,
    timeline_seconds,
)
from machmeter.run.planning.sizing import NO_SIZES, choose_sizes
from tests.support.fake_launcher import GIB, MIB, PRECISION, synthetic_machine
from tests.support.sysfs_tree import Shape


def test_every_automatic_parameter_of_the_catalogue_gets_values_it_can_take() -> None:
    for shape in (Shape(1, 1, 2, 1), Shape(2, 2, 8, 2)):
        machine = synthetic_machine(shape)
        values = automatic_values(machine, choose_sizes(machine, ()), 110, LayoutOptions()).values
        for benchmark in BENCHMARKS:
            for parameter in benchmark.parameters:
                if parameter.values == (AUTO,):
                    chosen = values[benchmark.name][parameter.name]
                    assert chosen
                    assert not any(parameter.refusal(value) for value in chosen)


def test_pairs_cover_two_cores_and_stay_few_on_a_large_machine() -> None:
    small = automatic_values(synthetic_machine(), NO_SIZES, 110, LayoutOptions()).values
    assert small["memory.pages"]["pair"] == ("0-0", "0-1", "1-0", "1-1")
    assert small["threads.pairs"]["pair"] == ("0-1",)
    assert small["memory.matrix"]["pair"] == ("0-0",)
    large = automatic_values(
        synthetic_machine(Shape(2, 4, 16, 2)), NO_SIZES, 110, LayoutOptions()
    ).values
    assert len(large["memory.pages"]["pair"]) == MOST_PAIRS_OF_PAGES
    assert len(large["threads.pairs"]["pair"]) == MOST_PAIRS
    assert len(large["memory.matrix"]["pair"]) == 64


@pytest.mark.parametrize(("budget", "seconds"), [(10, 2), (110, 3), (600, 20), (36000, 60)])
def test_a_time_series_takes_a_thirtieth_of_the_budget(budget: float, seconds: int) -> None:
    assert timeline_seconds(budget) == seconds


@pytest.mark.parametrize(
    ("cores", "budget", "memory", "largest"),
    [
        (2, 120, 16 * GIB, 4000),
        (2, 300, 16 * GIB, 4000),
        (128, 300, 512 * GIB, 16_000),
        (128, 36_000, 512 * GIB, 64_000),
        # What does not fit into memory is not chosen, and a small budget leaves three.
        (128, 36_000, 16 * GIB, 32_000),
        (2, 1, 16 * GIB, 2000),
        (2, 300, 3 * 2**20, 500),
    ],
)
def test_orders_fit_the_budget_and_the_memory(
    cores: int, budget: float, memory: int, largest: int
) -> None:
    have = synthetic_machine(available=memory).memory
    orders = lu_orders(cores, have, budget)
    assert orders == tuple(n for n in LU_ORDERS if n <= largest)


@pytest.mark.parametrize("cores", [1, 2, 64, 192])
def test_products_of_matrices_are_as_much_work_for_each_core_of_any_node(cores: int) -> None:
    work = 2 * order_of_node(cores) ** 3 / cores
    assert work == pytest.approx(2 * order_of_node(1) ** 3, rel=0.01)


def test_derivatives_are_one_a_domain_full_and_two_waves_and_one() -> None:
    machine = synthetic_machine(Shape(2, 2, 4, 1))
    values = automatic_values(machine, NO_SIZES, 110, LayoutOptions()).values
    assert values["apps.heatflow"]["derivatives"] == (1, 4, 33)


def cpus_in(pairs: tuple[object, ...]) -> set[int]:
    return {int(number) for pair in pairs for number in str(pair).split("-")}


@pytest.mark.parametrize(
    ("wish", "quota", "cpus"),
    [
        (LayoutOptions(threads=(4,)), 0.0, {0, 1, 2, 3}),
        (LayoutOptions(threads=(4,), bindings=(Binding.SPREAD,)), 0.0, {0, 16, 32, 48}),
        (LayoutOptions(), 4.5, {0, 1, 2, 3}),
    ],
)
def test_pairs_are_of_cpus_that_the_layout_reaches(
    wish: LayoutOptions, quota: float, cpus: set[int]
) -> None:
    machine = replace(synthetic_machine(Shape(2, 2, 16, 1)), cpu_quota=quota)
    values = automatic_values(machine, NO_SIZES, 110, wish).values
    assert len(values["memory.pages"]["pair"]) == 16
    assert cpus_in(values["memory.pages"]["pair"]) == cpus
    assert len(values["threads.pairs"]["pair"]) == 6
    assert cpus_in(values["threads.pairs"]["pair"]) == cpus
    running = {str(pair).split("-")[0] for pair in values["memory.matrix"]["pair"]}
    assert running == {str(cpu // 16) for cpu in cpus}


def test_each_of_several_thread_counts_has_pairs_of_its_own() -> None:
    machine = synthetic_machine(Shape(2, 2, 16, 1))
    pairs = automatic_values(machine, NO_SIZES, 110, LayoutOptions(threads=(2, 64))).values
    chosen = pairs["threads.pairs"]["pair"]
    assert "0-1" in chosen
    assert 32 <= len(chosen) <= MOST_PAIRS


@pytest.mark.parametrize(
    ("wish", "quota", "expected"),
    [
        (LayoutOptions(reserved_cores=1), 0.0, (1, 3, 31)),
        (LayoutOptions(threads=(4,)), 0.0, (1, 4, 9)),
        (LayoutOptions(), 6.0, (1, 2, 13)),
    ],
)
def test_derivatives_are_as_many_as_the_cores_of_the_layouts_ask_for(
    wish: LayoutOptions, quota: float, expected: tuple[int, ...]
) -> None:
    machine = replace(synthetic_machine(Shape(2, 2, 4, 1)), cpu_quota=quota)
    values = automatic_values(machine, NO_SIZES, 110, wish).values
    assert values["apps.heatflow"]["derivatives"] == expected


def test_a_machine_that_lets_no_cpu_be_used_has_values_all_the_same() -> None:
    machine = synthetic_machine(Shape(1, 1, 2, 1))
    cpus = tuple(replace(cpu, allowed=False) for cpu in machine.topology.cpus)
    none = replace(machine, topology=replace(machine.topology, cpus=cpus))
    values = automatic_values(none, NO_SIZES, 110, LayoutOptions()).values
    assert values["memory.pages"]["pair"] == ()
    assert values["apps.heatflow"]["derivatives"] == (1,)


def test_what_is_allocated_stays_within_memory() -> None:
    machine = synthetic_machine(Shape(2, 4, 16, 2), available=GIB)
    (size,) = automatic_values(machine, NO_SIZES, 110, LayoutOptions()).values["memory.allocation"][
        "size"
    ]
    assert size == GIB // 4


def test_page_kinds_that_the_machine_lacks_are_said() -> None:
    machine = synthetic_machine()
    empty_pool = replace(machine.memory, hugetlb_free={str(2 * MIB): 0})
    automatic = automatic_values(
        replace(machine, memory=empty_pool), NO_SIZES, 110, LayoutOptions()
    )
    kinds = automatic.values["memory.allocation"]["pages"]
    assert kinds == ("base", "transparent")
    lacking = {one.what: one.reason for of in automatic.lacking.values() for one in of}
    assert "nr_hugepages" in lacking["memory.allocation with pages=hugetlb-2m"]


def test_register_widths_that_the_cpu_lacks_are_said() -> None:
    machine = replace(synthetic_machine(), architecture="x86_64", features=("avx2", "fma"))
    automatic = automatic_values(machine, NO_SIZES, 110, LayoutOptions())
    assert automatic.values["compute.fma"]["width"] == ("scalar", "128-bit", "256-bit")
    lacking = {one.what: one.reason for of in automatic.lacking.values() for one in of}
    assert lacking["compute.fma with width=512-bit"] == "this CPU has no avx512f"


def with_blas(**blas: str) -> Machine:
    machine = synthetic_machine()
    return replace(machine, software=replace(machine.software, blas=blas))


@pytest.mark.parametrize(
    ("known", "chosen", "lacking"),
    [
        (("openblas", "system"), ("openblas",), set()),
        (("system",), ("system",), {"openblas"}),
        ((), (), {"openblas", "system"}),
    ],
)
def test_the_blas_that_is_there_is_taken_and_what_lacks_is_said(
    known: tuple[str, ...], chosen: tuple[str, ...], lacking: set[str]
) -> None:
    automatic = automatic_values(
        with_blas(**dict.fromkeys(known, "/a.so")), NO_SIZES, 110, LayoutOptions()
    )
    assert automatic.values["compute.gemm"]["library"] == chosen
    found = automatic.lacking["compute.gemm", "library"]
    assert {one.what for one in found} == {f"compute.gemm with library={one}" for one in lacking}


def gemm_of(machine: Machine, **parameters: tuple[Value, ...]) -> Plan:
    study = Study("gemm", "", "", (Experiment("compute.gemm", parameters),))
    asked = Request(("gemm",), study, LayoutOptions(), PRECISION, "mpich", "")
    return plan_before_sizing(asked, machine)


def test_a_system_blas_of_one_thread_is_measured_only_where_it_was_named() -> None:
    reference = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0"
    machine = with_blas(system=reference)
    with pytest.raises(MachineLacksError, match=f"leads to {reference}, which has one thread"):
        gemm_of(machine)
    named = gemm_of(machine, library=("system",), order=(1024,)).points
    assert {dict(point.parameters)["library"] for point in named} == {"system"}
    assert {point.layout.threads for point in named} == {1, 2}
