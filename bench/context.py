"""The input and the outcome of every comparison."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from bench.options import Options
from bench.ours import OurPrograms, build_ours
from bench.peers import PeerPrograms
from bench.rounds import Contender, Notify, RoundResults, measure_rounds
from bench.verdicts import Row, TargetVerdict
from machmeter.build.mpi import resolve_mpi
from machmeter.model.device import NamedDevice
from machmeter.model.machine import Machine


class Outcome(Struct):
    """What a comparison found: rows, notes, skipped peers, failed launches."""

    title: str
    rows: list[Row]
    notes: list[str]
    skipped: list[str]
    failures: list[str]

    @property
    def lacks_a_result(self) -> bool:
        """Whether failures left a row, or the whole comparison, without one."""
        failed = any(row.verdict is TargetVerdict.FAILED for row in self.rows)
        return failed or bool(self.failures and not self.rows)


def empty_outcome(title: str) -> Outcome:
    """An outcome without rows."""
    return Outcome(title, [], [], [], [])


class Bench:
    """The machine, the options, and machmeter compiled with each MPI that is needed."""

    def __init__(
        self,
        options: Options,
        machine: Machine,
        cache: Path,
        environment: Mapping[str, str],
        notify: Notify,
    ) -> None:
        self.options = options
        self.machine = machine
        self.cache = cache
        self.environment = environment
        self.notify = notify
        self._builds: dict[tuple[str, str, NamedDevice | None], OurPrograms] = {}

    def ours(
        self, mpi: str = "", compiler: str = "", device: NamedDevice | None = None
    ) -> OurPrograms:
        """machmeter compiled with that MPI, or with none, by that compiler or the usual one;
        device: one that layouts may name.

        Raises MachineLacksError.
        """
        key = (mpi, compiler, device)
        if key not in self._builds:
            self._builds[key] = build_ours(
                self.machine, mpi, self.cache, self.environment, self.notify, compiler, device
            )
        return self._builds[key]

    def peers(self, mpi: str = "") -> PeerPrograms:
        """Peers started with the same MPI. Raises MachineLacksError."""
        ours = self.ours(mpi)
        return PeerPrograms(ours, ours.mpi, self.environment)

    def peers_with_their_own_mpi(self, prefix: str) -> PeerPrograms:
        """Peers whose MPI machmeter need not be compiled with. Raises MachineLacksError."""
        mpi = resolve_mpi(prefix, self.cache, self.environment)
        return PeerPrograms(self.ours(), mpi, self.environment)

    def thread_counts(self) -> tuple[int, ...]:
        """1 and 2 threads, limited by the number of cores."""
        return tuple(n for n in (1, 2) if n <= len(self.machine.topology.usable_cores))

    def measure(self, title: str, contenders: Sequence[Contender], rounds: int = 0) -> RoundResults:
        """Rounds of these contenders; by default as many as the options say."""
        options = self.options
        return measure_rounds(
            contenders, rounds or options.rounds, options.budget, options.seed, self.notify, title
        )

    def close(self) -> None:
        """Remove the records of every launch."""
        for build in self._builds.values():
            shutil.rmtree(build.folder.path, ignore_errors=True)
