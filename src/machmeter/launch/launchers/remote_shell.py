"""Ranks on other hosts through ssh, or another remote shell."""

from __future__ import annotations

from machmeter.build.mpi import MpiInstall
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.launchers.mpiexec import MpiexecLauncher
from machmeter.model.plan.study import SSH

# From version 5 on, PRRTE starts the processes, and has settings of its own.
_BEFORE_PRRTE = ("1", "2", "3", "4")


class RemoteShell(MpiexecLauncher):
    """Has mpiexec start its daemons by ssh, or by the remote shell that was named."""

    name = SSH

    def hydra(self, hosts: Hosts) -> tuple[str, ...]:
        """Before ssh hydra puts options of ssh, before rsh none."""
        if hosts.remote_shell:
            return ("-launcher", "rsh", "-launcher-exec", hosts.remote_shell)
        return ("-launcher", "ssh")

    def open_mpi(self, mpi: MpiInstall, hosts: Hosts) -> tuple[str, ...]:
        """Open MPI takes ssh unless it is given another."""
        if not hosts.remote_shell:
            return ()
        old = mpi.version.partition(".")[0] in _BEFORE_PRRTE
        setting = ("--mca", "plm_rsh_agent") if old else ("--prtemca", "plm_ssh_agent")
        return (*setting, hosts.remote_shell)
