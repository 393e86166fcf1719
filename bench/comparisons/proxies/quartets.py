"""Direct Hartree-Fock versus PySCF: Coulomb and exchange matrices of the same molecules, all
integrals computed each time."""

from __future__ import annotations

import json
import math
from pathlib import Path

from bench.comparisons.proxies.by_ranks import AS_FAST, RATE, Pair, speedup_row
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import one_point
from bench.parsers import MatricesRun, parse_matrices
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, measured_row
from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.benchmarks.proxies.scf import SCF
from machmeter.model.layout import Layout
from machmeter.model.units import QUARTETS_PER_SECOND

TITLE = "quartets"
SCRIPT = Path(__file__).with_name("quartets_peer.py")
MOLECULES, ITERATIONS = 16, 4
# What a calculation of the molecules ends with, hartree.
ENERGY = -17.823887497
# As a metric of the proxy: integrals of one matrix.
INTEGRALS = "integrals"
_STATISTIC = "interquartile mean"
SAMPLES, SECONDS = 50, 1.0
BOND, SPACING = 1.4, 5.0
_WORD = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def compare(bench: Bench) -> Outcome:
    """One thread, and two."""
    outcome = empty_outcome(f"Fock matrices of {MOLECULES} hydrogen molecules, direct")
    python = bench.options.peer("pyscf")
    if not python:
        outcome.skipped.append(
            "a Python with pyscf was not given (--pyscf PATH; pip install pyscf)"
        )
        return outcome
    counts = bench.thread_counts()
    measured = bench.measure(
        TITLE,
        [one for count in counts for one in (_ours(bench, count), _pyscf(bench, python, count))],
    )
    outcome.rows = quartet_rows(counts, measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        "the same atoms, functions (three Gaussians each), and integrals left out: those that "
        "Schwarz's inequality bounds below 1e-12, without PySCF's further condition on the "
        "density; as many integrals a matrix as machmeter counts, for both; machmeter's time "
        "includes the next density. PySCF's integrals are for functions of any angular momentum, "
        "machmeter's for s functions alone"
    )
    return outcome


def quartet_rows(threads: tuple[int, ...], measured: RoundResults) -> list[Row]:
    """A row for each number of threads, and one for the speedup."""
    pairs: list[Pair] = [(count, f"machmeter, {count}", f"PySCF, {count}") for count in threads]
    rows = []
    for count, mine, other in pairs:
        integrals = max(measured.values(mine, INTEGRALS).values(), default=0.0)
        matrices = measured.values(other, RATE)
        rows.append(
            measured_row(
                f"{count} thread{'s' * (count > 1)}\n: PySCF",
                {number: integrals * rate for number, rate in measured.values(mine, RATE).items()},
                {number: integrals * rate for number, rate in matrices.items()},
                unit=QUARTETS_PER_SECOND,
                higher_is_better=True,
                statistic=_STATISTIC,
                target=AS_FAST,
            )
        )
    if len(pairs) > 1:
        rows.append(speedup_row(measured, "PySCF", pairs[0], pairs[-1], _STATISTIC, of="threads"))
    return rows


def atoms_of(molecules: int) -> list[tuple[float, float, float]]:
    """Where the atoms of the proxy are, atomic units."""
    edge = 1
    while edge**3 < molecules:
        edge += 1
    atoms = []
    for number in range(molecules):
        height = 2 * _uniform(2 * number) - 1
        angle = 2 * math.pi * _uniform(2 * number + 1)
        across = math.sqrt(1 - height * height)
        axis = across * math.cos(angle), across * math.sin(angle), height
        place = number % edge, number // edge % edge, number // edge**2
        for side in (-0.5, 0.5):
            x, y, z = (
                SPACING * center + side * BOND * along
                for center, along in zip(place, axis, strict=True)
            )
            atoms.append((x, y, z))
    return atoms


def checked_rate(run: MatricesRun, threads: int) -> float:
    """Pairs of matrices per second of PySCF. Raises ContenderError for other molecules, or another
    number of threads."""
    if run.threads != threads:
        raise ContenderError(f"PySCF ran with {run.threads} threads, not {threads}")
    if run.functions != 2 * MOLECULES or abs(run.energy / ENERGY - 1) > 1e-7:
        raise ContenderError(
            f"other molecules than machmeter's: {run.functions} functions and {run.energy} "
            f"hartree, not {2 * MOLECULES} and {ENERGY}; try another release of PySCF"
        )
    return 1 / interquartile_mean(run.seconds)


def _ours(bench: Bench, threads: int) -> Contender:
    name = f"machmeter, {threads}"
    spec = one_point(
        SCF.name,
        {"molecules": MOLECULES, "iterations": ITERATIONS, "scaling": "strong"},
        Layout(threads_per_rank=threads),
        samples=SAMPLES,
        seconds=SECONDS,
        name=name,
    )

    def start(round_number: int) -> dict[str, float]:
        (point,) = bench.ours(bench.options.mpi).launch(spec, round_number)
        return {
            RATE: ITERATIONS / interquartile_mean(point.series["seconds"]),
            INTEGRALS: point.quantities["quartets"] / ITERATIONS,
        }

    return Contender(name, start)


def _pyscf(bench: Bench, python: str, threads: int) -> Contender:
    command = (python, str(SCRIPT), json.dumps(atoms_of(MOLECULES)), str(SAMPLES), str(SECONDS))

    def start(_round: int) -> dict[str, float]:
        text = bench.peers(bench.options.mpi).run_threads(command, threads)
        return {RATE: checked_rate(parse_matrices(text), threads)}

    return Contender(f"PySCF, {threads}", start)


def _uniform(number: int, seed: int = 1) -> float:
    """Between 0 and 1, as the proxy draws it (native/core/values/random_bits.hpp)."""
    start = _mixed((seed + _STEP) & _WORD)
    return float(_mixed((start + (number + 1) * _STEP) & _WORD) >> 11) / 2**53


def _mixed(value: int) -> int:
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _WORD
    return value ^ (value >> 31)
