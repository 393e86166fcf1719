"""Energy and forces of a molecule in water, generalized Born: forces that threads add up."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import PAIRS_PER_SECOND

BORN = code(
    name="codes.born",
    title="Molecule in water",
    summary="Energy and forces of a made-up round molecule in water, generalized Born (Still et "
    "al., J. Am. Chem. Soc. 112, 1990) with radii by pairwise descreening (Hawkins, Cramer and "
    "Truhlar, J. Phys. Chem. 100, 1996): three passes over a list of pairs within 12 angstroms, "
    "in double precision with standard functions; a pair counts once an evaluation. The sums of "
    "forces and moments, forces as slope of the energy, energy by plain formulas, an ion alone, "
    "and that all ways of adding forces agree are checked in every launch.",
    stands_for="molecular dynamics in implicit water: NAB and other programs of AmberTools",
    parameters=(
        Parameter(
            "atoms",
            ParameterKind.COUNT,
            (4000,),
            "of the molecule",
            minimum=20,
            maximum=1_000_000,
            bytes_each=1500,
            most_bytes_each=5600,
            counted=("atom", "atoms"),
            role=ParameterRole.WORK,
            grows=1,
        ),
        Parameter(
            "evaluations",
            ParameterKind.COUNT,
            (4,),
            "of energy and forces",
            minimum=1,
            maximum=100_000,
            counted=("evaluation", "evaluations"),
            role=ParameterRole.WORK,
        ),
        Parameter(
            "forces",
            ParameterKind.CHOICE,
            ("private",),
            "how threads add what a pair gives to both of its atoms: in arrays of their own, which "
            "are then summed over threads; by atomic additions; or each row its own half, with the "
            "work of a pair done twice",
            choices=("private", "atomic", "rows"),
            phrase="forces: {}",
        ),
        SCALED,
    ),
    unit=PAIRS_PER_SECOND,
    amount="pairs",
)
