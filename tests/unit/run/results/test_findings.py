"""What a run knows of its places when it answers questions."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM, SHMEM_PROGRAM
from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.machine import Cache, Cpu, Machine, NumaDomain, Topology
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.question import BetterRule, CostRule, Question, Resource, Selector
from machmeter.model.results.finding import AnswerStatus
from machmeter.model.results.run import Plan, Precision
from machmeter.model.variant import Variant
from machmeter.run.results.findings import (
    RunFacts,
    assignments,
    findings,
    pair_distances,
    resources_of,
)
from machmeter.studies.louhi.network import LOUHI
from machmeter.studies.scalemp.node import SCALEMP
from tests.support.fake_launcher import synthetic_machine
from tests.support.made_up.estimates import made_up
from tests.support.sysfs_tree import Shape

MACHINE = synthetic_machine(Shape(packages=4, domains=1, cores=2, smt=1))
BOARDS = MACHINE.topology


def test_pairs_of_cpus_are_known_by_what_they_share() -> None:
    first, last = BOARDS.cpus[0].number, BOARDS.cpus[-1].number
    distances = pair_distances((f"{first}-{first}", f"{first}-{last}"), BOARDS)
    assert distances == {f"{first}-{first}": 0, f"{first}-{last}": 1}


def packages_in_one_domain(packages: int, cores: int, l2_of: int) -> Machine:
    """Cores of several packages that the system shows as one NUMA domain."""
    count = packages * cores
    cpus = tuple(Cpu(n, n, n // cores, 0) for n in range(count))
    caches = tuple(
        Cache(2, "unified", 4 * 2**20, 64, tuple(range(first, first + l2_of)))
        for first in range(0, count, l2_of)
    )
    topology = Topology(cpus, caches, (NumaDomain(0, tuple(range(count)), 2**36, (10,)),))
    return replace(MACHINE, topology=topology)


def test_packages_of_one_domain_are_farther_than_a_package() -> None:
    four = packages_in_one_domain(4, 4, 2).topology
    assert pair_distances(("0-4", "0-2", "0-1", "0-0"), four) == {
        "0-4": 3,
        "0-2": 2,
        "0-1": 1,
        "0-0": 0,
    }
    guest = packages_in_one_domain(2, 8, 1).topology
    assert pair_distances(("0-8", "0-1"), guest) == {"0-8": 1, "0-1": 0}


def test_caches_of_unequal_cores_are_of_one_kind() -> None:
    one = packages_in_one_domain(1, 8, 2).topology
    large = Cache(2, "unified", 4 * 2**20, 64, (4, 5, 6, 7))
    unequal = replace(one, caches=(*one.caches[:2], large))
    assert pair_distances(("0-1", "4-5", "0-4"), unequal) == {"0-1": 0, "4-5": 0, "0-4": 1}


@pytest.mark.parametrize(
    ("settings", "advice"),
    [({}, ""), ({"OMP_WAIT_POLICY": "PASSIVE"}, "unset it"), ({"OMP_WAIT_POLICY": "active"}, "")],
)
def test_a_setting_is_advised_against_only_where_it_is_set(
    settings: dict[str, str], advice: str
) -> None:
    rule = BetterRule(
        Selector({}, {"wait_policy": "passive"}),
        Selector({}, {"wait_policy": "default"}),
        settings=("OMP_WAIT_POLICY=passive",),
        no_where_set="unset it",
    )
    question = Question("Does it gain?", "threads.sync", "overhead", rule)
    estimates = [
        made_up(
            "threads.sync", {"construct": "barrier"}, Layout(wait_policy=policy), "overhead", time
        )
        for policy, time in ((WaitPolicy.PASSIVE, 9e-6), (WaitPolicy.DEFAULT, 1e-6))
    ]
    plan = Plan((), Precision(), questions=(question,))
    (found,) = findings(plan, MACHINE, estimates, RunFacts(settings=settings))
    assert found.status is AnswerStatus.DECIDED
    assert found.cases[0].advice == advice


def test_resources_are_what_questions_require() -> None:
    found = resources_of(MACHINE)
    assert found[Resource.CORES] == 8
    assert found[Resource.DOMAINS] == found[Resource.DOMAINS_WITH_MEMORY] == 4
    assert found[Resource.PAIR_PLACEMENTS] == found[Resource.PLACEMENTS] == 2
    two = resources_of(packages_in_one_domain(1, 2, 1))
    assert (two[Resource.CORES], two[Resource.DOMAINS]) == (2, 1)
    assert two[Resource.PAIR_PLACEMENTS] == two[Resource.PLACEMENTS] == 1
    memory = replace(MACHINE.memory, hugetlb_free={str(2**21): 7}, transparent_huge_pages="never")
    pool = resources_of(replace(MACHINE, memory=memory))
    assert pool[Resource.HUGE_PAGES_2M] == 7
    assert pool[Resource.TRANSPARENT_HUGE_PAGES] == 0
    assert set(found) == set(Resource)


def test_a_machine_of_many_cores_is_not_said_to_be_unable() -> None:
    (spread,) = [q for q in SCALEMP.questions if "spreading threads" in q.text]
    close = Layout(threads_per_rank=4)
    parameters: dict[str, Value] = {"kernel": "triad", "stores": "nontemporal"}
    only = made_up("memory.stream", parameters, close, "stream_bandwidth", 1e9)
    launch = LaunchSpec("stream", NODE_PROGRAM.name, "memory.stream", close, (only.point,), 0.01)
    plan = Plan((launch,), Precision(), questions=(spread,))
    (finding,) = findings(plan, MACHINE, [only])
    assert finding.answer == "not answered: candidate or baseline was not measured in this run"


@given(st.text("0123456789-² ", max_size=6) | st.text(max_size=12))
def test_what_is_no_pair_of_this_machine_is_left_out(text: str) -> None:
    known = {cpu.number for cpu in BOARDS.cpus}
    for pair in pair_distances((text,), BOARDS):
        assert {int(number) for number in pair.split("-")} <= known


def test_layouts_that_do_not_fit_have_no_cpus() -> None:
    fits, too_large = Layout(threads_per_rank=2), Layout(threads_per_rank=4096)
    found = assignments((fits, too_large), BOARDS)
    assert set(found) == {fits}


def test_a_question_of_binding_is_decided_only_where_the_cpus_differ() -> None:
    (across,) = [
        q for q in SCALEMP.questions if q.benchmark == "threads.sync" and "distant" in q.text
    ]
    layouts = [Layout(threads_per_rank=2, binding=b) for b in (Binding.CLOSE, Binding.SPREAD)]
    plan = _plan(across, layouts)
    estimates = [
        made_up("threads.sync", {"construct": "for"}, layout, "overhead", value)
        for layout, value in zip(layouts, (0.62e-6, 279.91e-6), strict=True)
    ]
    (on_boards,) = findings(plan, MACHINE, estimates)
    assert isinstance(across.rule, CostRule)
    assert on_boards.answer.startswith("for: far more, 451x [")
    two_cores = synthetic_machine()
    (here,) = findings(plan, two_cores, estimates)
    assert here.answer == ("not answerable here: requires cores at different distances")


def _plan(question: Question, layouts: list[Layout]) -> Plan:
    points = [
        made_up("threads.sync", {"construct": "for"}, one, "overhead", 1.0).point for one in layouts
    ]
    specs = tuple(
        LaunchSpec("sync", NODE_PROGRAM.name, "threads.sync", point.layout, (point,), 0.01)
        for point in points
    )
    return Plan(specs, Precision(), questions=(question,))


def test_resources_of_ranks_come_from_the_plan() -> None:
    two = packages_in_one_domain(2, 1, 1)
    alone = resources_of(two)
    assert alone[Resource.PACKAGES] == alone[Resource.RANKS] == alone[Resource.NODE_PLACES] == 2
    assert alone[Resource.NODES] == alone[Resource.MPI_LIBRARIES] == 1
    assert alone[Resource.SHMEM_COMPILERS] == alone[Resource.SPARE_CORES] == 0
    assert resources_of(packages_in_one_domain(1, 3, 1))[Resource.SPARE_CORES] == 1
    specs = [
        LaunchSpec(
            mpi,
            MPI_PROGRAM.name,
            "network.latency",
            Layout(nodes=n),
            (),
            0.01,
            variant=Variant(mpi),
        )
        for n, mpi in ((4, "mpich"), (2, "openmpi"))
    ]
    shmem = LaunchSpec("y", SHMEM_PROGRAM.name, "shmem.atomics", Layout(ranks_per_node=2), (), 0.01)
    found = resources_of(two, Plan((*specs, shmem), Precision()))
    assert found[Resource.NODES] == found[Resource.NODE_PLACES] == 4
    assert (found[Resource.RANKS], found[Resource.MPI_LIBRARIES]) == (8, 2)
    assert found[Resource.SHMEM_COMPILERS] == found[Resource.SPARE_CORES] == 1


def test_the_host_behind_slow_pairs_is_named_as_observed() -> None:
    (question,) = [q for q in LOUHI.questions if "latency uniform over all pairs" in q.text]
    layout = Layout(nodes=4)
    made = [
        made_up(
            "network.consistency",
            {"pair": f"{one}-{other}", "size": 8},
            layout,
            "latency",
            5e-6 if one == 0 else 1e-6,
        )
        for one, other in combinations(range(4), 2)
    ]
    together = [replace(one, launch_numbers=one.rounds) for one in made]
    points = tuple(one.point for one in together)
    launch = LaunchSpec("c", MPI_PROGRAM.name, "network.consistency", layout, points, 0.01)
    plan = Plan((launch,), Precision(), questions=(question,))
    (finding,) = findings(plan, MACHINE, together, RunFacts(("bad", "n1", "n2", "n3")))
    assert finding.answer.startswith("no, bad is slow in 3 of its 3 pairs, 5.0")


def test_a_pair_that_the_plan_has_and_no_launch_measured_is_missing() -> None:
    (question,) = [q for q in LOUHI.questions if "latency uniform over all pairs" in q.text]
    layout = Layout(nodes=4)
    made = [
        made_up(
            "network.consistency", {"pair": f"{one}-{other}", "size": 8}, layout, "latency", 1e-6
        )
        for one, other in combinations(range(4), 2)
    ]
    points = tuple(one.point for one in made)
    launch = LaunchSpec("c", MPI_PROGRAM.name, "network.consistency", layout, points, 0.01)
    plan = Plan((launch,), Precision(), questions=(question,))
    seen = RunFacts(("n0", "n1", "n2", "n3"))
    (complete,) = findings(plan, MACHINE, made, seen)
    assert complete.answer.startswith("yes, ")
    (finding,) = findings(
        plan, MACHINE, [one for one in made if "3" not in str(one.point.get("pair"))], seen
    )
    assert finding.answer.startswith("inconclusive, 3 of 6 pairs have no result, all with n3: ")
