"""Study `edison`: the modes of its node, by every code, on the machine that it was made on."""

from __future__ import annotations

from machmeter.model.layout import LaunchMode
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.studies.edison.modes import CODES, EDISON, MODES
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.sysfs_tree import Shape

NODE = synthetic_machine(Shape(packages=2, domains=1, cores=8, smt=2))
WITHOUT_SMT = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))


def plan_on(machine: Machine, options: LayoutOptions | None = None) -> Plan:
    return make_plan(EDISON, machine, options or LayoutOptions(), PRECISION, NO_SIZES)


def modes_of(plan: Plan, benchmark: str) -> set[tuple[int, int, int, int]]:
    layouts = (spec.layout for spec in plan.specs if spec.points[0].benchmark == benchmark)
    return {
        (one.ranks_per_node, one.threads_per_rank, one.smt, one.reserved_cores) for one in layouts
    }


def test_every_code_has_the_five_modes_of_the_study() -> None:
    """-N16; -N32 -j2; -N30 -r1 -j2; -N16 -d2 -j2; -N15 -r1 -d2 -j2."""
    plan = plan_on(NODE)
    five = {(16, 1, 1, 0), (32, 1, 2, 0), (30, 1, 2, 1), (16, 2, 2, 0), (15, 2, 2, 1)}
    for code in CODES:
        assert modes_of(plan, code.proxy.name) == five
    assert len(CODES) == 8


def test_one_proxy_stands_for_two_codes_by_its_sizes() -> None:
    sizes = [point.parameters for spec in plan_on(NODE).specs for point in spec.points]
    grids = {dict(one)["grid"] for one in sizes if "grid" in dict(one)}
    assert grids == {48, 36}


def test_without_a_second_hardware_thread_the_other_forms_are_measured_and_that_is_said() -> None:
    plan = plan_on(WITHOUT_SMT)
    assert modes_of(plan, CODES[0].proxy.name) == {
        (4, 1, 1, 0),
        (3, 1, 1, 1),
        (2, 2, 1, 0),
        (1, 2, 1, 1),
    }
    said = [one.what for one in plan.skipped if "launch mode" in one.what]
    assert sorted(said) == sorted(f"launch mode {mode.value}" for mode in MODES if mode.smt > 1)


def test_requested_layouts_take_the_place_of_the_modes() -> None:
    name = CODES[0].proxy.name
    assert modes_of(plan_on(NODE, LayoutOptions(modes=(LaunchMode.MPI,))), name) == {(16, 1, 1, 0)}
    assert modes_of(plan_on(NODE, LayoutOptions(rank_counts=(2,), threads=(1,))), name) == {
        (2, 1, 1, 0)
    }


def test_every_code_is_asked_for_its_best_mode() -> None:
    assert [one.text.partition(" ")[0] for one in EDISON.questions] == [one.name for one in CODES]
    assert [one.benchmark for one in EDISON.questions] == [one.proxy.name for one in CODES]
