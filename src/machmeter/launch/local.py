"""Launches on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.launch.command import launch_command, launch_environment
from machmeter.launch.libraries import Libraries, library_settings, linked_runtime
from machmeter.launch.process import ProcessResult, run_process
from machmeter.model.benchmark import Executable
from machmeter.model.launch import Launch, LaunchSpec
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
    """Starts node programs directly and MPI programs through the MPI's own mpiexec.

    libraries: what layouts may name in the place of what programs are linked with (None: nothing).
    """

    def __init__(
        self,
        programs: Programs,
        mpi: MpiInstall | None,
        environment: Mapping[str, str],
        libraries: Libraries | None = None,
    ) -> None:
        self._programs = programs
        self._mpi = mpi
        self._environment = launch_environment(environment, mpi)
        self._libraries = libraries or Libraries(Path())
        self._linked: dict[Executable, str] = {}

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Run one launch to its end.

        Raises MachineLacksError where it needs an MPI and there is none, or libraries that cannot
        be had (`library_settings` in `launch/libraries.py`).
        """
        settings = self._library_settings(launch.spec)
        command = launch_command(launch, self._programs, self._mpi, record, settings)
        result = run_process(command, self._environment, limit_seconds)
        return Attempt(tuple(map(readable, command)), result)

    def linked_runtime(self, executable: Executable) -> str:
        """The OpenMP runtime that a program is linked with (`launch.libraries.linked_runtime`)."""
        if executable not in self._linked:
            program = self._programs.path(executable)
            self._linked[executable] = linked_runtime(program, self._environment)
        return self._linked[executable]

    def _library_settings(self, spec: LaunchSpec) -> dict[str, str]:
        # Most launches name no runtime, and need not ask for the one they have.
        linked = self.linked_runtime(spec.executable) if spec.layout.openmp else ""
        return library_settings(spec.layout, linked, self._libraries, self._environment)
