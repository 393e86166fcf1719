"""Launches on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.launch.command import launch_command, launch_environment
from machmeter.launch.hosts import THIS_HOST, Hosts
from machmeter.launch.libraries import Libraries, library_settings, linked_runtime
from machmeter.launch.process import ProcessResult, run_process
from machmeter.launch.slurm import end_steps, steps_of_job
from machmeter.launch.toolset import Toolset
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.launch import Launch, LaunchSpec
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


def _run_in_job(
    command: Sequence[str], environment: Mapping[str, str], limit_seconds: float
) -> ProcessResult:
    known, ended = steps_of_job(environment), False
    try:
        result = run_process(command, environment, limit_seconds)
        ended = not result.timed_out
    finally:
        if not ended:
            end_steps(environment, known)
    return result


class LocalLauncher:
    """Starts node programs directly, and MPI programs through the MPI's own mpiexec.

    libraries: what layouts may name in the place of what programs are linked with (None: nothing);
    hosts: where layouts of several nodes run; others: of several MPIs, each by the name by which
    layouts call it (`programs` and `mpi` serve layouts that name none); shmem: programs of
    OpenSHMEM.
    """

    def __init__(
        self,
        programs: Programs,
        mpi: MpiInstall | None,
        environment: Mapping[str, str],
        libraries: Libraries | None = None,
        *,
        hosts: Hosts = THIS_HOST,
        others: Mapping[str, Toolset] | None = None,
        shmem: Toolset | None = None,
    ) -> None:
        self._first = Toolset(programs, mpi)
        self._others = dict(others or {})
        self._shmem = shmem
        self._environment = dict(environment)
        self._hosts = hosts
        self._libraries = libraries or Libraries(Path())
        self._linked: dict[str, str] = {}

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Run one launch to its end.

        Raises MachineLacksError where it needs an MPI, OpenSHMEM or hosts that there are not, or
        libraries that cannot be had (`library_settings` in `launch/libraries.py`).
        """
        spec = launch.spec
        tools = self._tools(spec)
        by_slurm = self._hosts.by_slurm and spec.layout.nodes > 1
        environment = launch_environment(self._environment, tools.mpi, by_slurm=by_slurm)
        command = launch_command(
            launch,
            tools,
            record,
            hosts=self._hosts,
            libraries=self._library_settings(spec, tools, environment),
            environment=environment,
        )
        run = _run_in_job if by_slurm else run_process
        return Attempt(tuple(map(readable, command)), run(command, environment, limit_seconds))

    def linked_runtime(self, executable: Executable) -> str:
        """The OpenMP runtime that a program is linked with (`launch.libraries.linked_runtime`)."""
        environment = launch_environment(self._environment, self._first.mpi)
        return self._linked_runtime(executable, self._first, environment)

    def _tools(self, spec: LaunchSpec) -> Toolset:
        if spec.executable is Executable.SHMEM:
            if self._shmem is None:
                raise MachineLacksError(
                    f"{spec.benchmark} needs OpenSHMEM",
                    "install one with oshc++ and oshrun (Debian: libopenmpi-dev openmpi-bin)",
                )
            return self._shmem
        name = spec.layout.mpi
        if name and name not in self._others:
            known = ", ".join(self._others) or "none by name"
            raise MachineLacksError(
                f"the MPI {name} was not made ready; these were: {known}", f"pass --mpi {name}"
            )
        return self._others.get(name, self._first)

    def _linked_runtime(
        self, executable: Executable, tools: Toolset, environment: Mapping[str, str]
    ) -> str:
        program = tools.programs.path(executable)
        if program not in self._linked:
            self._linked[program] = linked_runtime(program, environment)
        return self._linked[program]

    def _library_settings(
        self, spec: LaunchSpec, tools: Toolset, environment: Mapping[str, str]
    ) -> dict[str, str]:
        # Most launches name no runtime, and need not ask for the one they have.
        wanted = spec.layout.openmp
        linked = self._linked_runtime(spec.executable, tools, environment) if wanted else ""
        return library_settings(spec.layout, linked, self._libraries, environment)
