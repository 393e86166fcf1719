"""Write the case of a lid-driven cavity of 48 x 48 x 48 cells for OpenFOAM.

Every time step solves for pressure twice, with 50 iterations each: the work is the same whatever
the number of ranks, whose preconditioners differ.
"""

from __future__ import annotations

from pathlib import Path

SIDE, STEPS, ITERATIONS = 48, 10, 50
HEADER = "FoamFile {{ version 2.0; format ascii; class {kind}; object {name}; }}\n"
FIELD = """\
dimensions [{dimensions}];
internalField uniform {start};
boundaryField {{ lid {{ {lid} }} walls {{ {walls} }} }}
"""
GRADIENT = "type zeroGradient;"
MESH = f"""\
scale 0.1;
vertices
(
    (0 0 0) (1 0 0) (1 1 0) (0 1 0)
    (0 0 1) (1 0 1) (1 1 1) (0 1 1)
);
blocks (hex (0 1 2 3 4 5 6 7) ({SIDE} {SIDE} {SIDE}) simpleGrading (1 1 1));
boundary
(
    lid {{ type wall; faces ((3 7 6 2)); }}
    walls {{ type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0) (0 3 2 1) (4 5 6 7)); }}
);
"""
CONTROL = f"""\
application icoFoam;
startFrom startTime;
startTime 0;
stopAt endTime;
endTime {STEPS * 1e-4:g};
deltaT 1e-4;
writeControl timeStep;
writeInterval 1000000;
"""
SCHEMES = """\
ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
"""
FIXED = f"tolerance 0; relTol 0; minIter {ITERATIONS}; maxIter {ITERATIONS};"
SOLUTION = f"""\
solvers
{{
    "p.*" {{ solver PCG; preconditioner DIC; {FIXED} }}
    U {{ solver smoothSolver; smoother symGaussSeidel; tolerance 1e-6; relTol 0; }}
}}
PISO {{ nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }}
"""
DECOMPOSITION = """\
numberOfSubdomains {ranks};
method simple;
simpleCoeffs {{ n ({rows} {columns} 1); delta 0.001; }}
"""


def write(path: str, kind: str, text: str) -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEADER.format(kind=kind, name=file.name) + text, encoding="ascii")


write(
    "0/U",
    "volVectorField",
    FIELD.format(
        dimensions="0 1 -1 0 0 0 0",
        start="(0 0 0)",
        lid="type fixedValue; value uniform (1 0 0);",
        walls="type fixedValue; value uniform (0 0 0);",
    ),
)
write(
    "0/p",
    "volScalarField",
    FIELD.format(dimensions="0 2 -2 0 0 0 0", start="0", lid=GRADIENT, walls=GRADIENT),
)
write("constant/transportProperties", "dictionary", "nu [0 2 -1 0 0 0 0] 0.01;\n")
write("system/blockMeshDict", "dictionary", MESH)
write("system/controlDict", "dictionary", CONTROL)
write("system/fvSchemes", "dictionary", SCHEMES)
write("system/fvSolution", "dictionary", SOLUTION)
# For each launch, with its ranks: braces of its own are doubled.
text = HEADER.format(kind="dictionary", name="decomposeParDict")
doubled = text.replace("{", "{{").replace("}", "}}")
Path("system/decomposeParDict").write_text(doubled + DECOMPOSITION, encoding="ascii")
