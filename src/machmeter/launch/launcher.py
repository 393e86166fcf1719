"""Start launches, each by the program that was made ready for its variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.network.messages import ON_DEVICE
from machmeter.benchmarks.programs import DEVICE_PROGRAM, find_program
from machmeter.build.devices.selected import SELECTED, device_settings, selected_device
from machmeter.build.loaded_libraries import library_environment
from machmeter.launch.command import (
    check_command,
    command_of_launch,
    cpus_command,
    launch_command,
    launcher_for,
    line_command,
    on_nodes,
)
from machmeter.launch.environment import launch_environment, site_defaults
from machmeter.launch.files.given_files import GivenFiles
from machmeter.launch.job_lines import ShellWords
from machmeter.launch.launchers.hosts import THIS_HOST, Hosts
from machmeter.launch.launchers.local import LOCAL
from machmeter.launch.launchers.lost import lost_hosts
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.launch.libraries import Libraries, library_settings, linked_runtime
from machmeter.launch.observed import Running, run_observed
from machmeter.launch.preparing import prepare_launch
from machmeter.launch.process import ProcessResult
from machmeter.launch.ready import Ready, ReadyProgram, ready_key
from machmeter.layout.elsewhere import NodeCpus
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.model.plan.launch import Launch, LaunchSpec, LostHost
from machmeter.model.program import Starter
from machmeter.model.written.text import readable

_LACKING = {
    Starter.NONE: ("a program that was compiled", "start a new run, which compiles it"),
    Starter.MPIEXEC: ("an MPI", "name one with --mpi mpich | openmpi | PREFIX"),
    Starter.OSHRUN: (
        "OpenSHMEM",
        "install one with oshc++ and oshrun (Debian: libopenmpi-dev openmpi-bin)",
    ),
}


# Hosts that do not answer are found when a launch fails on them.
_ASK_SECONDS, _ASK_SECONDS_A_HOST, _ASK_BYTES_A_HOST = 60.0, 0.1, 16384


class _CpusSaid(Struct, frozen=True):
    """A line of the wrapper on a host."""

    rank: int
    cpus: tuple[int, ...]


def _cpus_said(line: str) -> _CpusSaid | None:
    """None for a line of something else."""
    try:
        return msgspec.json.decode(line, type=_CpusSaid)
    except msgspec.MsgspecError:
        return None


class Attempt(Struct, frozen=True):
    """A launch as it was started, and what became of the process."""

    command: tuple[str, ...]
    """Its argument list, every byte printable so that a file can hold it."""
    result: ProcessResult
    """What became of the process."""
    lost_hosts: tuple[LostHost, ...] = ()
    """Hosts that start nothing any more, where it failed."""


class Launcher(Protocol):
    """Starts launches."""

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Run one launch to its end, at most `limit_seconds`."""
        ...


def _with_site_defaults(result: ProcessResult, environment: Mapping[str, str]) -> ProcessResult:
    """The result of a launch that failed, with what may be the cause, since the layout sets
    nothing."""
    found = site_defaults(environment)
    line = f"\nmachmeter-launch: placement of ranks is set by {'; '.join(found)}\n"
    return replace(result, output=result.output + line) if found else result


class ProgramLauncher:
    """Implements `Launcher` by compiled programs.

    ready: the programs of each variant; libraries: what layouts may name in the place of what
    programs are linked with (None: nothing); hosts: where layouts of several nodes run; devices:
    those of the ranks of a node, whose messages are in their memory, of the run's own launches
    (False) and of its baseline's (True);
    notify: takes a line before something slow.
    """

    def __init__(
        self,
        ready: Ready,
        environment: Mapping[str, str],
        libraries: Libraries | None = None,
        *,
        hosts: Hosts = THIS_HOST,
        devices: Mapping[bool, Sequence[NamedDevice]] = MappingProxyType({}),
        notify: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._ready = dict(ready)
        self._environment = dict(environment)
        self._hosts = hosts
        self._libraries = libraries or Libraries(Path())
        self._linked: dict[str, str] = {}
        self._devices: dict[str, NamedDevice] = {}
        self._of_ranks = {of_baseline: tuple(these) for of_baseline, these in devices.items()}
        self._files = GivenFiles(notify)

    def start(
        self, launch: Launch, record: Path, limit_seconds: float, line: ShellWords | None = None
    ) -> Attempt:
        """Run one launch to its end; line: what starts it in the place of the launcher's own words,
        with the caller's environment as it is.

        Raises MachineLacksError where its program was not made ready, where it needs hosts that
        were not named or libraries that cannot be had (see `launch.libraries`), and
        where the disk takes no record.
        """
        spec = launch.spec
        # Programs run in folders of their own, where a relative path leads elsewhere.
        record = record.absolute()
        program = self._program(spec)
        launcher = launcher_for(spec.layout, self._hosts)
        environment = launch_environment(
            self._environment,
            program.mpi,
            launcher.environment(self._environment),
            ours=spec.is_ours,
            placed=spec.layout.is_placed,
            nodes=spec.layout.nodes,
        )
        if line is not None:
            environment = {**self._environment, **line.variables}
            command = line_command(
                launch, program, record, line.words, environment, line.local_rank
            )
        else:
            command = launch_command(
                launch,
                program,
                record,
                hosts=self._hosts,
                libraries=self._library_variables(spec, program, environment)
                | self._device_variables(launch, program, environment),
                environment=environment,
            )
        # What srun started is no child of it, and ends as a step of the job.
        runner = (
            LAUNCHERS[self._hosts.launcher] if line is not None and line.local_rank else launcher
        )
        run = partial(runner.run, command, environment, limit_seconds)
        if spec.command is None:
            result = run()
        else:
            given = (launch, spec.command, environment, limit_seconds, program.wrapper, record)
            prepare = partial(prepare_launch, *given)
            words, _ = command_of_launch(launch, spec.command)
            running = Running(words, run, prepare, is_local=runner.name == LOCAL)
            try:
                result = run_observed(launch, spec.command, record, running, self._files)
            except OSError as error:
                raise storage_error(error, record) from error
        if program.mpi is not None and not spec.layout.is_placed and result.exit_code != 0:
            result = _with_site_defaults(result, environment)
        lost: tuple[LostHost, ...] = ()
        if spec.layout.nodes > 1 and line is None and (result.exit_code or result.timed_out):
            lost = self._lost_hosts(launch, program, record, environment)
        return Attempt(tuple(map(readable, command)), result, lost)

    def cpus_of_hosts(self) -> tuple[NodeCpus, ...]:
        """Which CPUs programs may use on each of the hosts: where a batch system gives a job a part
        of a node, those of its part. A host that does not say it is left out."""
        program = next((one for one in self._ready.values() if one.mpi is not None), None)
        if program is None or program.mpi is None:
            return ()
        launcher, names = LAUNCHERS[self._hosts.launcher], self._hosts.names
        environment = launch_environment(
            *(self._environment, program.mpi, launcher.environment(self._environment)),
            nodes=len(names),
        )
        command = cpus_command(program.wrapper, program.mpi, self._hosts, environment)
        seconds = _ASK_SECONDS + _ASK_SECONDS_A_HOST * len(names)
        most = _ASK_BYTES_A_HOST * len(names)
        said = launcher.run(command, environment, seconds, most_kept=most).output
        return tuple(
            NodeCpus(one.rank, names[one.rank], one.cpus)
            for one in map(_cpus_said, said.splitlines())
            if one and 0 <= one.rank < len(names)
        )

    def _lost_hosts(
        self,
        launch: Launch,
        program: ReadyProgram,
        record: Path,
        environment: Mapping[str, str],
    ) -> tuple[LostHost, ...]:
        """Those of the hosts of a launch that start nothing in its layout."""
        if program.mpi is None:
            return ()
        mpi, launcher = program.mpi, launcher_for(launch.spec.layout, self._hosts)
        numbers = {name: number for number, name in enumerate(self._hosts.names)}
        at = record.with_name(f"{record.name}.hosts")

        def start(names: Sequence[str], seconds: float) -> ProcessResult:
            hosts = replace(self._hosts, names=tuple(names))
            these = on_nodes(launch, [numbers[name] for name in names])
            command = check_command(these, program, mpi, at, hosts, environment)
            try:
                return launcher.run(command, environment, seconds)
            finally:
                for left in at.parent.glob(f"{at.name}*"):
                    left.unlink(missing_ok=True)

        nodes = launch.spec.layout.nodes
        return lost_hosts(self._hosts.names[:nodes], start, self._hosts.names[nodes:])

    def _program(self, spec: LaunchSpec) -> ReadyProgram:
        program = self._ready.get(ready_key(spec))
        starter = find_program(spec.program).starter
        if program is not None and (program.mpi is not None or starter is Starter.NONE):
            return program
        what, remedy = _LACKING[starter]
        names = dict.fromkeys(name for name, program in self._ready if program == spec.program)
        if spec.variant.name and names:
            what += f" of the variant {spec.variant.name}; there are {', '.join(names)}"
        raise MachineLacksError(f"{spec.benchmark} needs {what}", remedy)

    def _library_variables(
        self, spec: LaunchSpec, program: ReadyProgram, environment: Mapping[str, str]
    ) -> dict[str, str]:
        # Most launches name no runtime, and need not look for the one they have.
        linked = ""
        if spec.layout.openmp:
            if program.path not in self._linked:
                self._linked[program.path] = linked_runtime(program.path, environment)
            linked = self._linked[program.path]
        settings = library_settings(spec, linked, self._libraries)
        return library_environment(settings, environment)

    def devices_of_ranks(self, spec: LaunchSpec) -> NamedDevice:
        """Of which each rank opens one that its node has; those of other nodes are named in the
        environment."""
        here = (one.select for one in self._of_ranks.get(spec.variant.is_baseline, ()))
        elsewhere = self._environment.get(SELECTED, "").split(",") if spec.layout.nodes > 1 else ()
        # A number is one of this node's.
        selects = ",".join(dict.fromkeys((*here, *(one for one in elsewhere if ":" in one))))
        return NamedDevice(selects, selects, Device("", selects))

    def _device_variables(
        self, launch: Launch, program: ReadyProgram, environment: Mapping[str, str]
    ) -> dict[str, str]:
        layout = launch.spec.layout
        if any(ON_DEVICE in point.parameters for point in launch.spec.points):
            of_ranks = self.devices_of_ranks(launch.spec)
            return device_settings(of_ranks, layout, self._libraries.cache, {})
        if launch.spec.program != DEVICE_PROGRAM.name:
            return {}
        device = launch.device or self._devices.get(program.path)
        if not device:
            named = self._environment.get(SELECTED, "")
            device = selected_device(program.path, environment, named)
            self._devices[program.path] = device
        return device_settings(device, layout, self._libraries.cache, self._environment)
