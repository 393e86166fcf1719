"""How often slow nodes are found and healthy ones named, by noise that is not the detector's model.

    python tools/simulate_slow_nodes.py                      every table, some minutes
    python tools/simulate_slow_nodes.py --noise bursts       of one kind of noise
    python tools/simulate_slow_nodes.py --node-sweeps 2000   coarser

Times of a node: 1 x its natural deviation (normal) x its slowdown x the noise of each launch.

Beside the detector stands the most that could be found at a precision of 95 %, by somebody who
knows the distributions, the share of slow nodes and what launches add for all: the likelihood ratio
of each node, slow against healthy, with the best threshold (Neyman and Pearson, Phil. Trans. R.
Soc. A 231, 1933).

Numbers come from NumPy's PCG64, seeded with --seed and the numbers of the cell: every cell can be
had again by itself.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
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
LEAST_SLOW = 60
PRECISION = 0.95
_LEAST_TIME = 0.05
_BURSTS, _BURST = 0.05, 1.2
_AUTOCORRELATION = 0.7
_SKEW = math.sqrt(math.e * (math.e - 1))
_KNOWN_NODES = 5_000
_STEPS = 201
_FURTHEST = 5.0  # standard deviations of natural spread

Factors = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Factors]
Density = Callable[[Factors], Factors]


def _gaussian(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    return 1 + draw.normal(0, NOISE, (nodes, launches))


def _lognormal(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    """Delays that are skewed: exp(z), with its mean and deviation brought to 0 and 2 %."""
    delays = np.exp(draw.standard_normal((nodes, launches))) - math.exp(0.5)
    return 1 + delays * (NOISE / _SKEW)


def _student(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    return 1 + NOISE * draw.standard_t(3, (nodes, launches)) / math.sqrt(3)


def _bursts(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    burst = draw.random((nodes, launches)) < _BURSTS
    return _gaussian(draw, nodes, launches) * np.where(burst, _BURST, 1.0)


def _drift(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    """All nodes get slower by 10 % from the first launch to the last, each launch by 5 % more."""
    common = np.linspace(1, 1.1, launches) * (1 + 0.05 * draw.standard_normal(launches))
    return _gaussian(draw, nodes, launches) * common


def _autocorrelated(draw: np.random.Generator, nodes: int, launches: int) -> Factors:
    """AR(1) in each node, with 0.7 from launch to launch."""
    deviations = draw.standard_normal((nodes, launches))
    for launch in range(1, launches):
        new = math.sqrt(1 - _AUTOCORRELATION**2) * deviations[:, launch]
        deviations[:, launch] = _AUTOCORRELATION * deviations[:, launch - 1] + new
    return 1 + NOISE * deviations


NOISES: Mapping[str, Noise] = {
    "gaussian": _gaussian,
    "lognormal": _lognormal,
    "student": _student,
    "bursts": _bursts,
    "drift": _drift,
    "autocorrelated": _autocorrelated,
}


def _as_gaussian(factors: Factors) -> Factors:
    return -(((factors - 1) / NOISE) ** 2) / 2


def _as_lognormal(factors: Factors) -> Factors:
    delays = (factors - 1) * _SKEW / NOISE + math.exp(0.5)
    logs = np.log(np.maximum(delays, 1e-300))
    return -(logs**2) / 2 - logs


def _as_student(factors: Factors) -> Factors:
    return -2 * np.log1p(((factors - 1) / NOISE) ** 2)


def _as_bursts(factors: Factors) -> Factors:
    calm = (1 - _BURSTS) * np.exp(-(((factors - 1) / NOISE) ** 2) / 2)
    burst = _BURSTS / _BURST * np.exp(-(((factors / _BURST - 1) / NOISE) ** 2) / 2)
    return np.log(calm + burst + 1e-300)


def _as_autocorrelated(factors: Factors) -> Factors:
    deviations = (factors - 1) / NOISE
    new = deviations.copy()
    new[..., 1:] -= _AUTOCORRELATION * deviations[..., :-1]
    new[..., 1:] /= math.sqrt(1 - _AUTOCORRELATION**2)
    return -(new**2) / 2


# By launch the logarithms, up to a constant, of the density of its factor (after those before it).
# Who knows what launches add for all has normal noise in `drift`.
DENSITIES: Mapping[str, Density] = {
    "gaussian": _as_gaussian,
    "lognormal": _as_lognormal,
    "student": _as_student,
    "bursts": _as_bursts,
    "drift": _as_gaussian,
    "autocorrelated": _as_autocorrelated,
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
    """What the detector says of so many nodes of this kind, 60 slow ones at least."""
    draw = _draws(cell, seed)
    found = false = 0
    sweeps = max(
        1, math.ceil(LEAST_SLOW / cell.slow) if cell.slow else 1, node_sweeps // cell.nodes
    )
    for _ in range(sweeps):
        named = slow_nodes(sweep(draw, cell), lower_is_better=True).slow
        right = sum(one.node < cell.slow for one in named)
        found += right
        false += len(named) - right
    return Tally(sweeps * cell.nodes, sweeps * cell.slow, found, false)


def _draws(cell: Cell, seed: int) -> np.random.Generator:
    numbers = [list(NOISES).index(cell.noise), *cell[1:]]
    return np.random.Generator(np.random.PCG64([seed, *numbers]))


def log_ratios(noise: str, slowdown: int, spread: int, times: Factors) -> Factors:
    """Of each node (rows) the log likelihood of its launches if slow over that if healthy."""
    density = DENSITIES[noise]
    deviations = np.linspace(-_FURTHEST, _FURTHEST, _STEPS) if spread else np.zeros(1)

    def likelihood(times_slower: float) -> Factors:
        own = (times_slower * (1 + spread / 100 * deviations))[:, None]
        # Of the times, not the factors: hence the change of variables.
        logs = (density(times[:, None, :] / own) - np.log(own)).sum(axis=2)
        whole: Factors = np.logaddexp.reduce(logs - deviations**2 / 2, axis=1)
        return whole

    return likelihood(1 + slowdown / 100) - likelihood(1)


@cache
def _of_slow_nodes(noise: str, slowdown: int, spread: int, seed: int) -> Factors:
    """The same of slow nodes that are drawn, the highest first."""
    draw = _draws(Cell(noise, _KNOWN_NODES, _KNOWN_NODES, slowdown, spread), seed)
    deviations = spread / 100 * draw.standard_normal((_KNOWN_NODES, 1))
    factors = NOISES["gaussian" if noise == "drift" else noise](draw, _KNOWN_NODES, LAUNCHES)
    times = (1 + slowdown / 100) * (1 + deviations) * factors
    return -np.sort(-log_ratios(noise, slowdown, spread, np.maximum(times, _LEAST_TIME)))


def most_found(cell: Cell, seed: int) -> float:
    """The highest recall of any threshold of the likelihood ratio with a precision of 95 %.

    Healthy nodes beyond a threshold are counted by the slow ones there, each as many times as it is
    likelier if healthy (importance sampling).
    """
    ratios = _of_slow_nodes(cell.noise, cell.slowdown, cell.spread, seed)
    found = cell.slow * np.arange(1, len(ratios) + 1)
    false = (cell.nodes - cell.slow) * np.cumsum(np.exp(-ratios))
    good = np.flatnonzero(found >= PRECISION * (found + false))
    return float(good[-1] + 1) / len(ratios) if len(good) else 0.0


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
    """Recall, the most that could be had, and precision: the lowest over the noises of each."""
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
                most = min(most_found(cell, seed) for cell in cells)
                precision = np.fmin.reduce([one.precision for one in done])
                entries.append(f"{recall:.2f} of {most:.2f} / " + _share(float(precision)))
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
