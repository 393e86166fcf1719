"""The programs of one run under one MPI, and that MPI."""

from __future__ import annotations

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs


class Toolset(Struct, frozen=True):
    """Compiled programs and the MPI that they were compiled with (None: node programs alone).

    For programs of OpenSHMEM the `mpiexec` of that MPI is its oshrun.
    """

    programs: Programs
    mpi: MpiInstall | None
