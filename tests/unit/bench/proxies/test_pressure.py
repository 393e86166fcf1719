"""What OpenFOAM prints of its solves, and the case that it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.comparisons.proxies.pressure import (
    CELLS,
    FEW,
    MANY,
    STEPS,
    check_solves,
    iteration_rate,
)
from bench.comparisons.proxies.pressure_case import write_case, write_iterations
from bench.rounds import ContenderError

PRINTED = """\
nProcs : 1

Time = 1

diagonalPCG:  Solving for T, Initial residual = 1, Final residual = 1.7e-20, No Iterations 50
ExecutionTime = 1.65 s  ClockTime = 1 s

Time = 2

diagonalPCG:  Solving for T, Initial residual = 0.17, Final residual = 2.1e-21, No Iterations 50
ExecutionTime = 2.37 s  ClockTime = 2 s

End
"""


def test_the_solves_of_all_steps_are_accepted() -> None:
    check_solves(PRINTED, FEW, 1)


@pytest.mark.parametrize(
    ("output", "iterations", "ranks"),
    [
        (PRINTED, FEW, 2),
        (PRINTED, MANY, 1),
        (PRINTED.replace("diagonalPCG", "DICPCG"), FEW, 1),
        (PRINTED[: PRINTED.index("Time = 2")], FEW, 1),
    ],
)
def test_another_solve_is_refused(output: str, iterations: int, ranks: int) -> None:
    with pytest.raises(ContenderError):
        check_solves(output, iterations, ranks)


def test_the_rate_is_of_the_iterations_that_one_solve_has_more() -> None:
    assert iteration_rate(0.5, 1.5) == CELLS**3 * STEPS * (MANY - FEW)
    with pytest.raises(ContenderError):
        iteration_rate(1.0, 1.0)


def test_a_case_has_its_cells_ranks_and_iterations(tmp_path: Path) -> None:
    write_case(tmp_path / "case", 12, 2, 2)
    write_iterations(tmp_path / "case", 7)
    system = tmp_path / "case/system"
    assert "(12 12 12)" in (system / "blockMeshDict").read_text()
    assert "n (1 1 2)" in (system / "decomposeParDict").read_text()
    assert "minIter 7; maxIter 7;" in " ".join((system / "fvSolution").read_text().split())
