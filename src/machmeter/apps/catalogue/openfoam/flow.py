"""Write the case of a flow for OpenFOAM: flow.py cavity|step CELLS STEPS ITERATIONS|TOLERANCE.

cavity: a cube of CELLS x CELLS x CELLS cells with a moving lid. step: a channel in two dimensions
that widens to twice its height behind a step, which is CELLS high. Every time step solves for
pressure twice: with so many iterations each, or, where it is below 1, to that residual.
"""

from __future__ import annotations

import sys
from pathlib import Path

SHAPE, CELLS, STEPS, GOAL = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
MOVING, STILL = (f"fixedValue; value uniform ({x} 0 0)" for x in (1, 0))
FREE, EMPTY = "zeroGradient", "empty"
# Of each block: its corners in front, and its cells. Of each patch: its kind, its faces, velocity
# and pressure there.
if SHAPE == "cavity":
    SCALE, TIME_STEP = 0.1, 1e-4
    CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
    BLOCKS = {(0, 1, 2, 3): (CELLS, CELLS, CELLS)}
    PATCHES = {
        "lid": ("wall", "(3 7 6 2)", MOVING, FREE),
        "walls": ("wall", "(0 4 7 3) (2 6 5 1) (1 5 4 0) (0 3 2 1) (4 5 6 7)", STILL, FREE),
    }
else:
    SCALE, TIME_STEP = 1, 0.5 / CELLS
    CORNERS = ((0, 0), (20, 0), (-4, 1), (0, 1), (20, 1), (-4, 2), (0, 2), (20, 2))
    LONG = (10 * CELLS, CELLS, 1)
    BLOCKS = {(2, 3, 6, 5): (2 * CELLS, CELLS, 1), (0, 1, 4, 3): LONG, (3, 4, 7, 6): LONG}
    SIDES = "(2 3 6 5) (0 1 4 3) (3 4 7 6) (10 11 14 13) (8 9 12 11) (11 12 15 14)"
    PATCHES = {
        "inlet": ("patch", "(2 10 13 5)", MOVING, FREE),
        "outlet": ("patch", "(1 4 12 9) (4 7 15 12)", FREE, "fixedValue; value uniform 0"),
        "walls": ("wall", "(2 3 11 10) (0 8 11 3) (0 1 9 8) (5 13 14 6) (6 14 15 7)", STILL, FREE),
        "sides": (EMPTY, SIDES, EMPTY, EMPTY),
    }
CONTROL = f"""startFrom startTime; startTime 0; stopAt endTime; endTime {STEPS * TIME_STEP:.10g};
deltaT {TIME_STEP:.10g}; writeControl timeStep; writeInterval 1000000;"""
SCHEMES = """ddtSchemes { default Euler; } gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; } snGradSchemes { default orthogonal; }"""
FIXED = f"tolerance 0; relTol 0; minIter {GOAL:g}; maxIter {GOAL:g};"
UNTIL = FIXED if GOAL >= 1 else f"tolerance {GOAL:g}; relTol 0;"
SOLUTION = f"""solvers {{
    "p.*" {{ solver PCG; preconditioner DIC; {UNTIL} }}
    U {{ solver smoothSolver; smoother symGaussSeidel; tolerance 1e-6; relTol 0; }}
}}
PISO {{ nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }}"""
# For each launch, with its ranks: its braces are doubled, and so are those of its header.
DECOMPOSITION = """numberOfSubdomains {ranks}; method simple;
simpleCoeffs {{ n ({columns} {rows} 1); delta 0.001; }}"""


def listed(numbers: tuple[int, ...]) -> str:
    return f"({' '.join(map(str, numbers))})"


def block(front: tuple[int, ...], cells: tuple[int, ...]) -> str:
    corners = (*front, *(one + len(CORNERS) for one in front))
    return f"hex {listed(corners)} {listed(cells)} simpleGrading (1 1 1)"


def mesh() -> str:
    vertices = " ".join(listed((*one, z)) for z in (0, 1) for one in CORNERS)
    blocks = " ".join(block(*one) for one in BLOCKS.items())
    patches = (f"{k} {{ type {one[0]}; faces ({one[1]}); }}" for k, one in PATCHES.items())
    return (
        f"scale {SCALE}; vertices ({vertices}); blocks ({blocks}); boundary ({' '.join(patches)});"
    )


def field(dimensions: str, start: str, which: int) -> str:
    edges = " ".join(f"{name} {{ type {one[which]}; }}" for name, one in PATCHES.items())
    return f"dimensions [{dimensions}]; internalField uniform {start}; boundaryField {{ {edges} }}"


def write(path: str, text: str, kind: str = "dictionary") -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    header = f"FoamFile {{ version 2.0; format ascii; class {kind}; object {file.name}; }}\n"
    doubled = header.replace("{", "{{").replace("}", "}}")
    file.write_text((doubled if "{{" in text else header) + text + "\n", encoding="ascii")


write("0/U", field("0 1 -1 0 0 0 0", "(0 0 0)", 2), "volVectorField")
write("0/p", field("0 2 -2 0 0 0 0", "0", 3), "volScalarField")
write("constant/transportProperties", "nu [0 2 -1 0 0 0 0] 0.01;")
write("system/blockMeshDict", mesh())
write("system/controlDict", CONTROL)
write("system/fvSchemes", SCHEMES)
write("system/fvSolution", SOLUTION)
write("system/decomposeParDict", DECOMPOSITION)
