"""Study `roofline`: what a second hardware thread of each core adds to arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import Point
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.results.findings import findings
from machmeter.studies.roofline import ROOFLINE
from tests.support.fake_launcher import KIB, MIB, PRECISION, synthetic_machine
from tests.support.made_up.estimates import made_up
from tests.support.sysfs_tree import Shape

WITH_SMT = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=2))
WITHOUT = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))
ARITHMETIC = ("compute.fma", "compute.gemm")
PEAK, PRODUCT = "Does SMT raise the peak?", "Does SMT speed up matrix products?"
SIZES = replace(
    NO_SIZES,
    values={
        "memory.stream": {"size": (2**28,)},
        "sparse.spmv": {"nonzeros": (10**6,)},
        "compute.gemm": {"library": ("openblas",)},
    },
)


def plan_on(machine: Machine, options: LayoutOptions | None = None) -> Plan:
    return make_plan(ROOFLINE, machine, options or LayoutOptions(), PRECISION, SIZES)


def number_of(point: Point, name: str) -> int:
    value = dict(point.parameters).get(name, 0)
    return value if isinstance(value, int) else 0


def layouts_of(plan: Plan, benchmark: str) -> set[tuple[int, int]]:
    """Threads and hardware threads a core."""
    layouts = (spec.layout for spec in plan.specs if spec.benchmark == benchmark)
    return {(one.threads, one.smt) for one in layouts}


def found_on(machine: Machine, rate: Callable[[Layout], float]) -> dict[str, Finding]:
    plan = plan_on(machine)
    estimates = [
        made_up(
            point.benchmark,
            dict(point.parameters),
            point.layout,
            "flops",
            # Larger products are faster.
            rate(point.layout) * (1 + number_of(point, "order") / 1e5),
        )
        for point in plan.points
        if point.benchmark in ARITHMETIC
    ]
    return {one.question: one for one in findings(plan, machine, estimates)}


@pytest.mark.parametrize("benchmark", ARITHMETIC)
def test_all_hardware_threads_are_measured_beside_one_a_core(benchmark: str) -> None:
    one_each = {(1, 1), (2, 1), (4, 1)}
    assert layouts_of(plan_on(WITH_SMT), benchmark) == one_each | {(8, 2)}
    without = plan_on(WITHOUT)
    assert layouts_of(without, benchmark) == one_each
    assert not without.skipped


@pytest.mark.parametrize(
    ("options", "layouts"),
    [(LayoutOptions(threads=(4,)), {(4, 1)}), (LayoutOptions(smt=2, threads=(8,)), {(8, 2)})],
)
def test_requested_layouts_are_the_only_ones(
    options: LayoutOptions, layouts: set[tuple[int, int]]
) -> None:
    assert layouts_of(plan_on(WITH_SMT, options), "compute.fma") == layouts


@pytest.mark.parametrize(
    ("gain", "answer", "ratio"),
    [(1.25, "yes", "1.25x"), (0.8, "no", "0.80x"), (1.0, "no difference", "1.00x")],
)
@pytest.mark.parametrize("cores", [2, 4])
def test_it_is_compared_with_one_thread_on_each_core(
    cores: int, gain: float, answer: str, ratio: str
) -> None:
    machine = synthetic_machine(Shape(packages=1, domains=1, cores=cores, smt=2))
    found = found_on(machine, lambda one: 1e9 * one.threads / one.smt * gain ** (one.smt - 1))
    assert found[PEAK].answer.startswith(f"{answer} for scalar")
    assert found[PRODUCT].answer.startswith(f"openblas: {answer}, {ratio}")
    assert ratio in found[PEAK].answer


def test_the_other_answers_are_of_one_thread_a_core() -> None:
    found = found_on(WITH_SMT, lambda one: 1e9 * (one.threads if one.smt == 1 else 0.1))
    assert found["Does the peak scale with cores?"].answer.startswith("yes")
    assert "yes, 104 %" in found["Does the BLAS reach the peak?"].answer


def test_without_second_hardware_threads_it_cannot_be_said() -> None:
    found = found_on(WITHOUT, lambda one: 1e9 * one.threads)
    for question in (PEAK, PRODUCT):
        assert found[question].status is AnswerStatus.UNDECIDABLE
        assert "2 hardware threads of a core (1 available)" in found[question].answer


def test_every_cache_level_is_swept_on_all_cores() -> None:
    """Of caches of 32 KiB and 1 MiB a core, and 64 MiB for all four, as `auto` takes them."""
    specs = [s for s in plan_on(WITHOUT).specs if s.benchmark == "memory.stream"]
    sizes = {
        (spec.layout.threads, number_of(point, "size"))
        for spec in specs
        for point in spec.points
        if dict(point.parameters)["kernel"] == "read"
    }
    of_a_core = {size // 4 for threads, size in sizes if threads == 4}
    for least, most in ((0, 32 * KIB), (64 * KIB, MIB), (2 * MIB, 16 * MIB)):
        assert any(least < size <= most for size in of_a_core)
    assert {size for threads, size in sizes if threads < 4} == {2**28}
