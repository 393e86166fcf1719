"""Which rank counts a benchmark is measured with, and which pairs of its ranks."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.benchmarks.catalogue import BENCHMARKS, find
from machmeter.model.benchmark import RankSweep
from machmeter.model.errors import UsageError
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.run.planning.rank_pairs import MOST_OF_MANY, pairs_of_ranks
from machmeter.run.planning.ranks import RankCount, RankCounts, rank_counts

HOSTS = ("n1", "n2", "n3", "n4")


def counts_of(
    name: str, cores: int, wish: LayoutOptions | None = None, **asked: object
) -> RankCounts:
    experiment = Experiment(name, **asked)  # type: ignore[arg-type]
    return rank_counts(find(name), experiment, cores, wish or LayoutOptions())


def test_a_node_benchmark_is_one_process_whatever_is_asked() -> None:
    assert counts_of("memory.stream", 8, LayoutOptions(rank_counts=(4,))).counts == (RankCount(),)


def test_a_pair_is_two_ranks_on_one_node_and_on_each_of_two() -> None:
    assert counts_of("network.latency", 8).counts == (RankCount(1, 2),)
    both = counts_of("network.latency", 8, LayoutOptions(hosts=HOSTS)).counts
    assert both == (RankCount(1, 2), RankCount(2, 1))
    assert counts_of("network.latency", 8, LayoutOptions(hosts=HOSTS), one_node=True).counts == (
        RankCount(1, 2),
    )
    apart = LayoutOptions(hosts=HOSTS, nodes=(2,))
    assert counts_of("network.latency", 8, apart).counts == (RankCount(2, 1),)


def test_powers_go_up_to_a_rank_on_every_core_in_pairs() -> None:
    one_node = counts_of("network.pairs", 6).counts
    assert one_node == (RankCount(1, 2), RankCount(1, 4), RankCount(1, 6))
    assert counts_of("network.pairs", 7).counts == one_node
    several = counts_of("network.pairs", 4, LayoutOptions(hosts=HOSTS)).counts
    assert several == (RankCount(4, 1), RankCount(4, 2), RankCount(4, 4))


def test_all_ranks_also_on_fewer_nodes() -> None:
    assert counts_of("network.collective", 8).counts == (RankCount(1, 8),)
    several = counts_of("network.collective", 8, LayoutOptions(hosts=HOSTS)).counts
    assert several == (RankCount(4, 1), RankCount(2, 8), RankCount(4, 8))


def test_cores_stand_for_nodes_where_there_is_one() -> None:
    assert counts_of("network.consistency", 8).counts == (RankCount(1, 8),)
    nodes = counts_of("network.consistency", 8, LayoutOptions(hosts=HOSTS)).counts
    assert nodes == (RankCount(4, 1),)


def test_a_growing_number_of_ranks_goes_beyond_the_cores_and_says_so() -> None:
    counts = counts_of("network.startup", 4).counts
    assert [count.ranks for count in counts] == [2, 4, 8, 16]
    assert [count.oversubscribed for count in counts] == [False, False, True, True]


def test_one_core_makes_no_collective_and_says_why() -> None:
    found = counts_of("network.collective", 1)
    assert not found.counts
    assert "at least 2 ranks" in found.skipped[0].reason


def test_ranks_that_a_benchmark_does_not_take_are_left_out_with_the_reason() -> None:
    found = counts_of("network.latency", 8, LayoutOptions(rank_counts=(2, 4)))
    assert found.counts == (RankCount(1, 2),)
    assert "exactly 2 ranks" in found.skipped[0].reason
    odd = counts_of("network.pairs", 8, LayoutOptions(rank_counts=(3,)))
    assert "even" in odd.skipped[0].reason


def test_ranks_are_shared_out_evenly_over_nodes() -> None:
    wish = LayoutOptions(rank_counts=(6,), hosts=HOSTS, nodes=(2, 4))
    found = counts_of("network.collective", 8, wish)
    assert found.counts == (RankCount(2, 3),)
    assert "evenly over 4 nodes" in found.skipped[0].reason


def test_nodes_that_were_not_named_are_refused() -> None:
    with pytest.raises(UsageError, match="only 1 host is known"):
        counts_of("network.latency", 8, LayoutOptions(nodes=(2,)))


@given(
    st.sampled_from([b.name for b in BENCHMARKS if b.group == "network"]),
    st.integers(1, 256),
    st.integers(1, 40),
    st.sampled_from([None, *RankSweep]),
)
def test_every_count_is_one_the_benchmark_takes(
    name: str, cores: int, nodes: int, sweep: RankSweep | None
) -> None:
    wish = LayoutOptions(hosts=tuple(f"n{number}" for number in range(nodes)))
    found = counts_of(name, cores, wish, ranks=sweep)
    benchmark = find(name)
    for count in found.counts:
        assert count.ranks >= benchmark.least_ranks
        assert not benchmark.most_ranks or count.ranks <= benchmark.most_ranks
        assert not (benchmark.even_ranks and count.ranks % 2)
        assert count.nodes <= nodes
        roomy = sweep is RankSweep.PAIR or find(name).ranks is RankSweep.PAIR
        assert count.ranks_per_node <= cores or count.oversubscribed or roomy
    assert found.counts or found.skipped


def ends(pairs: tuple[str, ...]) -> list[tuple[int, int]]:
    split = (pair.split("-") for pair in pairs)
    return [(int(one), int(other)) for one, other in split]


def test_few_ranks_make_every_pair() -> None:
    assert pairs_of_ranks(3) == ("0-1", "0-2", "1-2")
    assert len(pairs_of_ranks(32)) == 32 * 31 // 2


@given(st.integers(2, 3000), st.integers(1, 2000))
def test_a_sample_covers_every_rank_evenly(ranks: int, most: int) -> None:
    pairs = ends(pairs_of_ranks(ranks, most))
    assert len(set(pairs)) == len(pairs)
    assert all(0 <= one < other < ranks for one, other in pairs)
    seen = Counter(rank for pair in pairs for rank in pair)
    assert len(seen) == ranks
    assert len(set(seen.values())) == 1
    # Two distances around the circle are the least that tells a node from a link.
    assert len(pairs) <= max(most, 2 * ranks, ranks * (ranks - 1) // 2 if ranks < 5 else 0)


@given(st.integers(5000, 10**6))
def test_very_many_ranks_have_a_bounded_sample_from_all_over_the_circle(ranks: int) -> None:
    pairs = ends(pairs_of_ranks(ranks))
    assert MOST_OF_MANY / 4 < len(pairs) <= MOST_OF_MANY
    assert all(0 <= one < other < ranks for one, other in pairs)
    near = sorted(one for one, other in pairs if other - one == 1)
    assert {one % 128 for one in near} == set(range(128))
    steps = {after - before for before, after in pairwise(near)}
    assert len(steps) == 1
    assert near[-1] > ranks - 2 * max(steps)
