"""What was made ready to be started: the programs of each variant, and the MPI that starts them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.model.benchmark import Executable


class Toolset(Struct, frozen=True):
    """Compiled programs and the MPI that they were compiled with (None: node programs alone).

    For programs of OpenSHMEM the `mpiexec` of that MPI is its oshrun.
    """

    programs: Programs
    mpi: MpiInstall | None


Ready = Mapping[tuple[str, Executable], Toolset]
"""What was made ready, by the name of a variant and the program that a launch of it starts."""
