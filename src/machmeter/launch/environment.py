"""The caller's environment, as far as it may reach a launch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from machmeter.build.loaded_libraries import found_in, library_environment
from machmeter.build.mpi import MpiInstall, mpi_environment

# How variables begin that may not reach a launch.
_OF_THREADS = ("OMP_", "GOMP_", "KMP_")
_OF_THE_LOADER = ("LD_PRELOAD",)
_OF_LAUNCHED = ("PMI_", "PMI2_", "PMIX_", "OMPI_COMM_WORLD_", "MPI_LOCAL")
# Slurm, PBS, LSF, Flux, Cobalt, PALS, LoadLeveler, Grid Engine; what hydra is told by its user.
_OF_ALLOCATIONS = (
    *("SLURM", "SRUN_", "PBS_", "LSB_", "FLUX_", "COBALT_", "PALS_", "LOADL_", "PE_HOSTFILE"),
    *("HYDRA_HOST_FILE", "HYDRA_RMK", "HYDRA_LAUNCHER"),
)
# Where the loader looks in any case.
_SYSTEM = ("/usr", "/usr/local")
_FOREIGN = (*_OF_LAUNCHED, *_OF_ALLOCATIONS, "MACHMETER_PROGRESS")


def launch_environment(
    caller: Mapping[str, str],
    mpi: MpiInstall | None,
    of_launcher: Mapping[str, str] | None = None,
    *,
    ours: bool = True,
) -> dict[str, str]:
    """The caller's environment without what would steer threads, replace libraries, pose as a
    launcher or steer one.

    OMP_*, GOMP_* and KMP_* come from the layout alone, and so does LD_PRELOAD, which could replace
    the allocator; the variables by which a surrounding MPI or batch step marks its processes would
    make ours believe that they are its ranks; those of a batch system's allocation would make
    mpiexec start ranks on all its nodes, through the batch system. of_launcher: what the launcher
    needs of them all the same; ours: whether the program is one of ours, for any other
    keeps what its user sets for threads and loader.
    """
    foreign = (*_FOREIGN, *_OF_THREADS, *_OF_THE_LOADER) if ours else _FOREIGN
    kept = {name: value for name, value in caller.items() if not name.startswith(foreign)}
    kept |= of_launcher or {}
    if mpi is None:
        return kept
    made = mpi_environment(kept, mpi.prefix)
    if ours or mpi.prefix in _SYSTEM:
        return made
    # A program that loads an MPI while it runs shall find that of its launcher.
    return made | library_environment((found_in(Path(mpi.prefix, "lib")),), made)
