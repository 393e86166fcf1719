"""The plan holds everything that will be launched."""

from __future__ import annotations

import msgspec
from fake_launcher import MIB, PRECISION, STUDY, small_spec, synthetic_machine
from sysfs_tree import Shape

from machmeter.model.run import Plan
from machmeter.model.study import LayoutWish
from machmeter.run.plan import (
    REFERENCE_END,
    REFERENCE_START,
    expected_launch_seconds,
    expected_seconds,
    make_plan,
)
from machmeter.run.sizing import choose_sizes
from machmeter.studies.quick import QUICK


def plan_of_quick(shape: Shape | None = None) -> Plan:
    machine = synthetic_machine(shape)
    return make_plan(QUICK, machine, LayoutWish(), PRECISION, choose_sizes(machine, ()))


def test_a_plan_ends_with_the_reference_at_both_ends() -> None:
    plan = plan_of_quick()
    assert [spec.name for spec in plan.specs if spec.role == "reference"] == [
        REFERENCE_START,
        REFERENCE_END,
    ]
    assert all(
        spec.benchmark != "machine.reference" for spec in plan.specs if spec.role == "points"
    )
    assert plan.questions == QUICK.questions
    assert plan.sizes["memory.stream"] == 128 * MIB


def test_a_plan_is_the_same_after_being_written_and_read() -> None:
    plan = plan_of_quick(Shape())
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan


def test_on_one_core_the_network_is_skipped_with_a_reason() -> None:
    plan = plan_of_quick(Shape(1, 1, 1, 1))
    assert {spec.benchmark.split(".")[0] for spec in plan.specs} == {"memory", "threads", "machine"}
    assert all(skipped.what.startswith("network.") for skipped in plan.skipped)
    assert len(plan.skipped) == 3


def test_more_points_and_larger_arrays_are_expected_to_take_longer() -> None:
    one, two = small_spec("one", 8192), small_spec("two", 8192, 16384)
    large = small_spec("large", 512 * MIB)
    assert 0 < expected_launch_seconds(one) < expected_launch_seconds(two)
    assert expected_launch_seconds(one) < expected_launch_seconds(large)
    machine = synthetic_machine()
    plan = make_plan(STUDY, machine, LayoutWish(), PRECISION, choose_sizes(machine, ()))
    assert expected_seconds(plan) > sum(expected_launch_seconds(spec) for spec in plan.specs)
