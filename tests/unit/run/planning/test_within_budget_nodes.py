"""What a short budget leaves out of a run on many nodes, and what their memory does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.question import BetterRule, Question, Selector
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Plan, Precision, Request, SkipCause
from machmeter.run.planning.plan import expected, expected_launch_seconds, make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.planning.within_budget import (
    CLEARLY_OVER,
    budget_remark,
    refuse_short_budget,
    within_budget,
    without,
)
from tests.support.fake_launcher import GIB, KIB, MIB, synthetic_machine
from tests.support.sysfs_tree import Shape

NODES = 1000
MEMORY = synthetic_machine().memory
MACHINE = replace(
    synthetic_machine(Shape(1, 1, 32, 1)), memory=replace(MEMORY, total_bytes=256 * GIB)
)
OPTIONS = LayoutOptions(
    hosts=tuple(f"node{n}" for n in range(NODES)), nodes=(NODES,), launcher="slurm"
)


def study_of(*experiments: Experiment, questions: tuple[Question, ...] = ()) -> Study:
    return Study("made-up", "", "", experiments, questions)


def all_to_all(*sizes: int) -> Experiment:
    return Experiment("network.collective", {"operation": ("alltoall",), "size": sizes})


def request_for(study: Study, seconds: float, *names: str) -> Request:
    precision = Precision(budget_seconds=seconds)
    return Request(names or (study.name,), study, OPTIONS, precision, "mpich", "")


def planned(request: Request, machine: Machine = MACHINE) -> Plan:
    return make_plan(request.study, machine, OPTIONS, request.precision, NO_SIZES)


def measured(plan: Plan) -> list[LaunchSpec]:
    return [spec for spec in plan.specs if spec.of_points]


def fewest_of(plan: Plan, study: Study) -> float:
    return expected(plan, study, MACHINE).fewest_seconds


def sizes_of(specs: list[LaunchSpec]) -> set[int]:
    return {int(point.get("size")) for spec in specs for point in spec.points}


def test_a_point_that_alone_takes_longer_is_left_out_by_name() -> None:
    study = study_of(all_to_all(8, 64 * KIB, MIB))
    ample = replace(MACHINE, memory=replace(MEMORY, total_bytes=2**44))
    request = request_for(study, 200)
    plan = planned(request, ample)
    largest = max(measured(plan), key=lambda spec: spec.layout.ranks)
    plan = replace(plan, specs=tuple(s for s in plan.specs if not s.of_points or s == largest))
    shorter = within_budget(plan, request, ample)
    (kept,) = measured(shorter)
    alone = {
        point.key: expected_launch_seconds(replace(largest, points=(point,)), {})
        for point in largest.points
    }
    left_out = [one.what for one in shorter.skipped if one.cause is SkipCause.BUDGET]
    assert left_out == [point.key for point in largest.points if point not in kept.points]
    assert left_out == [key for key, seconds in alone.items() if 2 * seconds > 200]
    assert sizes_of([kept]) == {8, 64 * KIB}
    assert without(plan, shorter.skipped) == shorter
    assert "; 1 point is left out" in budget_remark(shorter, request, MACHINE)
    refuse_short_budget(shorter, request, MACHINE)


@pytest.mark.parametrize("names", [(), ("network.barrier", "network.collective")])
def test_the_largest_layouts_go_until_the_fewest_launches_fit(names: tuple[str, ...]) -> None:
    study = study_of(all_to_all(8), Experiment("network.barrier"))
    plan = planned(request_for(study, 1000))
    request = request_for(study, fewest_of(plan, study) / 2, *names)
    plan = planned(request)
    shorter = within_budget(plan, request, MACHINE)
    kept = [spec.layout.ranks for spec in measured(shorter)]
    dropped = [spec.layout.ranks for spec in measured(plan) if spec not in shorter.specs]
    assert max(kept) <= min(dropped)
    assert fewest_of(shorter, study) <= request.precision.budget_seconds
    left_out = [one.what for one in shorter.skipped if one.cause is SkipCause.BUDGET]
    assert left_out == [s.name for s in measured(plan) if s not in shorter.specs]
    assert without(plan, shorter.skipped) == shorter


def test_one_layout_of_what_was_named_stays_however_short_the_budget() -> None:
    study = study_of(all_to_all(8), Experiment("network.barrier"))
    for names, benchmarks in (
        ((), {"network.barrier"}),
        (("network.collective",), {"network.collective"}),
        (("network",), {"network.barrier", "network.collective"}),
    ):
        request = request_for(study, 0.1, *names)
        shorter = within_budget(planned(request), request, MACHINE)
        assert {spec.benchmark for spec in measured(shorter)} >= benchmarks
        assert len(measured(shorter)) == len(benchmarks)


def test_on_many_nodes_a_later_question_is_answered_where_the_first_cannot_be() -> None:
    def question(text: str, benchmark: str, **of: str | int) -> Question:
        sides = (Selector({"start": start, **of}) for start in ("time", "barrier"))
        return Question(text, benchmark, "time", BetterRule(*sides))

    both = {"start": ("time", "barrier")}
    large = Experiment(
        "network.collective",
        {**both, "operation": ("alltoall",), "size": (MIB,)},
        seconds_per_point=10,
    )
    study = study_of(
        large,
        Experiment("network.barrier", both),
        questions=(
            question("Is a large one faster?", large.benchmark, size=MIB),
            question("Is a barrier faster?", "network.barrier"),
        ),
    )
    plan = planned(request_for(study, 1000))
    only = replace(plan, specs=tuple(s for s in plan.specs if s.benchmark != large.benchmark))
    seconds = 1.01 * expected(only, study, MACHINE).seconds
    assert expected(plan, study, MACHINE).seconds > CLEARLY_OVER * seconds
    request = request_for(study, seconds)
    shorter = within_budget(planned(request), request, MACHINE)
    assert [one.text for one in shorter.questions] == ["Is a barrier faster?"]
    assert expected(shorter, study, MACHINE).seconds <= seconds
    # Where none fits, it is the first one that is measured.
    request = request_for(study, 1)
    shorter = within_budget(planned(request), request, MACHINE)
    assert {spec.benchmark for spec in measured(shorter)} == {large.benchmark}


def test_buffers_beyond_the_memory_of_a_node_are_left_out_by_name() -> None:
    request = request_for(study_of(all_to_all(8, 64 * KIB)), 3600)
    small = replace(MACHINE, memory=replace(MEMORY, total_bytes=32 * GIB))
    # 2 x 32 ranks x 512 nodes x 32 ranks x 64 KiB are 64 GiB, a quarter of 256 GiB.
    for machine, most in ((MACHINE, 512), (small, 64)):
        plan = planned(request, machine)
        large = [s for s in measured(plan) if 64 * KIB in sizes_of([s])]
        assert max(spec.layout.nodes for spec in large if spec.layout.ranks_per_node > 1) == most
        assert all(8 in sizes_of([spec]) for spec in measured(plan))
        without_buffers = [spec for spec in measured(plan) if spec not in large]
        skipped = {one.what: one.cause for one in plan.skipped}
        assert skipped == {
            f"{spec.name} with operation=alltoall, size=65536": SkipCause.MACHINE
            for spec in without_buffers
        }
