"""What every comparison is given, and what it gives back."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from bench.options import Options
from bench.ours import OurSide, our_side
from bench.peers import PeerSide
from bench.rounds import Contender, Measured, Tell, measure_rounds
from bench.verdicts import Row
from machmeter.build.mpi import resolve_mpi
from machmeter.model.machine import Machine


class Outcome(Struct):
    """What a comparison found: rows, remarks, peers left out, launches that failed."""

    title: str
    rows: list[Row]
    notes: list[str]
    left_out: list[str]
    failures: list[str]


def empty_outcome(title: str) -> Outcome:
    """Nothing found yet."""
    return Outcome(title, [], [], [], [])


class Bench:
    """The machine, what is asked, and machmeter compiled with each MPI that is needed."""

    def __init__(
        self,
        options: Options,
        machine: Machine,
        cache: Path,
        environment: Mapping[str, str],
        tell: Tell,
    ) -> None:
        self.options = options
        self.machine = machine
        self.cache = cache
        self.environment = environment
        self.tell = tell
        self._sides: dict[tuple[str, str], OurSide] = {}

    def ours(self, mpi: str = "", compiler: str = "") -> OurSide:
        """machmeter compiled with that MPI, or with none, by that compiler or the usual one.

        Raises MachineLacksError.
        """
        key = (mpi, compiler)
        if key not in self._sides:
            self._sides[key] = our_side(
                self.machine, mpi, self.cache, self.environment, self.tell, compiler
            )
        return self._sides[key]

    def peers(self, mpi: str = "") -> PeerSide:
        """Peers started beside it, with the same MPI. Raises MachineLacksError."""
        side = self.ours(mpi)
        return PeerSide(side, side.mpi, self.environment)

    def peers_with_their_own_mpi(self, prefix: str) -> PeerSide:
        """Peers whose MPI machmeter need not be compiled with. Raises MachineLacksError."""
        mpi = resolve_mpi(prefix, self.cache, self.environment)
        return PeerSide(self.ours(), mpi, self.environment)

    def thread_counts(self) -> tuple[int, ...]:
        """1 and 2 threads, as far as there are cores."""
        return tuple(n for n in (1, 2) if n <= len(self.machine.topology.usable_cores))

    def measure(self, title: str, contenders: Sequence[Contender], rounds: int = 0) -> Measured:
        """Rounds of these contenders; as many as asked by default."""
        options = self.options
        return measure_rounds(
            contenders, rounds or options.rounds, options.budget, options.seed, self.tell, title
        )

    def close(self) -> None:
        """Remove the records of every launch."""
        for side in self._sides.values():
            shutil.rmtree(side.folder.path, ignore_errors=True)
