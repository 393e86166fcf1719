"""What is read of PySCF, and that both have the same molecules."""

from __future__ import annotations

import json
import math

import pytest
from msgspec.structs import replace

from bench.comparisons.proxies.by_ranks import RATE
from bench.comparisons.proxies.quartets import (
    BOND,
    ENERGY,
    INTEGRALS,
    MOLECULES,
    atoms_of,
    checked_rate,
    quartet_rows,
)
from bench.parsers import MatricesRun, parse_matrices
from bench.rounds import ContenderError, RoundResults

GOOD = MatricesRun((0.02, 0.02), 1, 2 * MOLECULES, ENERGY)


def test_the_last_line_of_pyscf_is_read() -> None:
    line = {"seconds": [0.02, 0.02], "threads": 1, "functions": 32, "energy": ENERGY}
    assert parse_matrices("a warning\n" + json.dumps(line)) == GOOD
    assert checked_rate(GOOD, 1) == pytest.approx(50)


@pytest.mark.parametrize(
    "run", [replace(GOOD, threads=2), replace(GOOD, functions=30), replace(GOOD, energy=ENERGY / 2)]
)
def test_another_calculation_is_refused(run: MatricesRun) -> None:
    with pytest.raises(ContenderError):
        checked_rate(run, 1)


def test_both_are_rated_by_the_integrals_that_the_proxy_counts() -> None:
    per_second = {"machmeter, 1": 60.0, "PySCF, 1": 40.0, "machmeter, 2": 90.0, "PySCF, 2": 60.0}
    figures = {
        name: {RATE: {n: rate * (1 + n / 1000) for n in range(3)}, INTEGRALS: {0: 1e5}}
        for name, rate in per_second.items()
    }
    one, two, speedup = quartet_rows((1, 2), RoundResults(figures, {}, 3))
    assert one.ratio == pytest.approx(1.5)
    assert two.ours.startswith("9.0")
    assert speedup.what == "speedup, 1 to 2 threads\n: PySCF"
    assert speedup.ratio == pytest.approx(1.0)


def test_output_without_times_is_refused() -> None:
    with pytest.raises(ValueError, match="times of matrices"):
        parse_matrices("Killed")
    with pytest.raises(ValueError, match="not above zero"):
        parse_matrices('{"seconds": [0.0], "threads": 1, "functions": 32, "energy": -17.0}')


def test_atoms_are_pairs_at_the_length_of_their_bond() -> None:
    atoms = atoms_of(MOLECULES)
    assert len(atoms) == 2 * MOLECULES
    for one, other in zip(atoms[::2], atoms[1::2], strict=True):
        assert math.dist(one, other) == pytest.approx(BOND)
    centers = [(a + b) / 2 for a, b in zip(*atoms[2:4], strict=True)]
    assert centers == pytest.approx([5.0, 0.0, 0.0])
