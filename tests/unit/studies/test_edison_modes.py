"""Study `edison`: the modes of its node, by every code, on the machine that it was made on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from machmeter.apps.benchmark import benchmark_of
from machmeter.apps.builtin import app_file
from machmeter.apps.read import read_description
from machmeter.model.layout import Binding, LaunchMode, Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import Plan
from machmeter.run.planning.layouts import configurations_for
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.results.findings import findings
from machmeter.studies.edison.modes import APPLICATIONS, CODES, EDISON, MEASURED_MODES, MODES
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.estimates import made_up
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
        assert modes_of(plan, code.benchmark) == five
    assert len(CODES) == 8


def test_every_code_is_also_left_to_the_launcher_as_one_rank_for_each_core() -> None:
    plan = plan_on(NODE)
    for code in CODES:
        specs = (spec for spec in plan.specs if spec.points[0].benchmark == code.benchmark)
        (default,) = (spec.layout for spec in specs if spec.layout.mode is LaunchMode.DEFAULT)
        assert default.binding is Binding.DEFAULT
        assert (default.ranks_per_node, default.threads_per_rank, default.smt) == (16, 1, 1)


def test_one_proxy_stands_for_two_codes_by_its_sizes() -> None:
    sizes = [point.parameters for spec in plan_on(NODE).specs for point in spec.points]
    grids = {dict(one)["grid"] for one in sizes if "grid" in dict(one)}
    assert grids == {48, 36}


def test_without_a_second_hardware_thread_the_other_forms_are_measured_and_that_is_said() -> None:
    plan = plan_on(WITHOUT_SMT)
    assert modes_of(plan, CODES[0].benchmark) == {
        (4, 1, 1, 0),
        (3, 1, 1, 1),
        (2, 2, 1, 0),
        (1, 2, 1, 1),
    }
    said = [one.what for one in plan.skipped if "launch mode" in one.what]
    assert sorted(said) == sorted(f"launch mode {mode.value}" for mode in MODES if mode.smt > 1)


def test_requested_layouts_take_the_place_of_the_modes() -> None:
    name = CODES[0].benchmark
    assert modes_of(plan_on(NODE, LayoutOptions(modes=(LaunchMode.MPI,))), name) == {(16, 1, 1, 0)}
    assert modes_of(plan_on(NODE, LayoutOptions(rank_counts=(2,), threads=(1,))), name) == {
        (2, 1, 1, 0)
    }


def test_every_code_is_asked_for_its_best_mode_and_for_each_step_to_it() -> None:
    names = [one.name for one in CODES]
    asked = [one.text.partition(" ")[0] for one in EDISON.questions]
    assert asked == 6 * names
    proxies = [one.benchmark for one in CODES]
    assert [one.benchmark for one in EDISON.questions] == 6 * proxies


def found_on(
    machine: Machine, rate: Callable[[Layout], float], options: LayoutOptions | None = None
) -> dict[str, Finding]:
    """The findings of a run whose results have these rates, by the code and the step."""
    plan = plan_on(machine, options)
    estimates = [
        made_up(point.benchmark, dict(point.parameters), point.layout, "rate", rate(point.layout))
        for point in plan.points
        if point.benchmark in {code.benchmark for code in CODES}
    ]
    return {one.question: one for one in findings(plan, machine, estimates)}


def about(found: dict[str, Finding], code: str, words: str) -> Finding:
    (one,) = (f for q, f in found.items() if q.startswith(f"{code} ") and words in q)
    return one


def test_each_step_is_judged_between_modes_that_differ_in_it_alone() -> None:
    def rate(layout: Layout) -> float:
        gained = 1.3 if layout.smt == 2 else 1.0
        by_threads = 0.8 if layout.threads_per_rank == 2 else 1.0
        reserved = 0.93 if layout.reserved_cores else 1.0
        return 1e9 * gained * by_threads * reserved

    found = found_on(NODE, rate)
    for code in ("CAM", "PARATEC"):
        best = about(found, code, "in which launch mode")
        assert best.answer.startswith("32 ranks on each node, 1 thread, SMT 2, 1.30x")
        assert about(found, code, "ranks on the second").answer.startswith("yes, 1.30x")
        assert about(found, code, "a second thread of each").answer.startswith("yes, 1.04x")
        assert about(found, code, "two threads").answer.startswith("no, 0.80x")
        assert about(found, code, "left to the system").answer.startswith("no, 0.93x")


def test_the_launchers_default_is_a_contestant() -> None:
    found = found_on(NODE, lambda one: 1e9 * (1.0 if one.is_placed else 0.8))
    assert about(found, "MILC", "bound to each core").answer.startswith("yes, 1.25x")
    # Between modes that are placed it changes nothing.
    assert about(found, "MILC", "left to the system").answer.startswith("no difference")
    found = found_on(NODE, lambda one: 1e9 * (1.0 if one.is_placed else 1.5))
    best = about(found, "MILC", "in which launch mode").answer
    assert best.startswith("16 ranks on each node, 1 thread, nothing set, 1.50x")
    assert about(found, "MILC", "bound to each core").answer.startswith("no, 0.67x")


def test_ties_of_layouts_are_apart_from_what_each_is_made_of() -> None:
    found = found_on(NODE, lambda one: 1e9 * (1.0 if one.reserved_cores else 2.0))
    best = about(found, "MILC", "in which launch mode").answer
    assert "16 ranks on each node, 1 thread, nothing set; " in best


def test_layouts_that_also_differ_in_their_binding_are_not_ranked_by_modes() -> None:
    bindings = (Binding.CLOSE, Binding.SPREAD)
    both = LayoutOptions(rank_counts=(2, 4), threads=(1,), bindings=bindings)
    found = found_on(NODE, lambda one: 1e9 * one.ranks_per_node, both)
    assert about(found, "MILC", "in which launch mode").status is AnswerStatus.UNDECIDABLE


def test_applications_are_measured_in_the_same_modes_where_they_are_installed() -> None:
    for one, code in zip(EDISON.applications, APPLICATIONS, strict=True):
        assert one.modes == MEASURED_MODES
        assert {question.benchmark for question in one.questions} == {code.benchmark}
        assert len(one.questions) == 6
        assert app_file(one.name).exists()


def test_an_application_of_one_thread_has_no_hybrid_mode_on_half_a_node() -> None:
    description = read_description(app_file("lammps-liquid"))
    benchmark = benchmark_of(description, of_ranks=True)
    experiment = Experiment(benchmark.name, modes=MODES)
    planned = configurations_for(benchmark, experiment, NODE, LayoutOptions())
    shapes = {(one.ranks_per_node, one.smt, one.reserved_cores) for one in planned.layouts}
    # Nothing set is one of them.
    assert {(16, 1, 0), (32, 2, 0), (30, 2, 1)} == shapes
    assert {one.what.rpartition(" ")[2] for one in planned.skipped} == {
        "hybrid+smt",
        "hybrid+smt+reserved",
    }


def test_on_cores_of_one_hardware_thread_the_other_steps_are_judged() -> None:
    found = found_on(WITHOUT_SMT, lambda one: 1e9 * (0.7 if one.reserved_cores else 1.0))
    assert about(found, "MILC", "in which").answer.startswith("4 ranks on each node, 1 thread")
    assert about(found, "MILC", "two threads").answer.startswith("no difference")
    assert about(found, "MILC", "left to the system").answer.startswith("no, 0.70x")
    smt = about(found, "MILC", "ranks on the second")
    assert smt.status is AnswerStatus.UNDECIDABLE
    assert "2 hardware threads of a core (1 available)" in smt.answer


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (LayoutOptions(modes=(LaunchMode.MPI, LaunchMode.HYBRID_SMT)), "two threads"),
        (LayoutOptions(rank_counts=(8,), threads=(1, 2)), "two threads"),
        (LayoutOptions(rank_counts=(4,), smt=(1, 2), threads=(1,)), "ranks on the second"),
    ],
)
def test_layouts_that_differ_in_more_than_the_step_are_not_compared(
    options: LayoutOptions, words: str
) -> None:
    found = found_on(NODE, lambda one: 1e9 * one.ranks_per_node * one.cpus_per_rank, options)
    assert about(found, "MILC", words).status is AnswerStatus.UNDECIDABLE
