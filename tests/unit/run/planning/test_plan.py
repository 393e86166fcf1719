"""The plan holds everything that will be launched."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.point import make_point
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import (
    REFERENCE_END,
    REFERENCE_LAUNCHES,
    REFERENCE_START,
    expected,
    expected_launch_seconds,
    make_plan,
    reference_launches,
)
from machmeter.run.planning.rank_pairs import pairs_of_ranks
from machmeter.run.planning.sizing import NO_SIZES, SIZING_LAUNCHES, Sizes, choose_sizes
from machmeter.studies.quick import QUICK
from tests.support.fake_launcher import GIB, MIB, PRECISION, STUDY, small_spec, synthetic_machine
from tests.support.sysfs_tree import Shape


def plan_of_quick(shape: Shape | None = None) -> Plan:
    machine = synthetic_machine(shape)
    return make_plan(QUICK, machine, LayoutOptions(), PRECISION, choose_sizes(machine, ()))


def test_a_plan_ends_with_the_reference_at_both_ends() -> None:
    plan = plan_of_quick()
    assert [spec.name for spec in plan.specs if spec.of_reference] == [
        REFERENCE_START,
        REFERENCE_END,
    ]
    assert all(spec.benchmark != "machine.reference" for spec in plan.specs if spec.of_points)
    assert plan.questions == QUICK.questions
    assert plan.sizes["memory.stream"] == 128 * MIB


def test_a_plan_is_the_same_after_being_written_and_read() -> None:
    plan = plan_of_quick(Shape())
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan


def test_on_one_core_the_network_is_skipped_with_a_reason() -> None:
    plan = plan_of_quick(Shape(1, 1, 1, 1))
    assert {spec.benchmark.split(".")[0] for spec in plan.specs} == {
        *("compute", "memory", "threads", "machine")
    }
    assert all(skipped.what.startswith("network.") for skipped in plan.skipped)
    assert len(plan.skipped) == 3


def test_more_points_and_larger_arrays_are_expected_to_take_longer() -> None:
    one, two = small_spec("one", 8192), small_spec("two", 8192, 16384)
    large = small_spec("large", 512 * MIB)
    assert 0 < expected_launch_seconds(one, {}) < expected_launch_seconds(two, {})
    assert expected_launch_seconds(one, {}) < expected_launch_seconds(large, {})
    machine = synthetic_machine()
    plan = make_plan(STUDY, machine, LayoutOptions(), PRECISION, choose_sizes(machine, ()))
    needed = expected(plan, STUDY, machine)
    assert needed.seconds > sum(expected_launch_seconds(spec, {}) for spec in plan.specs)
    assert needed.launches == 7 * PRECISION.least_launches + 2 * REFERENCE_LAUNCHES
    automatic = Study("auto", "", "", (Experiment("memory.latency"),))
    with_sizing = expected(plan, automatic, machine)
    assert with_sizing.launches == needed.launches + SIZING_LAUNCHES
    assert with_sizing.seconds > needed.seconds


def test_one_event_is_expected_of_what_takes_all_of_a_point_s_time() -> None:
    def seconds(benchmark: str) -> float:
        study = Study("one", "", "", (Experiment(benchmark, {"order": (8192,)}),))
        machine = synthetic_machine()
        software = replace(machine.software, blas={"system": "/usr/lib/libblas.so.3"})
        machine = replace(machine, software=software)
        options = LayoutOptions(threads=(1,))
        plan = make_plan(study, machine, options, PRECISION, choose_sizes(machine, ()))
        return expected_launch_seconds(plan.specs[0], {}) / len(plan.specs[0].points)

    # A product is timed 12 times, each 2 n^3 operations.
    assert seconds("compute.gemm") > 10 * 2 * 8192**3 / 30e9
    assert 2 / 3 * 8192**3 / 30e9 < seconds("compute.lu") < 1 * 8192**3 / 30e9


def test_work_is_expected_by_its_numbers() -> None:
    def seconds(threads: int, **parameters: Value) -> float:
        given = {name: (value,) for name, value in parameters.items()}
        study = Study("one", "", "", (Experiment("codes.shallow", given),))
        machine = synthetic_machine(Shape(1, 1, 4, 1))
        options = LayoutOptions(threads=(threads,))
        plan = make_plan(study, machine, options, PRECISION, choose_sizes(machine, ()))
        return expected_launch_seconds(plan.specs[0], {})

    usual = seconds(1)
    assert usual < 2
    # 16.8 times the cells, 6.25 times the steps, each event half a second.
    minute = seconds(1, cells=4096, steps=150)
    assert minute == pytest.approx(usual + 104 * 0.65, rel=0.05)
    assert seconds(4, cells=4096, steps=150) < minute / 2
    assert seconds(4, cells=4096, steps=150, scaling="weak") > minute


@pytest.mark.parametrize("size", [128 * MIB, 2 * GIB, 64 * GIB])
def test_the_fewest_samples_of_a_large_array_are_expected_however_short_its_time(size: int) -> None:
    machine = synthetic_machine()
    sizes = Sizes({"memory.stream": {"size": (size,)}}, 0, "")
    study = Study("one", "", "", (Experiment("memory.stream", {"kernel": ("triad",)}),))
    plan = make_plan(study, machine, LayoutOptions(threads=(1,)), PRECISION, sizes)
    spec = plan.specs[0]
    # A slow core moves 3 GB/s; 12 sweeps are the least that a point takes.
    assert 10 * expected_launch_seconds(spec, {}) > len(spec.points) * 12 * 3 * size / 3e9


def test_a_cgroup_that_gives_less_time_than_there_are_cores_bounds_the_threads() -> None:
    machine = replace(synthetic_machine(Shape(1, 1, 8, 1)), cpu_quota=2.5)
    study = Study("one", "", "", (Experiment("threads.sync"),))

    def threads_and_notes(wish: LayoutOptions) -> tuple[set[int], tuple[str, ...]]:
        plan = make_plan(study, machine, wish, PRECISION, NO_SIZES)
        return {s.layout.threads for s in plan.specs if s.of_points}, plan.notes

    assert threads_and_notes(LayoutOptions(threads=(8,))) == ({8}, ())
    threads, (note,) = threads_and_notes(LayoutOptions())
    assert threads == {1, 2}
    assert "up to 2 of 8" in note


def test_a_spec_that_may_be_launched_less_often_is_expected_to_be() -> None:
    machine = synthetic_machine()
    few = Study("few", "", "", (Experiment("memory.latency", {"size": (8192,)}, most_launches=2),))
    plan = make_plan(few, machine, LayoutOptions(page_bytes=(4096,)), PRECISION, NO_SIZES)
    assert PRECISION.least_launches > 2
    assert expected(plan, few, machine).launches == 2 + 2 * REFERENCE_LAUNCHES


@pytest.mark.parametrize(("most", "reference"), [(1, 2), (2, 2), (3, 3), (5, 5), (100, 5)])
def test_a_run_with_few_launches_has_few_of_the_reference(most: int, reference: int) -> None:
    precision = replace(PRECISION, least_launches=1, most_launches=most)
    assert reference_launches(precision) == reference
    machine = synthetic_machine()
    one = Study("one", "", "", (Experiment("memory.latency", {"size": (8192,)}),))
    plan = make_plan(one, machine, LayoutOptions(page_bytes=(4096,)), precision, NO_SIZES)
    assert expected(plan, one, machine).launches == 1 + 2 * reference


def guess_of(nodes: int, ranks_per_node: int) -> float:
    layout = Layout(nodes=nodes, ranks_per_node=ranks_per_node)
    points = (make_point("network.startup", {"size": 8}, layout),)
    spec = LaunchSpec("a", "machmeter-mpi", "network.startup", layout, points, 0.1, 10)
    return expected_launch_seconds(spec, {})


def test_nodes_start_their_ranks_at_the_same_time() -> None:
    each = guess_of(1, 2) - guess_of(1, 1)
    assert guess_of(1, 128) == pytest.approx(guess_of(1, 1) + 127 * each)
    assert guess_of(1, 128) < guess_of(1000, 128) < guess_of(1, 128) + 60


def test_pairs_that_run_side_by_side_are_counted_once() -> None:
    layout = Layout(nodes=1000)
    points = tuple(
        make_point("network.consistency", {"pair": pair, "size": size}, layout)
        for pair in pairs_of_ranks(1000)
        for size in (8, 1048576)
    )
    spec = LaunchSpec("a", "machmeter-mpi", "network.consistency", layout, points, 0.01, 10)
    one = replace(spec, points=points[:2])
    more = expected_launch_seconds(spec, {}) - expected_launch_seconds(one, {})
    assert 0 < more < 20 * 0.013
