"""What was made ready to be started: a program of each variant, and the MPI that starts it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import WRAPPER
from machmeter.model.plan.launch import LaunchSpec


class ReadyProgram(Struct, frozen=True):
    """A program that is there to be started."""

    path: str
    """The path of its file; the binding wrapper is beside it."""
    mpi: MpiInstall | None = None
    """What starts its ranks: for programs of OpenSHMEM its `mpiexec` is oshrun."""

    @property
    def wrapper(self) -> str:
        """The path of the binding wrapper."""
        return str(Path(self.path).with_name(WRAPPER))


Ready = Mapping[tuple[str, str], ReadyProgram]
"""By the name of a variant and the name of the program that its launches start, see `ready_key`."""


def ready_key(spec: LaunchSpec) -> tuple[str, str]:
    """Under which the program of a launch is ready: programs of users by the MPI that starts them
    too, where that is one of their own."""
    by = f" by {spec.own_mpi}" if spec.own_mpi else ""
    return spec.variant.name, f"{spec.program}{by}"
