"""What the wrapper saw of a program decides whether its launch may be compared."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.layout.verification.observed import observed_problems
from machmeter.machine.topology.hwloc_read import read_hwloc
from machmeter.model.layout import Assignment, AssignmentElsewhere, Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description
from machmeter.model.plan.launch import Launch, Verdict
from machmeter.model.plan.observation import ObservedRank, ObservedThread, ObservedTree
from tests.support.fake_launcher import small_spec
from tests.support.paths import DATA

MPI = "/usr/lib/libmpi.so.40.30.4"
TWO_BY_TWO = Layout(ranks_per_node=2, threads_per_rank=2)
CPUS = (((0,), (1,)), ((2,), (3,)))


def launch(layout: Layout = TWO_BY_TWO) -> Launch:
    spec = replace(small_spec(), layout=layout, command=Command(("/bin/solver",), "/", 60.0))
    return Launch(1, spec, 1, Assignment(CPUS))


def thread(cpu: int, seconds: float = 1.0) -> ObservedThread:
    return ObservedThread(100 + cpu, 100 + cpu, seconds, "0-3", ((cpu, seconds),))


def rank(
    *threads: ObservedThread, cpus: tuple[int, ...] = (0, 1), samples: int = 8
) -> ObservedRank:
    spent = sum(one.seconds for one in threads)
    return ObservedRank(
        host="node",
        ended=True,
        wall_seconds=1.0,
        user_seconds=spent,
        system_seconds=0.0,
        peak_bytes=1,
        minor_faults=0,
        major_faults=0,
        voluntary_switches=0,
        involuntary_switches=0,
        left_processes=0,
        cpus=cpus,
        busy_seconds=spent,
        tree=ObservedTree(samples, len(threads), 1, (), 0, 0, (MPI,), threads),
    )


FIRST = rank(thread(0), thread(1))
SECOND = rank(thread(2), thread(3), cpus=(2, 3))


def verdicts(*ranks: ObservedRank, layout: Layout = TWO_BY_TWO) -> list[Verdict]:
    return [one.verdict for one in observed_problems(launch(layout), ranks)]


def test_what_ran_as_requested_is_compared() -> None:
    assert verdicts(FIRST, SECOND) == []


def test_ranks_of_a_node_with_other_cpus_are_compared_with_those() -> None:
    of_two = replace(TWO_BY_TWO, nodes=2)
    there = AssignmentElsewhere((1,), (4, 5, 6, 7), Assignment((((4,), (5,)), ((6,), (7,)))))
    on_two = replace(launch(of_two), elsewhere=(there,))
    others = (rank(thread(4), thread(5)), rank(thread(6), thread(7)))
    assert observed_problems(on_two, (FIRST, SECOND, *others)) == ()
    (problem,) = observed_problems(on_two, (FIRST, SECOND, FIRST, others[1]))
    assert problem.verdict is Verdict.MISPLACED
    assert problem.reason.startswith("rank 2: 4,5 requested")


def test_helpers_that_do_little_are_no_threads_of_the_program() -> None:
    helper = ObservedThread(9, 9, 0.05, "0-3", ((3, 0.05),))
    assert verdicts(replace(FIRST, tree=_tree(FIRST, helper)), SECOND) == []


def test_helpers_that_a_description_names_are_not_counted() -> None:
    helped = rank(thread(0), thread(1), thread(0, 0.5))
    (problem,) = observed_problems(launch(), (helped, SECOND))
    assert problem.verdict is Verdict.WRONG_PARALLELISM
    described = Description(name="a", title="A", command=("a",), helper_threads=True)
    one = launch()
    assert one.spec.command is not None
    spec = replace(one.spec, command=replace(one.spec.command, description=described))
    assert observed_problems(replace(one, spec=spec), (helped, SECOND)) == ()
    assert observed_problems(replace(one, spec=spec), (rank(thread(0)), SECOND)) == ()
    # A helper on the CPU of another rank is in its way.
    away = rank(thread(0), thread(1), thread(2, 0.5))
    (problem,) = observed_problems(replace(one, spec=spec), (away, SECOND))
    assert problem.verdict is Verdict.MISPLACED


def test_processes_one_after_the_other_are_one_thread() -> None:
    after = rank(thread(0), thread(1), thread(0))
    assert verdicts(replace(after, tree=replace(after.tree, at_once=2)), SECOND) == []
    idle = rank(thread(0, 0.01))
    assert verdicts(replace(idle, tree=replace(idle.tree, at_once=0)), SECOND) == []


def test_a_library_that_starts_up_beside_an_idle_program_is_no_thread_of_it() -> None:
    one_each = Layout(ranks_per_node=2)
    helper = ObservedThread(9, 9, 0.006, "0-3", ((0, 0.006),))
    alone = rank(thread(0), cpus=(0,))
    beside = replace(alone, tree=replace(_tree(alone, helper), at_once=2))
    assert verdicts(beside, rank(thread(2), cpus=(2,)), layout=one_each) == []
    both = replace(alone, tree=replace(_tree(alone, thread(0)), at_once=2))
    found = verdicts(both, rank(thread(2), cpus=(2,)), layout=one_each)
    assert Verdict.WRONG_PARALLELISM in found


def test_a_thread_that_ended_unseen_may_have_worked() -> None:
    """A process of two threads that ends where the last sample is taken: one is gone already."""
    one = rank(thread(0, 0.24))
    tree = replace(one.tree, at_once=1, memory=((0.2, 1), (0.5, 0)))
    hidden = replace(one, wall_seconds=0.5, user_seconds=0.4, tree=tree)
    assert verdicts(hidden, SECOND) == []
    # One thread cannot have spent more after the last sample than passed until the end.
    later = replace(hidden, wall_seconds=0.7)
    assert verdicts(later, SECOND) == [Verdict.WRONG_PARALLELISM]
    assert verdicts(replace(later, user_seconds=0.65), SECOND) == []


def _tree(of: ObservedRank, more: ObservedThread) -> ObservedTree:
    return replace(of.tree, threads=(*of.tree.threads, more))


@pytest.mark.parametrize("ranks", [(), (FIRST,), (FIRST, SECOND, SECOND)])
def test_another_number_of_ranks_is_wrong_parallelism(ranks: tuple[ObservedRank, ...]) -> None:
    assert verdicts(*ranks) == [Verdict.WRONG_PARALLELISM]


def test_ranks_without_mpi_are_copies() -> None:
    alone = replace(SECOND, tree=replace(SECOND.tree, libraries=("/usr/lib/libgomp.so.1",)))
    (problem,) = observed_problems(launch(), (FIRST, alone))
    assert problem.verdict is Verdict.WRONG_PARALLELISM
    assert "rank 1 loaded no MPI" in problem.reason
    assert verdicts(FIRST, replace(alone, tree=replace(alone.tree, samples=1))) == []
    requested = launch()
    assert requested.spec.command is not None
    copies = replace(requested.spec.command, copies=True)
    as_requested = replace(requested, spec=replace(requested.spec, command=copies))
    bare = replace(FIRST, tree=replace(FIRST.tree, libraries=()))
    assert observed_problems(as_requested, (bare, alone)) == ()
    # Ranks of one MPI program would count as so many runs of it.
    (problem,) = observed_problems(as_requested, (FIRST, SECOND))
    assert problem.verdict is Verdict.WRONG_PARALLELISM


@pytest.mark.parametrize("threads", [(thread(0),), (thread(0), thread(1), thread(0, 0.5))])
def test_more_or_fewer_threads_are_wrong_parallelism(threads: tuple[ObservedThread, ...]) -> None:
    assert verdicts(rank(*threads), SECOND) == [Verdict.WRONG_PARALLELISM]


def test_a_thread_on_the_cpu_of_another_rank_is_misplaced() -> None:
    (problem,) = observed_problems(launch(), (FIRST, rank(thread(2), thread(1), cpus=(2, 3))))
    assert problem.verdict is Verdict.MISPLACED
    assert problem.reason == "rank 1: 2,3 requested, its threads spent 1 s on 1"
    # As hwloc does for a moment while an MPI starts.
    moment = ObservedThread(1, 1, 1.0, "0-3", ((0, 0.97), (2, 0.03)))
    assert verdicts(rank(moment, thread(1)), SECOND) == []
    # It takes as long in a short program, where it is more than a tenth.
    short = [ObservedThread(1, 1, 0.3, "0-3", ((0, 0.23), (2, 0.07))), thread(1, 0.3)]
    assert verdicts(rank(*short), SECOND) == []
    elsewhere = [ObservedThread(1, 1, 0.3, "0-3", ((2, 0.3),)), thread(1, 0.3)]
    assert verdicts(rank(*elsewhere), SECOND) == [Verdict.MISPLACED]


def test_a_thread_on_the_hardware_thread_beside_another_is_misplaced() -> None:
    topology = read_hwloc(DATA / "hwloc" / "siblings_numbered_last.xml")
    first, second, sibling = 0, 1, 32
    on_cores = rank(thread(first), thread(second), cpus=(first, second))
    on_one_core = rank(thread(first), thread(sibling), cpus=(first, sibling))

    def problems(smt: int, seen: ObservedRank) -> list[Verdict]:
        layout = Layout(threads_per_rank=2, smt=smt)
        of_machine = replace(launch(layout), assignment=assign(layout, topology))
        return [one.verdict for one in observed_problems(of_machine, (seen,))]

    assert problems(1, on_cores) == []
    assert problems(1, on_one_core) == [Verdict.MISPLACED]
    assert problems(2, on_one_core) == []
    assert problems(2, on_cores) == [Verdict.MISPLACED]


def test_where_nothing_was_set_threads_may_be_anywhere() -> None:
    default = replace(TWO_BY_TWO, binding=Binding.DEFAULT)
    assert verdicts(rank(thread(3)), rank(thread(3), cpus=(2, 3)), layout=default) == []


@pytest.mark.parametrize(
    ("samples", "spent"), [(1, 2.0), (8, 4.5)], ids=["one sample", "most time after the last one"]
)
def test_of_a_short_launch_nothing_is_said_of_threads(samples: int, spent: float) -> None:
    seen = rank(thread(3), cpus=(0, 1), samples=samples)
    assert verdicts(replace(seen, user_seconds=spent, busy_seconds=spent), SECOND) == []
