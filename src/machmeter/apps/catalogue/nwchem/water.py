"""Write the input of NWChem for a row of molecules of water: water.nw.

water.py MOLECULES
"""

from __future__ import annotations

import sys
from pathlib import Path

MOLECULE = (("O", 0.0, 0.0, 0.0), ("H", 0.758, 0.0, 0.504), ("H", 0.26, 0.0, -0.872))
INPUT = """\
title "Molecules of water"
memory total 800 mb
geometry units angstrom noautosym
{atoms}
end
basis spherical
  * library aug-cc-pvdz
end
task mp2
"""

atoms = (
    f"  {name} {x + 3 * i:.3f} {y + 0.5 * i:.3f} {z:.3f}"
    for i in range(int(sys.argv[1]))
    for name, x, y, z in MOLECULE
)
Path("water.nw").write_text(INPUT.format(atoms="\n".join(atoms)), encoding="ascii")
