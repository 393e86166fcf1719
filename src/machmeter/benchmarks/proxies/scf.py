"""Direct Hartree-Fock: integrals in tasks from a shared counter, as GAMESS computes them."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import QUARTETS_PER_SECOND

SCF = proxy(
    name="proxies.scf",
    title="Direct Hartree-Fock",
    summary="Restricted Hartree-Fock, on which GAMESS spends its time (Roothaan, Rev. Mod. Phys. "
    "23, 1951), direct: hydrogen molecules on a grid, two s functions of three Gaussians each; in "
    "every iteration all integrals of four functions that Schwarz's inequality does not rule out, "
    "in tasks that ranks take from a counter in a window of rank 0; threads share a rank's tasks, "
    "all ranks add up the Fock matrix, and each finds the next density. Tasks, elements of the "
    "Fock matrix, electrons and energies are checked in every launch.",
    stands_for="quantum chemistry: GAMESS, NWChem",
    parameters=(
        work("molecules", 16, "of two atoms", maximum=20_000, bytes_each=300, power=2),
        work("iterations", 4, "Fock matrices built"),
        SCALING,
    ),
    unit=QUARTETS_PER_SECOND,
    amount="quartets",
    counted_bytes="a pair once for each other one that it is combined with, from cache",
)
