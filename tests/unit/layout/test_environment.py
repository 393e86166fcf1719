from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.layout.environment import idle_environment, omp_environment, progress_environment
from machmeter.model.layout import Assignment, Binding, Layout, WaitPolicy

# Variables that would override what is set here.
CONFLICTING_VARIABLES = (
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "KMP_HW_SUBSET",
    "KMP_LIBRARY",
    "OMP_NESTED",
    "OMP_SCHEDULE",
    "OMP_TEAMS_THREAD_LIMIT",
    "OMP_THREAD_LIMIT",
)


def test_places_are_listed_in_thread_order() -> None:
    found = omp_environment(Layout(threads_per_rank=3), ((4,), (0,), (2, 3)))
    assert found["OMP_PLACES"] == "{4},{0},{2,3}"
    assert found["OMP_PROC_BIND"] == "close"
    assert found["OMP_NUM_THREADS"] == "3"
    assert found["OMP_MAX_ACTIVE_LEVELS"] == "1"
    assert found["OMP_DYNAMIC"] == "false"


def test_inner_threads_have_their_places_behind_each_other() -> None:
    layout = Layout(threads_per_rank=2, inner_threads=2, binding=Binding.SPREAD)
    found = omp_environment(layout, ((0,), (1,), (4,), (5,)))
    assert found["OMP_PLACES"] == "{0},{1},{4},{5}"
    assert found["OMP_PROC_BIND"] == "spread,close"
    assert found["OMP_NUM_THREADS"] == "2,2"
    assert found["OMP_MAX_ACTIVE_LEVELS"] == "2"


def test_outer_only_has_one_place_a_team() -> None:
    layout = Layout(threads_per_rank=2, inner_threads=2, binding=Binding.OUTER)
    found = omp_environment(layout, ((0, 1), (0, 1), (4, 5), (4, 5)))
    assert found["OMP_PLACES"] == "{0,1},{4,5}"
    assert found["OMP_PROC_BIND"] == "spread,close"


def test_unbound_inner_teams_have_their_sizes_alone() -> None:
    layout = Layout(threads_per_rank=2, inner_threads=3, binding=Binding.NONE)
    found = omp_environment(layout, ((),) * 6)
    assert found["OMP_NUM_THREADS"] == "2,3"
    assert found["OMP_MAX_ACTIVE_LEVELS"] == "2"
    assert found["OMP_PROC_BIND"] == "false"
    assert "OMP_PLACES" not in found


def test_unbound_threads_have_no_places() -> None:
    found = omp_environment(Layout(threads_per_rank=2, binding=Binding.NONE), ((), ()))
    assert found["OMP_PROC_BIND"] == "false"
    assert "OMP_PLACES" not in found


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (WaitPolicy.ACTIVE, ("active", "infinity", "infinite")),
        (WaitPolicy.PASSIVE, ("passive", "0", "0")),
    ],
)
def test_each_runtime_is_told_the_wait_policy(
    policy: WaitPolicy, words: tuple[str, str, str]
) -> None:
    found = omp_environment(Layout(wait_policy=policy), ((0,),))
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
    assert tuple(found[name] for name in names) == words
    assert not set(found) & set(CONFLICTING_VARIABLES)


def test_by_default_nothing_tells_idle_threads_what_to_do() -> None:
    found = omp_environment(Layout(wait_policy=WaitPolicy.DEFAULT), ((0,),))
    assert not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"} & set(found)


def test_cpus_for_another_number_of_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="2 threads are needed, 1 were given"):
        omp_environment(Layout(threads_per_rank=2), ((0,),))
    with pytest.raises(ValueError, match="6 threads are needed, 2 were given"):
        omp_environment(Layout(threads_per_rank=2, inner_threads=3), ((0,), (1,)))


def test_a_rank_is_told_the_cpus_of_its_progress_thread() -> None:
    assignment = Assignment((((0,),), ((1,),)), ((4, 5), (6,)))
    assert progress_environment(assignment, 0) == {"MACHMETER_PROGRESS_CPUS": "4,5"}
    assert progress_environment(assignment, 1) == {"MACHMETER_PROGRESS_CPUS": "6"}
    assert progress_environment(Assignment((((0,),),)), 0) == {}


CROWDED = Layout(ranks_per_node=2, oversubscribe=True)


@pytest.mark.parametrize(
    ("layout", "cpus", "yields"),
    [
        (CROWDED, (((0,),), ((0,),)), "1"),
        (CROWDED, (((0,),), ((1,),)), "0"),
        (Layout(ranks_per_node=2, smt=2), (((0,),), ((64,),)), "0"),
        (Layout(threads_per_rank=2, oversubscribe=True), (((0,), (0,)),), "0"),
        (replace(CROWDED, binding=Binding.NONE), (((),), ((),)), "1"),
        (Layout(ranks_per_node=2, binding=Binding.NONE), (((),), ((),)), "0"),
    ],
)
def test_open_mpi_gives_cpus_away_where_ranks_share_them(
    layout: Layout, cpus: tuple[tuple[tuple[int, ...], ...], ...], yields: str
) -> None:
    assert idle_environment("openmpi", layout, Assignment(cpus)) == {
        "OMPI_MCA_mpi_yield_when_idle": yields
    }
    assert idle_environment("mpich", layout, Assignment(cpus)) == {}
