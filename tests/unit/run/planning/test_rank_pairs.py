"""Pairs of ranks: all, or a sample that covers every rank evenly."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from machmeter.run.planning.rank_pairs import MOST_OF_MANY, pairs_of_ranks


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
