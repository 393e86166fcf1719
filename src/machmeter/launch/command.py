"""The command line of one launch: mpiexec, the binding wrapper, the native program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.launch.hosts import THIS_HOST, Hosts, placing_options
from machmeter.launch.slurm import step_environment
from machmeter.launch.toolset import Toolset
from machmeter.layout.environment import idle_environment, omp_environment, progress_environment
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.launch import Launch

# What each family tells a process of its place among the processes of its node.
LOCAL_RANK_VARIABLE = {"mpich": "MPI_LOCALRANKID", "openmpi": "OMPI_COMM_WORLD_LOCAL_RANK"}

# How variables begin that may not reach a launch.
_OF_THREADS = ("OMP_", "GOMP_", "KMP_", "MACHMETER_PROGRESS")
_OF_THE_LOADER = ("LD_PRELOAD",)
_OF_LAUNCHED = ("PMI_", "PMI2_", "PMIX_", "OMPI_COMM_WORLD_", "MPI_LOCAL")
# Slurm, PBS, LSF, Flux, Cobalt, PALS, LoadLeveler, Grid Engine; what hydra is told by its user.
_OF_ALLOCATIONS = (
    *("SLURM", "SRUN_", "PBS_", "LSB_", "FLUX_", "COBALT_", "PALS_", "LOADL_", "PE_HOSTFILE"),
    *("HYDRA_HOST_FILE", "HYDRA_RMK", "HYDRA_LAUNCHER"),
)


def launch_command(
    launch: Launch,
    tools: Toolset,
    record: Path,
    *,
    hosts: Hosts = THIS_HOST,
    libraries: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The argument list that starts `launch` and lets it write `record`.

    libraries: variables that put other libraries in the place of those linked
    (`library_settings` in `launch/libraries.py`). The wrapper sets them: they are for the measured
    program, not for the launcher around it. environment: that of the launch; what it says of MPI
    counts, and goes to other hosts too.

    Raises MachineLacksError when the launch needs an MPI and there is none, or more hosts than
    were named.
    """
    programs, mpi, layout = tools.programs, tools.mpi, launch.spec.layout
    program = (programs.path(launch.spec.executable), *_program_arguments(launch, record))
    given = environment or {}
    settings = dict(libraries or {})
    if launch.spec.executable is Executable.NODE:
        return (programs.bind, *_rank_blocks(launch, settings), "--", *program)
    if mpi is None or not programs.has_mpi:
        raise MachineLacksError(
            f"{launch.spec.benchmark} needs an MPI", "name one with --mpi mpich | openmpi | PREFIX"
        )
    idle = idle_environment(mpi.family, layout, launch.assignment)
    settings |= {name: value for name, value in idle.items() if name not in given}
    return (
        # The wrapper around mpiexec lets it end when machmeter is killed.
        *(programs.bind, "--rank", "none", "--"),
        *(mpi.mpiexec, *placing_options(mpi, layout, hosts, given), "-n", str(layout.ranks)),
        *(programs.bind, "--local-rank-from", LOCAL_RANK_VARIABLE[mpi.family]),
        *(*_rank_blocks(launch, settings), "--", *program),
    )


def _rank_blocks(launch: Launch, settings: Mapping[str, str]) -> tuple[str, ...]:
    words: list[str] = []
    for rank, rank_cpus in enumerate(launch.assignment.cpus):
        cpus = sorted({cpu for thread in rank_cpus for cpu in thread})
        words += ["--rank", ",".join(map(str, cpus)) or "none"]
        own = omp_environment(launch.spec.layout, rank_cpus) | dict(settings)
        own |= progress_environment(launch.assignment, rank)
        words += [f"{name}={value}" for name, value in sorted(own.items())]
    return tuple(words)


def _program_arguments(launch: Launch, record: Path) -> tuple[str, ...]:
    spec = launch.spec
    points = [word for point in spec.points for word in ("--point", point.parameter_text)]
    return (
        *(spec.benchmark, "--record", str(record)),
        *("--launch", str(launch.number), "--seed", str(launch.seed)),
        *("--page-bytes", str(spec.layout.page_bytes)),
        *("--samples", str(spec.samples)),
        *("--seconds-per-point", f"{spec.seconds_per_point:g}"),
        *points,
    )


def launch_environment(
    environment: Mapping[str, str], mpi: MpiInstall | None, *, by_slurm: bool = False
) -> dict[str, str]:
    """The caller's environment without what would steer threads, replace libraries, pose as a
    launcher or steer one.

    OMP_*, GOMP_* and KMP_* come from the layout alone, and so does LD_PRELOAD, which could replace
    the allocator; the variables by which a surrounding MPI or batch step marks its processes would
    make ours believe that they are its ranks; those of a batch system's allocation would make
    mpiexec start ranks on all its nodes, through the batch system. by_slurm: just that is wanted,
    through Slurm, with what `step_environment` tells its steps.
    """
    foreign = (*_OF_THREADS, *_OF_THE_LOADER, *_OF_LAUNCHED, *_OF_ALLOCATIONS)
    kept = {name: value for name, value in environment.items() if not name.startswith(foreign)}
    if by_slurm:
        kept |= step_environment(environment)
    return mpi_environment(kept, mpi.prefix) if mpi else kept
