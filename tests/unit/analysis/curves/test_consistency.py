"""Who is behind slow pairs: systems with known bad nodes and links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machmeter.analysis.curves.blame import reference_of
from machmeter.analysis.curves.consistency import consistency

Pair = tuple[int, int]


def system(
    nodes: int,
    bad: tuple[int, ...] = (),
    links: tuple[Pair, ...] = (),
    *,
    noise: float = 0.003,
    times: float = 3.0,
    seed: int = 1,
    sample: int = 0,
) -> dict[Pair, float]:
    """Latencies of pairs, seconds; sample: of pairs only those so many powers of two apart."""
    draw = np.random.default_rng(seed)
    steps = {(2**power) % nodes for power in range(sample)}
    found = {}
    for one, other in combinations(range(nodes), 2):
        if steps and not {other - one, nodes - other + one} & steps:
            continue
        worse = times ** sum(node in (one, other) for node in bad)
        worse *= times if (one, other) in links else 1.0
        found[one, other] = 1e-6 * worse * float(np.exp(draw.normal(0, noise)))
    return found


def racks(
    sizes: Sequence[int], far: float, *, noise: float = 0.0, seed: int = 1
) -> dict[Pair, float]:
    """Latencies of pairs, seconds, of racks of so many nodes; those of two racks `far` worse."""
    draw = np.random.default_rng(seed)
    rack = [number for number, size in enumerate(sizes) for _ in range(size)]
    return {
        (one, other): 1e-6
        * (1.0 if rack[one] == rack[other] else far)
        * float(np.exp(draw.normal(0, noise)))
        for one, other in combinations(range(len(rack)), 2)
    }


SIZES = [3, 4, 5, 6, 8, 16, 33, 64]


@pytest.mark.parametrize("nodes", SIZES)
@pytest.mark.parametrize("higher", [False, True])
def test_one_bad_node_is_named(nodes: int, higher: bool) -> None:
    for bad in {0, nodes // 2, nodes - 1}:
        pairs = system(nodes, (bad,), seed=bad)
        values = {pair: 1 / value for pair, value in pairs.items()} if higher else pairs
        found = consistency(values, higher)
        assert [slow.node for slow in found.nodes] == [bad]
        assert not found.links
        assert found.nodes[0].worse == pytest.approx(3, rel=0.05)
        assert found.nodes[0].apart == found.nodes[0].pairs == nodes - 1
        assert max(found.scores, key=lambda node: found.scores[node]) == bad
        assert found.usual == pytest.approx(1e6 if higher else 1e-6, rel=0.02)


@pytest.mark.parametrize("nodes", [5, 6, 8, 16, 64])
def test_two_bad_nodes_are_named_and_no_link(nodes: int) -> None:
    found = consistency(system(nodes, (1, nodes - 2)), higher_is_better=False)
    assert sorted(slow.node for slow in found.nodes) == [1, nodes - 2]
    assert not found.links


@pytest.mark.parametrize("nodes", SIZES)
def test_a_bad_link_is_named_as_a_pair_and_blames_no_node(nodes: int) -> None:
    found = consistency(system(nodes, links=((0, nodes - 1),)), higher_is_better=False)
    assert not found.nodes
    assert [link.pair for link in found.links] == [(0, nodes - 1)]
    assert not found.levels


def test_a_bad_node_and_a_bad_link_elsewhere_are_told_apart() -> None:
    found = consistency(system(8, (2,), ((4, 6),)), higher_is_better=False)
    assert [slow.node for slow in found.nodes] == [2]
    assert [link.pair for link in found.links] == [(4, 6)]


@pytest.mark.parametrize("bad", [0, 17, 63])
def test_a_sample_that_covers_the_nodes_names_the_bad_one(bad: int) -> None:
    pairs = system(64, (bad,), sample=4)
    assert len(pairs) < 64 * 5
    found = consistency(pairs, higher_is_better=False)
    assert [slow.node for slow in found.nodes] == [bad]
    assert not found.links


@pytest.mark.parametrize("noise", [0.0, 0.003, 0.02])
@pytest.mark.parametrize("nodes", SIZES)
def test_alike_pairs_blame_nobody(nodes: int, noise: float) -> None:
    for seed in range(10):
        assert consistency(system(nodes, noise=noise, seed=seed), higher_is_better=False).consistent


@pytest.mark.parametrize("far", [1.5, 3.0, 10.0])
@pytest.mark.parametrize("nodes", [4, 6, 8, 16, 64])
def test_two_switches_are_levels_and_no_bad_nodes(nodes: int, far: float) -> None:
    found = consistency(racks([nodes // 2, nodes // 2], far), higher_is_better=False)
    assert found.levels
    assert not found.nodes
    assert not found.consistent


@pytest.mark.parametrize("sizes", [(4, 2), (10, 3), (40, 8), (60, 4)])
def test_a_small_rack_is_a_level_and_its_nodes_are_not_bad(sizes: tuple[int, int]) -> None:
    found = consistency(racks(sizes, 3.0), higher_is_better=False)
    assert found.levels
    assert not found.nodes


@given(
    st.lists(st.integers(2, 5), min_size=2, max_size=6),
    st.floats(1.4, 20),
    st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_racks_are_levels(sizes: list[int], far: float, seed: int) -> None:
    found = consistency(racks(sizes, far, noise=0.003, seed=seed), higher_is_better=False)
    assert found.levels
    assert not found.nodes
    assert not found.consistent


def test_a_bad_node_of_two_racks_is_named() -> None:
    pairs = {pair: value * (4 if 5 in pair else 1) for pair, value in racks([4, 4], 1.5).items()}
    assert [slow.node for slow in consistency(pairs, False).nodes] == [5]


@given(st.data(), st.integers(3, 9))
@settings(max_examples=150, deadline=None)
def test_a_node_three_times_worse_is_named_however_others_spread(
    data: st.DataObject, nodes: int
) -> None:
    bad = data.draw(st.integers(0, nodes - 1))
    spread = st.floats(1.0, 1.4)
    pairs = {
        pair: data.draw(spread) * (3.0 if bad in pair else 1.0)
        for pair in combinations(range(nodes), 2)
    }
    higher = data.draw(st.booleans())
    values = {pair: 1 / value for pair, value in pairs.items()} if higher else pairs
    found = consistency(values, higher)
    assert found.nodes[0].node == bad
    assert found.nodes[0].apart == nodes - 1


def test_a_node_ten_times_worse_than_widely_scattered_others_is_named() -> None:
    pairs = {(0, 1): 1.0, (0, 3): 1.5, (1, 3): 2.1, (0, 2): 15.0, (1, 2): 15.1, (2, 3): 15.0}
    assert [slow.node for slow in consistency(pairs, False).nodes] == [2]


@given(
    st.integers(2, 8).flatmap(
        lambda n: st.fixed_dictionaries(
            {pair: st.floats(1.0, 4.0) for pair in combinations(range(n), 2)}
        )
    )
)
@settings(max_examples=100, deadline=None)
def test_what_spreads_is_not_consistent(values: dict[Pair, float]) -> None:
    found = consistency(values, higher_is_better=False)
    if max(values.values()) > 1.22 * min(values.values()):
        assert not found.consistent
    assert found.consistent == (
        not found.apart
        and not found.better
        and all(1 / 1.1 <= worse <= 1.1 for worse in found.worse.values())
    )


def test_usual_is_the_middle_of_the_shortest_half() -> None:
    reference = reference_of([0.0, 0.02, 0.04, 0.9, 1.8])
    assert reference.center == 0.02
    assert reference.deviation == pytest.approx(1.4826 * (1 + 5 / 4) * 0.02)
    assert reference_of([3.0]).deviation == 0.01


def test_a_little_worse_is_not_apart() -> None:
    assert consistency(system(8, (3,), times=1.08, noise=0.0), higher_is_better=False).consistent


def test_two_nodes_cannot_be_told_from_each_other() -> None:
    found = consistency({(0, 1): 5e-6}, higher_is_better=False)
    assert found.consistent
    assert not found.nodes


@pytest.mark.parametrize(
    "values", [{}, {(1, 1): 1.0}, {(2, 1): 1.0}, {(0, 1): 0.0}, {(-1, 1): 1.0}]
)
def test_what_are_no_pairs_is_refused(values: dict[Pair, float]) -> None:
    with pytest.raises(ValueError, match="pairs"):
        consistency(values, higher_is_better=False)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 9).flatmap(
        lambda n: st.fixed_dictionaries(
            {pair: st.floats(1e-7, 1e-3) for pair in combinations(range(n), 2)}
        )
    )
)
def test_whatever_is_measured_the_blame_is_a_minority_and_every_pair_is_accounted_for(
    values: dict[Pair, float],
) -> None:
    found = consistency(values, higher_is_better=False)
    nodes = {node for pair in values for node in pair}
    blamed = {slow.node for slow in found.nodes}
    assert len(blamed) < max(1, len(nodes) / 2) or not blamed
    for one in found.apart:
        assert one.worse >= 1.0999
        assert set(one.pair) & blamed or one in found.links
    scaled = consistency({pair: 7 * value for pair, value in values.items()}, False)
    assert {slow.node for slow in scaled.nodes} == blamed


@given(
    st.integers(3, 8).flatmap(
        lambda n: st.fixed_dictionaries(
            {pair: st.floats(1e-6, 1e-3) for pair in combinations(range(n), 2)}
        )
    )
)
@settings(max_examples=50, deadline=None)
def test_a_score_is_of_a_node_over_all_pairs_without_it(values: dict[Pair, float]) -> None:
    found = consistency(values, higher_is_better=False)
    for node, score in found.scores.items():
        mine = [math.log(value) for pair, value in values.items() if node in pair]
        others = [math.log(value) for pair, value in values.items() if node not in pair]
        assert score == pytest.approx(math.exp(median(mine) - median(others)))
