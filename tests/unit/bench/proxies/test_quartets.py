"""What is read of PySCF, and that both have the same molecules."""

from __future__ import annotations

import json
import math

import pytest
from msgspec.structs import replace

from bench.comparisons.proxies.quartets import (
    BOND,
    ENERGY,
    MOLECULES,
    QUARTETS,
    atoms_of,
    checked_rate,
)
from bench.parsers import MatricesRun, parse_matrices
from bench.rounds import ContenderError

GOOD = MatricesRun((0.02, 0.02), 1, 2 * MOLECULES, ENERGY)


def test_the_last_line_of_pyscf_is_read() -> None:
    line = {"seconds": [0.02, 0.02], "threads": 1, "functions": 32, "energy": ENERGY}
    assert parse_matrices("a warning\n" + json.dumps(line)) == GOOD
    assert checked_rate(GOOD, 1) == pytest.approx(QUARTETS / 0.02)


@pytest.mark.parametrize(
    "run", [replace(GOOD, threads=2), replace(GOOD, functions=30), replace(GOOD, energy=ENERGY / 2)]
)
def test_another_calculation_is_refused(run: MatricesRun) -> None:
    with pytest.raises(ContenderError):
        checked_rate(run, 1)


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
