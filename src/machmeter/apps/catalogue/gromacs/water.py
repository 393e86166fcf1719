"""Write the topology and the parameters of GROMACS for a box of water: topol.top, water.mdp.

water.py STEPS
"""

from __future__ import annotations

import sys
from pathlib import Path

TOPOLOGY = """\
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"

[ system ]
Water

[ molecules ]
"""
# No thermostat: energy is conserved but for rounding and cutoffs.
PARAMETERS = {
    "integrator": "md",
    "dt": 0.002,
    "nsteps": int(sys.argv[1]),
    "cutoff-scheme": "Verlet",
    "coulombtype": "PME",
    "fourierspacing": 0.12,
    "verlet-buffer-tolerance": -1,
    "rlist": 1.0,
    "rcoulomb": 0.9,
    "rvdw": 0.9,
    "gen-vel": "yes",
    "gen-temp": 300,
    "gen-seed": 2008,
    "nstlist": 10,
    "nstlog": int(sys.argv[1]),
    "nstenergy": 100,
    "nstcalcenergy": 100,
    "nstxout-compressed": 0,
}

Path("topol.top").write_text(TOPOLOGY, encoding="ascii")
lines = (f"{name} = {value}\n" for name, value in PARAMETERS.items())
Path("water.mdp").write_text("".join(lines), encoding="ascii")
