"""Slow nodes in a simulation whose noise is not the detector's model, small and seeded."""

from __future__ import annotations

import numpy as np
import pytest
from tools.simulate_slow_nodes import NOISES, Cell, log_ratios, most_found, sweep, tally

NODE_SWEEPS = 1280


@pytest.mark.parametrize("noise", NOISES)
def test_slow_nodes_are_found_and_healthy_ones_are_not_named(noise: str) -> None:
    found = tally(Cell(noise, 64, 5, 20, 2), NODE_SWEEPS, seed=1)
    assert found.recall >= 0.95
    assert found.precision >= 0.95
    healthy = tally(Cell(noise, 64, 0, 0, 8), 4 * NODE_SWEEPS, seed=1)
    assert 1000 * healthy.false <= healthy.nodes


def test_many_slow_nodes_make_each_easier_to_name() -> None:
    found = tally(Cell("gaussian", 512, 20, 10, 2), NODE_SWEEPS, seed=1)
    assert found.recall >= 0.7
    assert found.precision >= 0.95
    assert found.recall > tally(Cell("gaussian", 512, 1, 10, 2), NODE_SWEEPS, seed=1).recall


@pytest.mark.parametrize("noise", NOISES)
def test_a_cell_can_be_had_again_and_has_its_slow_nodes(noise: str) -> None:
    cell = Cell(noise, 1000, 20, 50, 2)
    first, again = (sweep(np.random.default_rng(5), cell) for _ in range(2))
    assert first == again
    slow, others = (np.mean([first[n] for n in nodes]) for nodes in (range(20), range(20, 1000)))
    assert slow / others == pytest.approx(1.5, abs=0.05)
    unsure = Cell(noise, 64, 5, 10, 2)
    assert tally(unsure, 64, seed=1) == tally(unsure, 64, seed=1)
    assert len({tally(unsure, 64, seed) for seed in range(4)}) > 1


@pytest.mark.parametrize("noise", [one for one in NOISES if one != "drift"])
def test_the_most_that_can_be_found_is_that_of_slow_and_healthy_nodes_drawn(noise: str) -> None:
    draw = np.random.default_rng(7)

    def ratios(nodes: int, slower: float) -> np.ndarray:
        own = slower * (1 + 0.02 * draw.standard_normal((nodes, 1)))
        return log_ratios(noise, 10, 2, own * NOISES[noise](draw, nodes, 5))

    slow, healthy = ratios(2_000, 1.1), ratios(10_000, 1)
    recalls = []
    for threshold in np.linspace(-6, 8, 281):
        found, false = 20 * np.mean(slow > threshold), 44 * np.mean(healthy > threshold)
        if found >= 0.95 * (found + false):
            recalls.append(np.mean(slow > threshold))
    known = most_found(Cell(noise, 64, 20, 10, 2), seed=1)
    assert known == pytest.approx(max(recalls), abs=0.02)
    assert known > tally(Cell(noise, 64, 20, 10, 2), 1280, seed=1).recall


def test_who_knows_everything_finds_all_of_equal_nodes_and_hardly_any_within_the_spread() -> None:
    assert most_found(Cell("gaussian", 64, 5, 10, 0), seed=1) > 0.99
    assert most_found(Cell("gaussian", 64, 5, 10, 8), seed=1) < 0.05
