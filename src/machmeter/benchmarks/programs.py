"""The programs that launches start: the one place that lists them."""

from __future__ import annotations

from machmeter.model.errors import UsageError
from machmeter.model.program import SIMULATOR, Program, Starter

NODE_PROGRAM = Program("machmeter-node", Starter.NONE, "compiler")
MPI_PROGRAM = Program("machmeter-mpi", Starter.MPIEXEC, "mpi")
SHMEM_PROGRAM = Program("machmeter-shmem", Starter.OSHRUN, "shmem")
# One process, and a device whose API it loads while it runs.
DEVICE_PROGRAM = Program("machmeter-device", Starter.NONE, "compiler")
# Benchmarks on a model of a machine.
SIMULATION_PROGRAM = Program(SIMULATOR, Starter.MODEL, "compiler")
# Any program of a user's: one process, ranks of MPI, or copies that an mpiexec starts.
USER_PROCESS = Program("user-process", Starter.NONE, "")
USER_RANKS = Program("user-ranks", Starter.MPIEXEC, "")
USER_COPIES = Program("user-copies", Starter.MPIEXEC, "")
PROGRAMS = {
    one.name: one
    for one in (
        NODE_PROGRAM,
        MPI_PROGRAM,
        SHMEM_PROGRAM,
        DEVICE_PROGRAM,
        SIMULATION_PROGRAM,
        USER_PROCESS,
        USER_RANKS,
        USER_COPIES,
    )
}


def find_program(name: str) -> Program:
    """The program of that name. Raises UsageError where this version has none."""
    if name not in PROGRAMS:
        raise UsageError(
            f"this version of machmeter has no program {name!r}",
            f"programs are {', '.join(PROGRAMS)}",
        )
    return PROGRAMS[name]
