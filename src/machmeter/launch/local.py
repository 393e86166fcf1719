"""Launches on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from machmeter.launch.command import launch_command, launch_environment
from machmeter.launch.hosts import THIS_HOST, Hosts
from machmeter.launch.libraries import Libraries, library_settings, linked_runtime
from machmeter.launch.process import ProcessResult, run_process
from machmeter.launch.slurm import end_steps, steps_of_job
from machmeter.launch.toolset import Ready, Toolset
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

    ready: the programs of each variant; libraries: what layouts may name in the place of what
    programs are linked with (None: nothing); hosts: where layouts of several nodes run.
    """

    def __init__(
        self,
        ready: Ready,
        environment: Mapping[str, str],
        libraries: Libraries | None = None,
        *,
        hosts: Hosts = THIS_HOST,
    ) -> None:
        self._ready = dict(ready)
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

    def _tools(self, spec: LaunchSpec) -> Toolset:
        tools = self._ready.get((spec.variant.name, spec.executable))
        if tools is not None:
            return tools
        if spec.executable is Executable.SHMEM:
            raise MachineLacksError(
                f"{spec.benchmark} needs OpenSHMEM",
                "install one with oshc++ and oshrun (Debian: libopenmpi-dev openmpi-bin)",
            )
        known = ", ".join(dict.fromkeys(name for name, _ in self._ready if name)) or "none by name"
        raise MachineLacksError(
            f"no {spec.executable.value} was made ready for {spec.variant.name or spec.name}; "
            f"variants that were: {known}",
            f"pass --mpi {spec.variant.mpi or 'mpich'}",
        )

    def _library_settings(
        self, spec: LaunchSpec, tools: Toolset, environment: Mapping[str, str]
    ) -> dict[str, str]:
        # Most launches name no runtime, and need not ask for the one they have.
        linked = ""
        if spec.layout.openmp:
            program = tools.programs.path(spec.executable)
            if program not in self._linked:
                self._linked[program] = linked_runtime(program, environment)
            linked = self._linked[program]
        return library_settings(spec.layout, linked, self._libraries, environment)
