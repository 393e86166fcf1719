"""A case of OpenFOAM's laplacianFoam: a cube of cells with fixed values at its walls."""

from __future__ import annotations

from pathlib import Path

_HEAD = "FoamFile {{ version 2.0; format ascii; class {kind}; object {name}; }}\n"
_MESH = """\
scale 1; convertToMeters 1;
vertices ((0 0 0)(1 0 0)(1 1 0)(0 1 0)(0 0 1)(1 0 1)(1 1 1)(0 1 1));
blocks (hex (0 1 2 3 4 5 6 7) ({cells} {cells} {cells}) simpleGrading (1 1 1));
edges ();
boundary (walls {{ type patch; faces
    ((0 3 2 1)(4 5 6 7)(0 1 5 4)(2 3 7 6)(1 2 6 5)(0 4 7 3)); }});
"""
_CONTROL = """\
application laplacianFoam; startFrom startTime; startTime 0; stopAt endTime; endTime {steps};
deltaT 1; writeControl timeStep; writeInterval 1000; writeFormat binary; writePrecision 6;
timeFormat general; runTimeModifiable false;
"""
_SCHEMES = """\
ddtSchemes { default Euler; } gradSchemes { default Gauss linear; } divSchemes { default none; }
laplacianSchemes { default Gauss linear corrected; }
interpolationSchemes { default linear; } snGradSchemes { default corrected; }
"""
_SOLUTION = """\
solvers {{ T {{ solver PCG; preconditioner diagonal; tolerance 1e-30; relTol 0;
    minIter {iterations}; maxIter {iterations}; }} }}
SIMPLE {{ nNonOrthogonalCorrectors 0; }}
"""
_FIELD = """\
dimensions [0 0 0 1 0 0 0]; internalField uniform 273;
boundaryField { walls { type fixedValue; value uniform 300; } }
"""
_RANKS = (
    "numberOfSubdomains {ranks}; method simple; simpleCoeffs {{ n (1 1 {ranks}); delta 0.001; }}\n"
)
# The share of a cell's own value in a time step is small beside that of its faces, as in a pressure
# equation, so that the solve goes on converging.
_TRANSPORT = "DT DT [0 2 -1 0 0 0 0] 1;\n"


def write_case(folder: Path, cells: int, steps: int, ranks: int) -> None:
    """All files but the mesh: cells along an edge, in as many slabs as there are ranks."""
    for part in ("0", "constant", "system"):
        (folder / part).mkdir(parents=True)
    _write(folder / "system/blockMeshDict", _MESH.format(cells=cells))
    _write(folder / "system/controlDict", _CONTROL.format(steps=steps))
    _write(folder / "system/fvSchemes", _SCHEMES)
    _write(folder / "system/decomposeParDict", _RANKS.format(ranks=ranks))
    _write(folder / "constant/transportProperties", _TRANSPORT)
    _write(folder / "0/T", _FIELD, kind="volScalarField")
    write_iterations(folder, 1)


def write_iterations(folder: Path, iterations: int) -> None:
    """So many of each solve, whatever remains."""
    _write(folder / "system/fvSolution", _SOLUTION.format(iterations=iterations))


def _write(path: Path, text: str, kind: str = "dictionary") -> None:
    path.write_text(_HEAD.format(kind=kind, name=path.name) + text, encoding="ascii")
