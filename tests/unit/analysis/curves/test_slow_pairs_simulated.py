"""Slow nodes below switches of several levels, found by a sample of pairs, small and seeded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tools.simulate_slow_pairs import Row, sweep, tally

from machmeter.analysis.curves.consistency import consistency
from machmeter.analysis.curves.distances import is_sample
from machmeter.run.planning.rank_pairs import pairs_of_ranks

SEED = 7


@pytest.mark.parametrize("nodes", [64, 300, 1000])
@pytest.mark.parametrize("leaf", [16, 40])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_slow_nodes_are_found_whatever_the_levels(nodes: int, leaf: int, levels: int) -> None:
    found = tally(Row(nodes, levels, leaf, 10, 50), 5, SEED)
    assert found.recall >= 0.95
    assert found.false_names <= 0.001


@pytest.mark.parametrize("nodes", [64, 300, 1000])
@pytest.mark.parametrize("leaf", [16, 40])
def test_levels_are_said_and_blame_nobody(nodes: int, leaf: int) -> None:
    alike = tally(Row(nodes, 1, leaf, 0, 0), 5, SEED)
    two = tally(Row(nodes, 2, leaf, 0, 0), 5, SEED)
    assert (alike.false, alike.said_levels) == (0, 0)
    assert (two.false, two.said_levels) == (0, 1)


@pytest.mark.parametrize("higher", [False, True])
def test_levels_are_told_with_what_is_usual_of_each(higher: bool) -> None:
    row = Row(300, 2, 40, 5, 50)
    costs, slow = sweep(np.random.default_rng(1), row)
    values = {pair: 1 / cost for pair, cost in costs.items()} if higher else costs
    found = consistency(values, higher)
    near, far = found.steps
    assert {one.node for one in found.nodes} == slow
    assert all(one.worse == pytest.approx(1.5, rel=0.05) for one in found.nodes)
    assert all(one.apart == one.pairs for one in found.nodes)
    assert abs(math.log(near.usual / far.usual)) == pytest.approx(math.log(1.3), rel=0.05)
    assert sorted((*near.pairs, *far.pairs)) == sorted(costs)
    assert len(found.links) <= 0.01 * len(costs)  # what exponential noise of one launch makes apart
    assert not found.better


def test_a_bad_link_below_two_levels_is_no_slow_node_and_no_level() -> None:
    costs, _ = sweep(np.random.default_rng(1), Row(300, 2, 40, 0, 0))
    bad = {(5, 6), (7, 135)}
    found = consistency({p: c * (3 if p in bad else 1) for p, c in costs.items()}, False)
    assert not found.nodes
    assert {one.pair for one in found.links[:2]} == bad
    assert len(found.links) <= 0.01 * len(costs)
    assert all(one.worse == pytest.approx(3, rel=0.1) for one in found.links[:2])
    assert len(found.steps) == 2


def test_more_slow_nodes_than_others_are_not_blamed() -> None:
    costs, slow = sweep(np.random.default_rng(1), Row(300, 1, 40, 60, 50))
    found = consistency(costs, higher_is_better=False)
    assert {one.node for one in found.nodes} <= slow
    assert not found.consistent


@pytest.mark.parametrize(("nodes", "sampled"), [(8, False), (32, False), (33, True), (1000, True)])
def test_pairs_of_many_nodes_are_a_sample(nodes: int, sampled: bool) -> None:
    texts = (text.partition("-") for text in pairs_of_ranks(nodes))
    assert is_sample({(int(one), int(other)): 0.0 for one, _, other in texts}) == sampled


@pytest.mark.parametrize("lacking", [1, 3])
def test_pairs_are_a_sample_though_the_last_nodes_lack_results(lacking: int) -> None:
    every = [tuple(map(int, pair.split("-"))) for pair in pairs_of_ranks(64)]
    costs = {(one, other): 1.0 for one, other in every if other < 64 - lacking}
    assert is_sample(costs)
