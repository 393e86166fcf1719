"""The caller's environment, as far as it may reach a launch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from machmeter.build.loaded_libraries import found_in, library_environment
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.store.files import read_regular

# How variables begin that may not reach a launch.
_OF_THREADS = ("OMP_", "GOMP_", "KMP_")
_OF_THE_LOADER = ("LD_PRELOAD",)
_OF_LAUNCHED = ("PMI_", "PMI2_", "PMIX_", "OMPI_COMM_WORLD_", "MPI_LOCAL")
_OF_DEVICES = ("CUDA_", "HIP_", "ROCR_", "OCL_ICD_", "POCL_", "ZE_", "MACHMETER_DEVICE")
# By which schedulers say which devices a job may use.
_ALLOWED_DEVICES = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
    # Where the server is that shares a device.
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_MPS_LOG_DIRECTORY",
)
# Slurm, PBS, LSF, Flux, Cobalt, PALS, LoadLeveler, Grid Engine; what hydra is told by its user.
_OF_ALLOCATIONS = (
    *("SLURM", "SRUN_", "PBS_", "LSB_", "FLUX_", "COBALT_", "PALS_", "LOADL_", "PE_HOSTFILE"),
    *("HYDRA_HOST_FILE", "HYDRA_RMK", "HYDRA_LAUNCHER"),
)
# By which users and sites say where ranks go: Open MPI 5 and 4, hydra, Intel MPI, MVAPICH2.
_OF_PLACEMENT = (
    *("PRTE_MCA_rmaps", "PRTE_MCA_hwloc_default", "PRTE_MCA_ras"),
    *("PRTE_MCA_prte_default_host", "OMPI_MCA_orte_default_host"),
    *("OMPI_MCA_rmaps", "OMPI_MCA_hwloc_base_binding", "OMPI_MCA_ras"),
    *("HYDRA_BINDING", "HYDRA_TOPOLIB", "I_MPI_PIN", "I_MPI_PERHOST"),
    *("MV2_CPU_", "MV2_ENABLE_AFFINITY", "MV2_HYBRID_BINDING"),
)
# Which network hydra's daemons use: none, where all ranks are on this machine.
_OF_NETWORK = ("HYDRA_IFACE",)
_FILES_OF_OPEN_MPI = (".prte/mca-params.conf", ".openmpi/mca-params.conf")
_IN_A_FILE = re.compile(r"(?m)^[ \t]*(?:rmaps|ras|hwloc)_\w+[ \t]*=.*$")
_LARGEST_FILE = 64 * 2**10
# Where the loader looks in any case.
_SYSTEM = ("/usr", "/usr/local")
_FOREIGN = (*_OF_LAUNCHED, *_OF_ALLOCATIONS, "MACHMETER_PROGRESS")


def launch_environment(
    caller: Mapping[str, str],
    mpi: MpiInstall | None,
    of_launcher: Mapping[str, str] | None = None,
    *,
    ours: bool = True,
    placed: bool = True,
    nodes: int = 2,
) -> dict[str, str]:
    """The caller's environment without what would steer threads, replace libraries, pose as a
    launcher or steer one.

    OMP_*, GOMP_* and KMP_* come from the layout alone, and so does LD_PRELOAD, which could replace
    the allocator, and what selects a device or steers its library; the variables by which a
    surrounding MPI or batch step marks its processes would make ours believe that they are its
    ranks; those of a batch system's allocation would make mpiexec start ranks on all its nodes,
    through the batch system. of_launcher: what the launcher
    needs of them all the same; ours: whether the program is one of ours, for any other
    keeps what its user sets for threads and loader; placed: whether the layout says where ranks go,
    which is then nobody else's to say; nodes: on how many they are.
    """
    foreign = (*_FOREIGN, *_OF_THREADS, *_OF_THE_LOADER, *_OF_DEVICES) if ours else _FOREIGN
    foreign += (*(_OF_PLACEMENT if placed else ()), *(_OF_NETWORK if nodes == 1 else ()))
    kept = {
        name: value
        for name, value in caller.items()
        if name in _ALLOWED_DEVICES or not name.startswith(foreign)
    }
    kept |= of_launcher or {}
    if mpi is None:
        return kept
    made = mpi_environment(kept, mpi.prefix)
    if ours or mpi.prefix in _SYSTEM:
        return made
    # A program that loads an MPI while it runs shall find that of its launcher.
    return made | library_environment((found_in(Path(mpi.prefix, "lib")),), made)


def thread_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What the caller sets for threads, by name; no launch of our programs gets it."""
    return {k: v for k, v in sorted(environment.items()) if k.startswith(_OF_THREADS)}


def site_defaults(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What users and sites set about the placement of ranks, as `NAME=VALUE`, and lines of the
    files that Open MPI reads: where nothing of a layout is set, a launch may fail for it."""
    named = [f"{k}={v}" for k, v in sorted(environment.items()) if k.startswith(_OF_PLACEMENT)]
    for name in _FILES_OF_OPEN_MPI:
        path = Path(environment.get("HOME", "/"), name)
        with suppress(OSError):
            text = read_regular(path, _LARGEST_FILE).decode("utf-8", errors="replace")
            named += [f"{path}: {line.strip()}" for line in _IN_A_FILE.findall(text)]
    return tuple(named)
