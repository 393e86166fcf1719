"""The launchers that there are, by name."""

from __future__ import annotations

from machmeter.launch.launchers.launcher import HostLauncher
from machmeter.launch.launchers.local import Local
from machmeter.launch.launchers.remote_shell import RemoteShell
from machmeter.launch.launchers.slurm import Slurm

_EVERY: tuple[HostLauncher, ...] = (Local(), RemoteShell(), Slurm())
LAUNCHERS: dict[str, HostLauncher] = {one.name: one for one in _EVERY}
