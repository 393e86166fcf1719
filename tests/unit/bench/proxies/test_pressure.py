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
    tool_next_to,
)
from bench.comparisons.proxies.pressure_case import write_case, write_iterations
from bench.rounds import ContenderError

# Of this case on one rank.
PRINTED = """\
Build  : OPENFOAM=1912 patch=200626
Arch   : "LSB;label=32;scalar=64"
nProcs : 1

Time = 1

diagonalPCG:  Solving for T, Initial residual = 1, Final residual = 0.0477946, No Iterations 50
ExecutionTime = 1.68 s  ClockTime = 2 s

Time = 2

diagonalPCG:  Solving for T, Initial residual = 0.071961, \
Final residual = 0.0362593, No Iterations 50
ExecutionTime = 2.39 s  ClockTime = 2 s

End
"""


def test_the_solves_of_all_steps_are_accepted() -> None:
    check_solves(PRINTED, FEW, 1)
    without_arch = PRINTED.replace("Arch", "")
    check_solves(without_arch, FEW, 1)


@pytest.mark.parametrize(
    ("output", "iterations", "ranks"),
    [
        (PRINTED, FEW, 2),
        (PRINTED, MANY, 1),
        (PRINTED.replace("diagonalPCG", "DICPCG"), FEW, 1),
        (PRINTED[: PRINTED.index("Time = 2")], FEW, 1),
        (PRINTED.replace("scalar=64", "scalar=32"), FEW, 1),
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


def test_tools_are_looked_for_beside_the_given_program_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, names in (("given", ("blockMesh",)), ("path", ("blockMesh", "decomposePar"))):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    solver = str(tmp_path / "given/laplacianFoam")
    assert tool_next_to(solver, "blockMesh") == str(tmp_path / "given/blockMesh")
    assert tool_next_to(solver, "decomposePar") == str(tmp_path / "path/decomposePar")
    assert tool_next_to(solver, "foamRun") == ""
