"""Ranks on this machine alone."""

from __future__ import annotations

from collections.abc import Iterable

from machmeter.build.mpi import MpiInstall
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.launchers.mpiexec import MpiexecLauncher, hydra_command, open_mpi_command
from machmeter.model.layout import Binding, Layout

LOCAL = "local"


class Local(MpiexecLauncher):
    """Starts every rank here, whatever hosts were named."""

    name = LOCAL

    def command(
        self, mpi: MpiInstall, layout: Layout, hosts: Hosts, variables: Iterable[str]
    ) -> tuple[str, ...]:
        """mpiexec with options that keep it on this machine."""
        del hosts, variables
        if mpi.family == "openmpi":
            default = layout.binding is Binding.DEFAULT
            placed = () if default else ("--map-by", "slot:OVERSUBSCRIBE")
            return open_mpi_command(mpi, layout, placed)
        return hydra_command(mpi, layout, ("-launcher", "fork", "-hosts", "localhost"))
