"""Who is behind slow pairs: systems with known bad nodes and links."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machmeter.analysis.consistency import consistency

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


@pytest.mark.parametrize("nodes", [8, 16, 64])
def test_two_switches_are_no_bad_nodes(nodes: int) -> None:
    pairs = {
        (one, other): 1e-6 if (one < nodes // 2) == (other < nodes // 2) else 1.5e-6
        for one, other in combinations(range(nodes), 2)
    }
    found = consistency(pairs, higher_is_better=False)
    assert not found.nodes
    assert found.consistent or found.levels


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
