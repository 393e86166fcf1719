"""Write the input of Quantum ESPRESSO for silicon: si.in.

silicon.py CELLS POINTS

CELLS x CELLS x CELLS cubic cells of eight atoms, the Brillouin zone on a mesh of POINTS in each
direction.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

CELLS, POINTS = int(sys.argv[1]), int(sys.argv[2])
SIDE = 10.26
"""Of a cell, bohr."""
ATOMS = (
    *((0, 0, 0), (2, 2, 0), (2, 0, 2), (0, 2, 2)),
    *((1, 1, 1), (3, 3, 1), (3, 1, 3), (1, 3, 3)),
)
"""In quarters of a cell."""

INPUT = f"""\
&control
  calculation = 'scf', prefix = 'si', pseudo_dir = '.', outdir = './out'
/
&system
  ibrav = 1, celldm(1) = {SIDE * CELLS:.2f}, nat = {len(ATOMS) * CELLS**3}, ntyp = 1
  ecutwfc = 24, nosym = .true.
/
&electrons
  conv_thr = 1e-8
/
ATOMIC_SPECIES
Si 28.086 Si.pz-vbc.UPF
K_POINTS automatic
{POINTS} {POINTS} {POINTS} 0 0 0
ATOMIC_POSITIONS crystal
"""

places = (
    (4 * i + a, 4 * j + b, 4 * k + c)
    for i, j, k in itertools.product(range(CELLS), repeat=3)
    for a, b, c in ATOMS
)
lines = (" ".join(("Si", *(f"{one / (4 * CELLS):.3f}" for one in place))) for place in places)
Path("si.in").write_text(INPUT + "\n".join(lines) + "\n", encoding="ascii")
