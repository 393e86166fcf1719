"""Whether an MPI starts two ranks of one world, and how long starting takes: kept in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.build.mpi import (
    EMBEDDED,
    MpiInstall,
    embedded_prefix,
    mpi_environment,
    resolve_mpi,
)
from machmeter.build.process import run_tool
from machmeter.launch.environment import launch_environment
from machmeter.launch.launchers.hosts import THIS_HOST, Hosts
from machmeter.launch.launchers.local import LOCAL
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.model.errors import MachineLacksError, MachmeterError, storage_error
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine, MpiStart
from machmeter.model.plan.launch import library_name
from machmeter.model.plan.study import Experiment
from machmeter.model.results.run import Request
from machmeter.run.programs.compiled import BuildContext
from machmeter.store.cache_trust import make_closed
from machmeter.store.files import read_bounded, replacing

_SAYS = "machmeter-world"
_SOURCE = f"""
#include <mpi.h>
#include <cstdio>
int main(int count, char** words) {{
    MPI_Init(&count, &words);
    int rank = 0, size = 0, length = 0;
    static char library[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(library, &length);
    if (rank == 0) std::printf("{_SAYS} %d %s\\n", size, library);
    MPI_Finalize();
}}
"""
_FORMAT = 2
_DIGITS = 16
_COMPILING_SECONDS, _STARTING_SECONDS = 120.0, 30.0
_LARGEST = 2**16
_MOST_RANKS = 64
_TAIL_LINES = 3
_REMEDY = "name an MPI that starts with --mpi mpich | openmpi | PREFIX"


class MpiProbe(Struct, frozen=True, forbid_unknown_fields=True):
    """What starting an MPI showed."""

    mpi_library: str
    """Family and version, as it names itself."""
    start: MpiStart
    """How long it took."""


def probe_mpi(mpi: MpiInstall, hosts: Hosts, context: BuildContext) -> MpiProbe:
    """What a program of two ranks saw that was compiled with `mpi` and started as launches are: on
    the first two of `hosts`, or here where there are none.

    What was seen once of the same programs is taken from the cache. Raises MachineLacksError where
    it is not compiled, not started, or its ranks are not of one world.
    """
    kept = context.cache / "mpi" / "probes" / f"{_digest(mpi, hosts, context.environment)}.json"
    with contextlib.suppress(MachmeterError, msgspec.DecodeError, RecursionError):
        return msgspec.json.decode(read_bounded(kept, _LARGEST), type=MpiProbe)
    with contextlib.suppress(OSError):
        make_closed(kept.parent)
    # Other hosts see the cache, and no folder of this one's.
    shared = len(hosts.names) > 1 or os.access(kept.parent, os.W_OK)
    try:
        with tempfile.TemporaryDirectory(dir=kept.parent if shared else None) as folder:
            program = _compiled(mpi, Path(folder), context.environment)
            found = _probed(mpi, hosts, program, context.environment)
    except OSError as error:
        raise storage_error(error, kept) from error
    with contextlib.suppress(OSError, MachmeterError), replacing(kept, 0o644) as file:
        file.write(msgspec.json.encode(found))
    return found


def with_mpi_starts(request: Request, machine: Machine, context: BuildContext) -> Machine:
    """The machine with the time that starting the MPI libraries of a request takes, of those that
    are there and start: one that is fetched first has none yet."""
    programs = {find(one.benchmark, request.study.benchmarks).program for one in _ours(request)}
    if not any(program.chooses_mpi for program in programs):
        return machine
    names = request.mpi.split(",")
    wanted = {name if len(names) > 1 else "": name for name in names}
    if other := machine.software.other_mpi:
        wanted[other] = other
    options = request.layout_options
    hosts = Hosts(options.hosts, options.remote_shell, options.launcher)
    starts = {}
    for variant, name in wanted.items():
        if (
            name in EMBEDDED
            and not embedded_prefix(name, context.cache, context.environment).is_dir()
        ):
            continue
        with contextlib.suppress(MachmeterError):
            install = resolve_mpi(name, context.cache, context.environment)
            starts[variant] = probe_mpi(install, hosts, context).start
    return replace(machine, software=replace(machine.software, mpi_starts=starts))


def _ours(request: Request) -> Iterator[Experiment]:
    return (one for one in request.study.experiments if one.command is None)


def _compiled(mpi: MpiInstall, folder: Path, environment: Mapping[str, str]) -> Path:
    source, program = folder / "probe.cpp", folder / "probe"
    source.write_text(_SOURCE)
    run_tool(
        [mpi.mpicxx, str(source), "-o", str(program)],
        doing=f"compiling with {mpi.mpicxx}",
        remedy=_REMEDY,
        timeout=_COMPILING_SECONDS,
        environment=mpi_environment(environment, mpi.prefix),
    )
    return program


def _probed(
    mpi: MpiInstall, hosts: Hosts, program: Path, environment: Mapping[str, str]
) -> MpiProbe:
    several = len(hosts.names) > 1
    two = Layout(nodes=2) if several else Layout(ranks_per_node=2)
    where = hosts if several else THIS_HOST
    # The first start also reads the library from the disk.
    library, _ = _started(mpi, two, where, program, environment)
    _, of_one = _started(mpi, Layout(), where, program, environment)
    # One rank more costs little and varies: it is seen by many.
    many = max(2, min(len(os.sched_getaffinity(0)), _MOST_RANKS))
    _, of_many = _started(mpi, Layout(ranks_per_node=many), where, program, environment)
    return MpiProbe(library, MpiStart(of_one, max(of_many - of_one, 0.0) / (many - 1)))


def _started(
    mpi: MpiInstall, layout: Layout, hosts: Hosts, program: Path, environment: Mapping[str, str]
) -> tuple[str, float]:
    """The name of the library, and the wall time, seconds."""
    launcher = LAUNCHERS[hosts.launcher if layout.nodes > 1 else LOCAL]
    of_launch = launch_environment(
        environment, mpi, launcher.environment(environment), nodes=layout.nodes
    )
    command = (*launcher.command(mpi, layout, hosts, of_launch), str(program))
    result = launcher.run(command, of_launch, _STARTING_SECONDS)
    said = [line for line in result.output.splitlines() if line.startswith(f"{_SAYS} ")]
    worlds = [line.split(" ", 2)[1] for line in said]
    if result.exit_code == 0 and worlds == [str(layout.ranks)]:
        return library_name(said[0].split(" ", 2)[2]), result.wall_seconds
    if worlds and result.exit_code == 0:
        why = f"its ranks are of {len(worlds)} worlds: launcher and compiler are of two libraries"
    elif result.timed_out:
        why = f"{layout.ranks} ranks did not end within {_STARTING_SECONDS:g} s"
    else:
        tail = "; ".join(result.output.strip().splitlines()[-_TAIL_LINES:])
        why = f"{layout.ranks} ranks ended with exit code {result.exit_code}: {tail}"
    raise MachineLacksError(f"{mpi.mpiexec} does not start a program of MPI: {why}", _REMEDY)


def _digest(mpi: MpiInstall, hosts: Hosts, environment: Mapping[str, str]) -> str:
    """Of all that may change what is seen: the programs themselves, and where they look."""
    programs = []
    for path in (mpi.mpicxx, mpi.mpiexec):
        real = os.path.realpath(path)
        status = Path(real).stat()
        programs.append((path, real, status.st_size, status.st_mtime_ns))
    looked = environment.get("LD_LIBRARY_PATH", "")
    # Nodes that share a cache may have unlike networks and libraries.
    here = platform.node(), len(os.sched_getaffinity(0))
    content = (_FORMAT, programs, looked, here, hosts.launcher, hosts.remote_shell, hosts.names[:2])
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:_DIGITS]
