"""Launches on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.launch.command import launch_command, launch_environment
from machmeter.launch.process import ProcessResult, run_process
from machmeter.model.launch import Launch
from machmeter.model.text import readable


class Attempt(Struct, frozen=True):
    """A launch as it was started, in words that can be written, and what became of the process."""

    command: tuple[str, ...]
    result: ProcessResult


class Launcher(Protocol):
    """Starts launches: on this machine, or through a batch system."""

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Run one launch to its end, at most `limit_seconds`."""
        ...


class LocalLauncher:
    """Starts node programs directly and MPI programs through the MPI's own mpiexec."""

    def __init__(
        self, programs: Programs, mpi: MpiInstall | None, environment: Mapping[str, str]
    ) -> None:
        self._programs = programs
        self._mpi = mpi
        self._environment = launch_environment(environment, mpi)

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Run one launch to its end. Raises MachineLacksError where it needs an MPI and none is."""
        command = launch_command(launch, self._programs, self._mpi, record)
        result = run_process(command, self._environment, limit_seconds)
        return Attempt(tuple(map(readable, command)), result)
