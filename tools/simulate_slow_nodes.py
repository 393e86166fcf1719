"""How often slow nodes are found and healthy ones named, by noise that is not the detector's model.

    python tools/simulate_slow_nodes.py                      every table, about ten minutes
    python tools/simulate_slow_nodes.py --noise bursts       of one kind of noise
    python tools/simulate_slow_nodes.py --node-sweeps 2000   coarser

Times of a node: 1 x its natural deviation (normal) x its slowdown x the noise of each launch.
Numbers come from NumPy's PCG64, seeded with --seed and the numbers of the cell: every cell can be
had again by itself.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from machmeter.analysis.curves.node_outliers import slow_nodes

LAUNCHES = 5
NOISE = 0.02
NODES = (8, 64, 512, 1000)
SLOW = (1, 5, 20)
SLOWDOWNS = (3, 5, 10, 20, 50)
SPREADS = (0, 2, 8)
LEAST_SWEEPS = 60
_LEAST_TIME = 0.05

Factors = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Factors]


def _gaussian(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    return 1 + draw.normal(0, NOISE, (nodes, launches))


def _lognormal(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    """Delays that are skewed: exp(z), with its mean and deviation brought to 0 and 2 %."""
    delays = np.exp(draw.standard_normal((nodes, launches))) - math.exp(0.5)
    return 1 + delays * (NOISE / math.sqrt(math.e * (math.e - 1)))


def _student(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    return 1 + NOISE * draw.standard_t(3, (nodes, launches)) / math.sqrt(3)


def _bursts(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    burst = draw.random((nodes, launches)) < 0.05
    return _gaussian(draw, nodes, launches) * np.where(burst, 1.2, 1.0)


def _drift(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    """All nodes get slower by 10 % from the first launch to the last, each launch by 5 % more."""
    common = np.linspace(1, 1.1, launches) * (1 + 0.05 * draw.standard_normal(launches))
    return _gaussian(draw, nodes, launches) * common


def _autocorrelated(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    """AR(1) in each node, with 0.7 from launch to launch."""
    deviations = draw.standard_normal((nodes, launches))
    for launch in range(1, launches):
        new = math.sqrt(1 - 0.7**2) * deviations[:, launch]
        deviations[:, launch] = 0.7 * deviations[:, launch - 1] + new
    return 1 + NOISE * deviations


NOISES: Mapping[str, Noise] = {
    "gaussian": _gaussian,
    "lognormal": _lognormal,
    "student": _student,
    "bursts": _bursts,
    "drift": _drift,
    "autocorrelated": _autocorrelated,
}


class Cell(NamedTuple):
    """Sweeps of one kind; slowdown and spread in percent."""

    noise: str
    nodes: int
    slow: int
    slowdown: int
    spread: int


class Tally(NamedTuple):
    """Of all sweeps of a cell: nodes that were slow, and those named that were slow or healthy."""

    nodes: int
    slow: int
    found: int
    false: int

    @property
    def recall(self) -> float:
        """The share of slow nodes that were named; NaN where there is none."""
        return self.found / self.slow if self.slow else float("nan")

    @property
    def precision(self) -> float:
        """The share of named nodes that were slow; NaN where none was named."""
        named = self.found + self.false
        return self.found / named if named else float("nan")


def sweep(draw: np.random.Generator, cell: Cell) -> dict[int, list[float]]:
    """Times by node, one for each launch; the first `cell.slow` nodes are slow."""
    own = 1 + cell.spread / 100 * draw.standard_normal((cell.nodes, 1))
    own[: cell.slow] *= 1 + cell.slowdown / 100
    times = own * NOISES[cell.noise](draw, cell.nodes, LAUNCHES)
    return dict(enumerate(np.maximum(times, _LEAST_TIME).tolist()))


def tally(cell: Cell, node_sweeps: int, seed: int) -> Tally:
    """What the detector says of so many nodes of this kind, in 60 sweeps at least."""
    numbers = [list(NOISES).index(cell.noise), *cell[1:]]
    draw = np.random.Generator(np.random.PCG64([seed, *numbers]))
    found = false = 0
    sweeps = max(LEAST_SWEEPS, node_sweeps // cell.nodes)
    for _ in range(sweeps):
        named = slow_nodes(sweep(draw, cell), lower_is_better=True).slow
        right = sum(one.node < cell.slow for one in named)
        found += right
        false += len(named) - right
    return Tally(sweeps * cell.nodes, sweeps * cell.slow, found, false)


def healthy_table(noises: Sequence[str], node_sweeps: int, seed: int) -> str:
    """False names among 1,000 nodes of healthy classes, by noise, nodes and spread."""
    lines = [
        "| healthy nodes | spread | " + " | ".join(noises) + " |",
        "|---|---|" + "---|" * len(noises),
    ]
    for nodes in NODES:
        for spread in SPREADS:
            done = [tally(Cell(one, nodes, 0, 0, spread), node_sweeps, seed) for one in noises]
            rates = " | ".join(f"{1000 * one.false / one.nodes:.2f}" for one in done)
            lines.append(f"| {nodes} | {spread} % | {rates} |")
    return "\n".join(lines)


def slow_table(noises: Sequence[str], spread: int, node_sweeps: int, seed: int) -> str:
    """Recall and precision by nodes, slow ones and slowdown: the lowest over the noises."""
    lines = [
        f"| spread {spread} %: slow nodes | " + " | ".join(f"{one} %" for one in SLOWDOWNS) + " |",
        "|---|" + "---|" * len(SLOWDOWNS),
    ]
    for nodes in NODES:
        for slow in SLOW:
            if slow > nodes:
                continue
            entries = []
            for slowdown in SLOWDOWNS:
                cells = [Cell(one, nodes, slow, slowdown, spread) for one in noises]
                done = [tally(cell, node_sweeps, seed) for cell in cells]
                recall = np.min([one.recall for one in done])
                precision = np.fmin.reduce([one.precision for one in done])
                entries.append(f"{recall:.2f} / " + _share(float(precision)))
            lines.append(f"| {slow} of {nodes} | " + " | ".join(entries) + " |")
    return "\n".join(lines)


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--noise", choices=tuple(NOISES), action="append")
    parser.add_argument("--node-sweeps", type=int, default=5_000, help="nodes of a cell in all")
    parser.add_argument("--seed", type=int, default=52)
    options = parser.parse_args()
    noises = options.noise or tuple(NOISES)
    healthy = healthy_table(noises, 10 * options.node_sweeps, options.seed)
    slow = [slow_table(noises, spread, options.node_sweeps, options.seed) for spread in SPREADS]
    sys.stdout.write("\n\n".join([healthy, *slow]) + "\n")


if __name__ == "__main__":
    main()
