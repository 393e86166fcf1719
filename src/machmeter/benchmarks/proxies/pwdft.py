"""Plane-wave states: the Hamiltonian of density-functional codes and their subspace problems."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import APPLICATIONS_PER_SECOND

PWDFT = proxy(
    name="proxies.pwdft",
    title="Plane-wave states",
    summary="The lowest states of a Hamiltonian in plane waves, as PARATEC, MiniDFT and Quantum "
    "ESPRESSO find them (Davidson, J. Comp. Phys. 17, 1975): for each band two three-dimensional "
    "transforms with an exchange between all ranks, products of matrices of bands, and a small "
    "eigenproblem on one rank while the others wait. Transforms and back, the Hamiltonian by its "
    "waves, orthonormal states and falling energies are checked in every launch.",
    stands_for="density-functional codes: PARATEC, MiniDFT, Quantum ESPRESSO",
    parameters=(
        work(
            "grid",
            48,
            "points along each of three edges; plane waves reach a quarter of it",
            minimum=8,
            maximum=1024,
            multiple=4,
            bytes_each=64,
            power=3,
        ),
        work("bands", 16, "states that are sought", maximum=256),
        work("iterations", 8, "of Davidson's method", maximum=10_000),
        SCALING,
    ),
    unit=APPLICATIONS_PER_SECOND,
    amount="applications",
    counted_bytes="the grid once for each pass over it, bands once for each block of products",
)
