"""Launches of peers, bound to the same CPUs by the same wrapper."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.ours import OurPrograms
from bench.rounds import ContenderError
from machmeter.build.mpi import MpiInstall
from machmeter.launch.environment import launch_environment
from machmeter.launch.launchers.mpiexec import LOCAL_RANK_VARIABLE
from machmeter.launch.process import run_process
from machmeter.layout.environment import omp_environment
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout

LIMIT_SECONDS = 180.0
# Bytes of a peer's output; longer tables are refused.
MOST_PRINTED = 2**19
_SYSTEM_PREFIXES = ("/usr", "/usr/local")


class PeerPrograms:
    """Starts peers as machmeter starts its own programs: same wrapper, same CPUs, same OMP_*.

    mpi: starts MPI peers and is loaded by them; None where there are none.
    """

    def __init__(
        self, ours: OurPrograms, mpi: MpiInstall | None, environment: Mapping[str, str]
    ) -> None:
        self._ours = ours
        self._mpi = mpi
        self._environment = launch_environment(environment, mpi)
        if mpi is not None and mpi.prefix not in _SYSTEM_PREFIXES:
            library = str(Path(mpi.prefix) / "lib")
            before = environment.get("LD_LIBRARY_PATH", "")
            self._environment["LD_LIBRARY_PATH"] = f"{library}:{before}".rstrip(":")

    def run_threads(self, program: Sequence[str], threads: int) -> str:
        """The output of an OpenMP or single-threaded peer. Raises ContenderError on failure."""
        layout = Layout(threads_per_rank=threads)
        return self._run((self._ours.wrapper, *self._ranks(layout), "--", *program))

    def run_unbound(self, program: Sequence[str]) -> str:
        """The output of a peer with its own binding. Raises ContenderError on failure."""
        return self._run(program)

    def run_ranks(self, program: Sequence[str], ranks: int = 2, folder: Path | None = None) -> str:
        """The output of an MPI peer's rank 0. Raises ContenderError on failure.

        folder: the working folder of its ranks.
        """
        mpi = self._mpi
        if mpi is None:
            raise MachineLacksError("an MPI peer needs an MPI", "name its prefix with --mpi")
        layout = Layout(ranks_per_node=ranks)
        if mpi.family == "openmpi":
            options = ["--allow-run-as-root", "--bind-to", "none", "--oversubscribe"]
        else:
            options = ["-bind-to", "none"]
        command = [
            *(("env", "-C", str(folder)) if folder else ()),
            *(mpi.mpiexec, *options, "-n", str(ranks)),
            *(self._ours.wrapper, "--local-rank-from", LOCAL_RANK_VARIABLE[mpi.family]),
            *(*self._ranks(layout), "--", *program),
        ]
        return self._run(command)

    def _ranks(self, layout: Layout) -> list[str]:
        arguments: list[str] = []
        for rank_cpus in self._ours.assignment(layout).cpus:
            cpus = sorted({cpu for thread in rank_cpus for cpu in thread})
            settings = omp_environment(layout, rank_cpus)
            arguments += ["--rank", ",".join(map(str, cpus))]
            arguments += [f"{name}={value}" for name, value in sorted(settings.items())]
        return arguments

    def _run(self, command: Sequence[str]) -> str:
        result = run_process(command, self._environment, LIMIT_SECONDS, MOST_PRINTED)
        if result.timed_out:
            raise ContenderError(f"timed out after {LIMIT_SECONDS:.0f} s")
        if result.exit_code != 0:
            last = " / ".join(result.output.strip().splitlines()[-3:])[-300:]
            raise ContenderError(f"{_ending(result.exit_code)}; last output: {last or 'none'}")
        return result.output


def _ending(exit_code: int) -> str:
    if exit_code < 0:
        return f"ended by signal {-exit_code} ({signal.strsignal(-exit_code)})"
    return f"ended with exit code {exit_code}"


def find_program(path: str) -> str:
    """The absolute path of a peer given by path or by a name on PATH; empty where there is none."""
    found = shutil.which(path) if path else None
    return str(Path(found).absolute()) if found else ""
