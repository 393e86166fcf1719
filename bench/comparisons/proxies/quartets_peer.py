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

# Integrals that Schwarz's inequality bounds below it are left out, hartree.
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
    # As the proxy, PySCF is to leave out no integral for small elements of the density: it takes
    # all of them for 1, and they are not set again.
    screening.set_dm(density * 0 + 1, *integrals)
    screening.set_dm = _keep
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


def _keep(*_: object) -> None:
    """In place of what sets the density that integrals are screened by."""


if __name__ == "__main__":
    main(sys.argv[1:])
