"""Any program is planned under every split of the cores, and as nobody sets anything."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.explore import PROCESS, RANKS
from machmeter.benchmarks.proxies.ring import RING
from machmeter.layout.environment import omp_environment
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.command import Command
from machmeter.model.plan.question import BestRule, EfficiencyRule
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import Point
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.studies.explore import explore_proxy, explore_study
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.network_studies import found_in
from tests.support.sysfs_tree import Shape

COMMAND = Command(("/opt/solver", "a b"), "/work", 60.0)
FOUR = Shape(packages=1, domains=1, cores=4, smt=1)


def plan_of(*, of_ranks: bool, options: LayoutOptions | None = None) -> Plan:
    options = options or LayoutOptions()
    benchmark = RANKS if of_ranks else PROCESS
    study = explore_study(
        COMMAND, benchmark, {"command": "/opt/solver 'a b'", "folder": "/work"}, options
    )
    return make_plan(study, synthetic_machine(FOUR), options, PRECISION, NO_SIZES)


def layouts(plan: Plan) -> list[tuple[int, int, Binding]]:
    mine = [spec.layout for spec in plan.specs if spec.command == COMMAND]
    return [(one.ranks_per_node, one.threads_per_rank, one.binding) for one in mine]


def test_a_program_of_ranks_has_every_split_of_the_cores() -> None:
    close = Binding.CLOSE
    found = layouts(plan_of(of_ranks=True))
    assert found[0] == (4, 1, Binding.DEFAULT)
    assert sorted(one[:2] for one in found[1:]) == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1)]
    assert {one[2] for one in found[1:]} == {close}


def test_a_proxy_has_every_split_of_the_cores_and_is_always_placed() -> None:
    study = explore_proxy(RING, LayoutOptions())
    plan = make_plan(study, synthetic_machine(FOUR), LayoutOptions(), PRECISION, NO_SIZES)
    mine = [spec.layout for spec in plan.specs if spec.points[0].benchmark == RING.name]
    splits = sorted((one.ranks_per_node, one.threads_per_rank) for one in mine)
    assert splits == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1)]
    assert {one.binding for one in mine} == {Binding.CLOSE}
    (question,) = study.questions
    assert question.metric == RING.metrics[0].name


def test_a_program_of_one_process_has_threads_alone() -> None:
    found = layouts(plan_of(of_ranks=False))
    assert found == [
        (1, 4, Binding.DEFAULT),
        *((1, threads, Binding.CLOSE) for threads in (1, 2, 4)),
    ]


def test_what_is_named_is_launched_and_what_does_not_fit_is_left_out_with_a_reason() -> None:
    options = LayoutOptions(rank_counts=(2,), threads=(2, 3))
    plan = plan_of(of_ranks=True, options=options)
    assert [one[:2] for one in layouts(plan)] == [(4, 1), (2, 2)]
    (skipped,) = plan.skipped
    assert "2 ranks x 3 threads need 6 cores" in skipped.reason


def test_every_launch_knows_what_it_starts_and_no_kernel_does() -> None:
    plan = plan_of(of_ranks=False)
    assert {spec.command for spec in plan.specs if spec.of_points} == {COMMAND}
    assert {spec.command for spec in plan.specs if not spec.of_points} == {None}
    assert {point.get("command") for point in plan.points} == {"/opt/solver 'a b'"}


@pytest.mark.parametrize("binding", [Binding.CLOSE, Binding.DEFAULT])
def test_nothing_is_set_where_nothing_is_to_be(binding: Binding) -> None:
    layout = Layout(binding=binding, wait_policy=WaitPolicy.DEFAULT)
    cpus: tuple[int, ...] = (0,) if binding is Binding.CLOSE else ()
    found = omp_environment(layout, (cpus,))
    assert bool(found) is (binding is Binding.CLOSE)


def test_each_number_of_nodes_is_a_question_and_so_is_what_more_of_them_gain() -> None:
    options = LayoutOptions(nodes=(1, 2, 4), hosts=("a", "b", "c", "d"))
    plan = plan_of(of_ranks=True, options=options)
    assert {spec.layout.nodes for spec in plan.specs if spec.of_points} == {1, 2, 4}
    best = [one for one in plan.questions if isinstance(one.rule, BestRule)]
    assert [one.rule.candidate.layout for one in best] == [{"nodes": n} for n in (1, 2, 4)]
    assert all(one.leads for one in best)
    gain = [one.rule for one in plan.questions if isinstance(one.rule, EfficiencyRule)]
    assert [one.candidate.layout["nodes"] for one in gain] == [2, 4]
    assert {one.baseline.layout["nodes"] for one in gain} == {1}


@pytest.mark.parametrize(
    ("times", "answer"), [((1.0, 0.5, 0.26), "yes"), ((1.0, 1.1, 1.2), "hardly")]
)
def test_what_more_nodes_gain_is_judged_by_the_best_layout_of_each(
    times: tuple[float, ...], answer: str
) -> None:
    """Whose ranks and threads may be others."""
    options = LayoutOptions(nodes=(1, 2, 4), hosts=("a", "b", "c", "d"))
    plan, machine = plan_of(of_ranks=True, options=options), synthetic_machine(FOUR)
    of_nodes = dict(zip((1, 2, 4), times, strict=True))

    def seconds(point: Point, _metric: str) -> float:
        best = 4 // min(point.layout.nodes, 4) == point.layout.ranks_per_node
        return of_nodes[point.layout.nodes] * (1.0 if best else 1.5)

    found = found_in(plan, machine, seconds)
    words = [one.answer for question, one in found.items() if "worth" in question]
    assert [one.split(",")[0] for one in words] == [answer, answer]
    assert "on 4 nodes, best: " in words[-1]
