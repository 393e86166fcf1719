"""How often slow nodes are found by their pairs, below switches of several levels.

    python tools/simulate_slow_pairs.py                  every row, a few minutes
    python tools/simulate_slow_pairs.py --nodes 300      of one size
    python tools/simulate_slow_pairs.py --sweeps 5       coarser

The pairs are those that network.consistency measures. Leaves hold neighboring nodes and begin
anywhere; at three levels eight leaves share a switch. Each level costs 30 % more than the one
below. The noise is skewed: exponential delays of 2 %, not the detector's model; a pair of two slow
nodes has the factor once. Numbers come from NumPy's PCG64, seeded with --seed and the numbers of
the row: every row can be had again by itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NamedTuple

import numpy as np

from machmeter.analysis.curves.consistency import consistency
from machmeter.run.planning.rank_pairs import pairs_of_ranks

NOISE = 0.02
STEP = 1.3
LEAVES_OF_A_SWITCH = 8
NODES = (64, 300, 1000)
LEVELS = (1, 2, 3)
LEAVES = (16, 40)
SLOW = (0, 1, 5, 10)
SLOWDOWNS = (20, 50)

Pair = tuple[int, int]


class Row(NamedTuple):
    """Sweeps of one kind; `slow` and slowdown in percent."""

    nodes: int
    levels: int
    leaf: int
    slow: int
    slowdown: int


class Tally(NamedTuple):
    """Of all sweeps of a row: nodes that were slow, those named that were slow or healthy."""

    nodes: int
    slow: int
    found: int
    false: int
    said_levels: float
    seconds: float

    @property
    def recall(self) -> float:
        """The share of slow nodes that were named; NaN where there is none."""
        return self.found / self.slow if self.slow else float("nan")

    @property
    def false_names(self) -> float:
        """Healthy nodes that were named, for each node and sweep."""
        return self.false / self.nodes


def sweep(draw: np.random.Generator, row: Row) -> tuple[dict[Pair, float], frozenset[int]]:
    """Costs of the measured pairs, and the nodes that are slow."""
    count = -(-row.nodes * row.slow // 100)
    slow = frozenset(draw.choice(row.nodes, count, replace=False).tolist())
    leaf = (np.arange(row.nodes) + draw.integers(row.leaf)) // row.leaf
    costs = {}
    for text in pairs_of_ranks(row.nodes):
        one, _, other = text.partition("-")
        pair = int(one), int(other)
        a, b = leaf[pair[0]], leaf[pair[1]]
        steps = int(a != b) + int(a // LEAVES_OF_A_SWITCH != b // LEAVES_OF_A_SWITCH)
        factor = STEP ** min(steps, row.levels - 1)
        worse = 1 if slow.isdisjoint(pair) else 1 + row.slowdown / 100
        costs[pair] = float(factor * worse * (1 + draw.exponential(NOISE)))
    return costs, slow


def tally(row: Row, sweeps: int, seed: int) -> Tally:
    """What is said of so many systems of this kind; seconds are the longest of one."""
    draw = np.random.Generator(np.random.PCG64([seed, *row]))
    found = false = slow = levels = 0
    longest = 0.0
    for _ in range(sweeps):
        costs, bad = sweep(draw, row)
        begin = time.perf_counter()
        said = consistency(costs, higher_is_better=False)
        longest = max(longest, time.perf_counter() - begin)
        named = {one.node for one in said.nodes}
        found += len(named & bad)
        false += len(named - bad)
        slow += len(bad)
        levels += said.levels
    return Tally(sweeps * row.nodes, slow, found, false, levels / sweeps, longest)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, action="append")
    parser.add_argument("--sweeps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=52)
    options = parser.parse_args()
    sys.stdout.write(
        "| nodes | levels | leaf | slow | by | recall | false names | levels said | seconds |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
    )
    rows = (
        Row(nodes, levels, leaf, slow, slowdown)
        for nodes in options.nodes or NODES
        for levels in LEVELS
        for leaf in (LEAVES if levels > 1 else LEAVES[:1])
        for slow in SLOW
        for slowdown in (SLOWDOWNS if slow else (0,))
    )
    for row in rows:
        done = tally(row, options.sweeps, options.seed)
        recall = f"{done.recall:.3f}" if done.slow else "-"
        sys.stdout.write(
            f"| {row.nodes} | {row.levels} | {row.leaf} | {row.slow} % | {row.slowdown} % | "
            f"{recall} | {done.false_names:.5f} | {done.said_levels:.2f} | {done.seconds:.2f} |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
