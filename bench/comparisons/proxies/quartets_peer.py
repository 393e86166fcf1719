"""Run by the user's Python: Coulomb and exchange matrices by PySCF, direct.

`ATOMS SAMPLES SECONDS`, ATOMS as JSON, in atomic units: hydrogen in a minimal basis. Prints JSON:
the energy, the functions, the threads, and the seconds of each pair of matrices.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Sequence

# Integrals below it, and elements of the density, are left out.
THRESHOLD = 1e-12


def main(arguments: Sequence[str]) -> None:
    """Time the matrices of the density that a calculation ends with."""
    atoms, samples, seconds = json.loads(arguments[0]), int(arguments[1]), float(arguments[2])
    pyscf, build = (importlib.import_module(name) for name in ("pyscf", "pyscf.scf._vhf"))
    molecule = pyscf.gto.M(atom=[("H", at) for at in atoms], unit="Bohr", basis="sto-3g", verbose=0)
    field = pyscf.scf.RHF(molecule)
    field.direct_scf_tol = THRESHOLD
    energy = field.kernel()
    density = field.make_rdm1()
    screening = field.init_direct_scf(molecule)
    integrals = molecule._atm, molecule._bas, molecule._env
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < samples and (len(times) < 3 or time.perf_counter() - began < seconds):
        begin = time.perf_counter()
        build.direct(density, *integrals, vhfopt=screening, hermi=1)
        times.append(time.perf_counter() - begin)
    found = {
        "seconds": times,
        "threads": int(pyscf.lib.num_threads()),
        "functions": int(molecule.nao),
        "energy": float(energy),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
