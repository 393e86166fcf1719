"""Slow nodes in a simulation whose noise is not the detector's model, small and seeded."""

from __future__ import annotations

import numpy as np
import pytest
from tools.simulate_slow_nodes import NOISES, Cell, sweep, tally

NODE_SWEEPS = 1280


@pytest.mark.parametrize("noise", NOISES)
def test_slow_nodes_are_found_and_healthy_ones_are_not_named(noise: str) -> None:
    found = tally(Cell(noise, 64, 5, 20, 2), NODE_SWEEPS, seed=1)
    assert found.recall >= 0.95
    assert found.precision >= 0.95
    healthy = tally(Cell(noise, 64, 0, 0, 8), 4 * NODE_SWEEPS, seed=1)
    assert 1000 * healthy.false <= healthy.nodes


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
