"""The command line of one launch: what starts it, the binding wrapper, the native program."""

from __future__ import annotations

import shutil
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from machmeter.apps.placeholders import filled_for
from machmeter.benchmarks.network.system import STARTUP
from machmeter.build.mpi import MpiInstall
from machmeter.launch.launchers.hosts import THIS_HOST, Hosts
from machmeter.launch.launchers.launcher import HostLauncher
from machmeter.launch.launchers.local import LOCAL
from machmeter.launch.launchers.mpiexec import LOCAL_RANK_VARIABLE, RANK_VARIABLE
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.launch.observed import observed_file
from machmeter.launch.ready import ReadyProgram
from machmeter.layout.environment import (
    idle_environment,
    omp_environment,
    progress_environment,
    team_environment,
)
from machmeter.model.layout import Assignment, AssignmentElsewhere, Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, LaunchSpec
from machmeter.model.point import make_point

# What every host has that has programs at all.
_NO_MPI = "true"


def launcher_for(layout: Layout, hosts: Hosts) -> HostLauncher:
    """What starts ranks of that layout: one of a single node stays on this machine."""
    return LAUNCHERS[hosts.launcher] if layout.nodes > 1 else LAUNCHERS[LOCAL]


def launch_command(
    launch: Launch,
    program: ReadyProgram,
    record: Path,
    *,
    hosts: Hosts = THIS_HOST,
    libraries: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The argument list that starts `launch` and lets it write `record`.

    libraries: variables that put other libraries in the place of those linked. The wrapper sets
    them: they are for the measured program, not for the launcher around it. environment: that of
    the launch; what it says of MPI counts, and goes to other hosts too.

    Raises MachineLacksError when the launch needs more hosts than were named.
    """
    layout, mpi = launch.spec.layout, program.mpi
    command = launch.spec.command
    given = environment or {}
    settings = dict(libraries or {})
    if command:
        started, own = command_of_launch(launch, command)
        settings |= own
    else:
        started = (program.path, *_program_arguments(launch, record))
    observe: tuple[str, ...] = ("--observe", observed_file(record)) if command else ()
    if mpi is None:
        return (program.wrapper, *observe, *_rank_blocks(launch, settings), "--", *started)
    if (observe and layout.nodes > 1) or launch.elsewhere:
        # Local ranks have the same numbers on every node.
        observe += ("--rank-from", RANK_VARIABLE[mpi.family])
    return (
        # The wrapper around mpiexec lets it end when machmeter is killed.
        *(program.wrapper, "--rank", "none", "--"),
        *launcher_for(layout, hosts).command(mpi, layout, hosts, given),
        *(program.wrapper, "--local-rank-from", LOCAL_RANK_VARIABLE[mpi.family], *observe),
        *(*_rank_blocks(launch, settings, mpi.family, given), "--", *started),
    )


def startup_spec(layout: Layout) -> LaunchSpec:
    """What starts MPI up, sends every rank a message, and ends."""
    name = STARTUP.name
    points = (make_point(name, {"size": STARTUP.parameters[0].values[0]}, layout),)
    return LaunchSpec(name, STARTUP.program.name, name, layout, points, STARTUP.seconds_per_point)


def check_command(
    launch: Launch,
    program: ReadyProgram,
    mpi: MpiInstall,
    record: Path,
    hosts: Hosts,
    environment: Mapping[str, str],
) -> tuple[str, ...]:
    """The argument list that starts next to nothing where the ranks of `launch` are on these hosts,
    bound as they are: what starts MPI up, and one without MPI for a program that is not ours, or of
    a baseline, which holds only what its own run measured.

    mpi: what starts the ranks; record: takes what they write.
    """
    layout = replace(launch.spec.layout, nodes=len(hosts.names))
    started: tuple[str, ...] = (_NO_MPI,)
    if launch.spec.is_ours and not launch.spec.variant.is_baseline:
        startup = Launch(launch.number, startup_spec(layout), launch.seed, launch.assignment)
        started = (program.path, *_program_arguments(startup, record))
    every = ("--rank-from", RANK_VARIABLE[mpi.family]) if launch.elsewhere else ()
    return (
        *(program.wrapper, "--rank", "none", "--"),
        *launcher_for(layout, hosts).command(mpi, layout, hosts, environment),
        *(program.wrapper, "--local-rank-from", LOCAL_RANK_VARIABLE[mpi.family], *every),
        *(*_rank_blocks(launch, {}), "--", *started),
    )


def cpus_command(
    wrapper: str, mpi: MpiInstall, hosts: Hosts, environment: Mapping[str, str]
) -> tuple[str, ...]:
    """The argument list that prints, of each host, which CPUs what is started there may use."""
    layout = Layout(nodes=len(hosts.names), binding=Binding.NONE)
    return (
        *(wrapper, "--rank", "none", "--"),
        *launcher_for(layout, hosts).command(mpi, layout, hosts, environment),
        *(wrapper, "--say-cpus", "--rank-from", RANK_VARIABLE[mpi.family]),
    )


def on_nodes(launch: Launch, nodes: Sequence[int]) -> Launch:
    """The launch with only these of its nodes, by number, in this order; ranks on nodes that it has
    not are not bound: which CPUs may be used there is not known of it."""
    place = {node: number for number, node in enumerate(nodes)}
    layout = launch.spec.layout
    anywhere = Assignment((((),) * layout.cpus_per_rank,) * layout.ranks_per_node)
    beyond = tuple(node for node in nodes if node >= layout.nodes)
    elsewhere = (
        replace(one, nodes=tuple(place[node] for node in one.nodes if node in place))
        for one in (*(launch.elsewhere or ()), AssignmentElsewhere(beyond, (), anywhere))
    )
    return replace(launch, elsewhere=tuple(one for one in elsewhere if one.nodes) or UNSET)


def line_command(
    launch: Launch,
    program: ReadyProgram,
    record: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    local_rank: str = "",
) -> tuple[str, ...]:
    """The argument list of words that start a program of a user's in the layout of `launch`, with
    the wrapper right before the program, which observes it and sets nothing; what starts it is
    looked for in the PATH of `environment`, as a shell does.

    local_rank: the variable that numbers the ranks of a node; empty is that of the MPI.
    """
    command, mpi = launch.spec.command, program.mpi
    started = command_of_launch(launch, command)[0] if command else ()
    first, *others = words[: len(words) - len(started)] or ("",)
    found = shutil.which(first, path=environment.get("PATH")) if first else None
    before = (found or first, *others) if first else ()
    variable = local_rank or (LOCAL_RANK_VARIABLE[mpi.family] if mpi else "")
    own = ("--local-rank-from", variable) if variable else ()
    unbound = ("--rank", "none")
    return (
        *(program.wrapper, *unbound, "--", *before, program.wrapper, *own),
        *("--observe", observed_file(record), *unbound * launch.spec.layout.ranks, "--", *started),
    )


def command_of_launch(launch: Launch, command: Command) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words that start a program of a user's, and the variables that it needs, with the numbers
    of the launch. Where nothing is set, its threads are not either."""
    layout, description = launch.spec.layout, command.description
    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    if description is not None:
        if layout.ranks > 1:
            arguments += description.rank_arguments
        if layout.binding is not Binding.DEFAULT:
            arguments += description.thread_arguments
        variables = description.environment
    return (
        filled_for(launch, (*command.words, *arguments)),
        dict(zip(variables, filled_for(launch, variables.values()), strict=True)),
    )


def _rank_blocks(
    launch: Launch,
    settings: Mapping[str, str],
    family: str = "",
    given: Container[str] = (),
) -> tuple[str, ...]:
    """family: of the MPI that ranks wait in; given: variables that the environment sets."""

    def of_node(assignment: Assignment) -> list[str]:
        idle = idle_environment(family, launch.spec.layout, assignment)
        own = {name: value for name, value in idle.items() if name not in given}
        return _blocks_of_node(launch, assignment, {**settings, **own})

    others: dict[Assignment, list[int]] = {}
    for one in launch.elsewhere or ():
        if one.assignment != launch.assignment:
            others.setdefault(one.assignment, []).extend(one.nodes)
    words = of_node(launch.assignment)
    for assignment, nodes in others.items():
        words += ["--nodes", ",".join(map(str, nodes)), *of_node(assignment)]
    return tuple(words)


def _blocks_of_node(
    launch: Launch, assignment: Assignment, settings: Mapping[str, str]
) -> list[str]:
    words: list[str] = []
    for rank, rank_cpus in enumerate(assignment.cpus):
        cpus = sorted({cpu for thread in rank_cpus for cpu in thread})
        words += ["--rank", ",".join(map(str, cpus)) or "none"]
        own = dict(settings) | omp_environment(launch.spec.layout, rank_cpus)
        if launch.spec.is_ours:
            # Of our own programs the threads are a part of the point, wherever they run.
            own |= team_environment(launch.spec.layout)
        own |= progress_environment(assignment, rank)
        words += [f"{name}={value}" for name, value in sorted(own.items())]
    return words


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
