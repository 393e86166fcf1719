"""The options of an MPI's mpiexec: hydra's (MPICH and its kin) and Open MPI's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from machmeter.build.mpi import MpiInstall
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult, run_process
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Binding, Layout

# What each family tells a process of its place among the processes of its node.
LOCAL_RANK_VARIABLE = {"mpich": "MPI_LOCALRANKID", "openmpi": "OMPI_COMM_WORLD_LOCAL_RANK"}
# And among those of all nodes.
RANK_VARIABLE = {"mpich": "PMI_RANK", "openmpi": "OMPI_COMM_WORLD_RANK"}

ALLOW_ROOT = "--allow-run-as-root"
"""An option of Open MPI's mpiexec alone, without which it does nothing for root."""

# Libraries below MPI that their own variables steer; Open MPI hands only its own to other hosts.
_STEERING = ("FI_", "UCX_", "PSM2_", "PSM3_", "LD_LIBRARY_PATH", "MALLOC_", "GLIBC_TUNABLES")


class MpiexecLauncher:
    """Implements `HostLauncher` by an mpiexec whose daemons get to other hosts by some means."""

    name = ""
    in_job = False

    def hydra(self, hosts: Hosts) -> tuple[str, ...]:
        """Options of hydra that say by which means."""
        raise NotImplementedError

    def open_mpi(self, mpi: MpiInstall, hosts: Hosts) -> tuple[str, ...]:
        """Options of Open MPI that say by which means."""
        del mpi, hosts
        return ()

    def allocation(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """None: it surrounds no run with a job."""
        del environment
        raise MachineLacksError(f"{self.name} has no job around this run", "name hosts by --hosts")

    def step_on(
        self, host: str, environment: Mapping[str, str], *, terminal: bool
    ) -> tuple[tuple[str, ...], dict[str, str]] | None:
        """None: it has no job."""
        del host, environment, terminal
        return None

    def hosts_without(
        self, path: Path, hosts: Sequence[str], environment: Mapping[str, str]
    ) -> tuple[str, ...]:
        """None: its launches say so."""
        del path, hosts, environment
        return ()

    def command(
        self, mpi: MpiInstall, layout: Layout, hosts: Hosts, variables: Iterable[str]
    ) -> tuple[str, ...]:
        """mpiexec with options that put ranks on the first hosts, in blocks."""
        names = _first_hosts(layout, hosts)
        if mpi.family == "openmpi":
            slots = ",".join(f"{name}:{layout.ranks_per_node}" for name in names)
            # With leave to share cores Open MPI binds to none by itself.
            shared = ("--map-by", "slot:OVERSUBSCRIBE")
            placed = (
                *("--host", slots, *(() if layout.binding is Binding.DEFAULT else shared)),
                *self.open_mpi(mpi, hosts),
                *(word for name in _handed_on(variables) for word in ("-x", name)),
            )
            return open_mpi_command(mpi, layout, placed)
        return hydra_command(
            mpi,
            layout,
            (
                *self.hydra(hosts),
                *("-hosts", ",".join(names), "-ppn", str(layout.ranks_per_node)),
            ),
        )

    def environment(self, caller: Mapping[str, str]) -> dict[str, str]:
        """None: it needs nothing of a batch system."""
        del caller
        return {}

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        limit_seconds: float,
        folder: str | None = None,
        most_kept: int = OUTPUT_TAIL,
        read_only: Sequence[Path] = (),
    ) -> ProcessResult:
        """Run the command to its end: daemons end with the mpiexec that started them."""
        return run_process(command, environment, limit_seconds, most_kept, folder, read_only)


def hydra_command(mpi: MpiInstall, layout: Layout, placed: Sequence[str]) -> tuple[str, ...]:
    """hydra's mpiexec, its own binding off unless nothing is to be set."""
    unbound = () if layout.binding is Binding.DEFAULT else ("-bind-to", "none")
    return (mpi.mpiexec, *placed, *unbound, "-n", str(layout.ranks))


def open_mpi_command(mpi: MpiInstall, layout: Layout, placed: Sequence[str]) -> tuple[str, ...]:
    """Open MPI's mpiexec or oshrun, its own binding off unless nothing is to be set."""
    unbound = () if layout.binding is Binding.DEFAULT else ("--bind-to", "none")
    return (mpi.mpiexec, ALLOW_ROOT, *unbound, *placed, "-n", str(layout.ranks))


def _handed_on(variables: Iterable[str]) -> list[str]:
    return sorted(name for name in variables if name.startswith(_STEERING))


def _first_hosts(layout: Layout, hosts: Hosts) -> tuple[str, ...]:
    if len(hosts.names) < layout.nodes:
        raise MachineLacksError(
            f"the layout needs {layout.nodes} nodes; hosts named: {len(hosts.names)}",
            "name as many with --hosts n1,n2, or --hosts slurm inside a Slurm job",
        )
    return hosts.names[: layout.nodes]
